"""Bytes of position-delete files and of deletion vectors: plain functions of numbers, which are compiled too."""

from math import ceil, log2, sqrt

# The law of position-delete files, measured on files of 1 … 100,000 positions in 1 … 10 data files.
AROUND_BYTES = 885
PATHS_BYTES, FURTHER_PATH_BYTES = 50, 9
POSITIONS_BYTES = 43
VECTOR_BYTES = 4 + 4 + 4  # length, magic, checksum
BITMAPS_BYTES = 8 + 4  # their number, and the key of the one that files of less than 2³¹ rows have
NO_OFFSETS_BELOW = 4  # containers, in a bitmap that has runs
BITMAP_CONTAINER_BYTES = 8192
MOST_IN_ARRAY = 4096
CONTAINER_ROWS = 1 << 16  # positions that a bitmap holds in one container


def deletes_of_one(positions: float, span: float, is_scattered: bool, uses_vectors: bool, path_bytes: float) -> float:
    """Mean bytes of a position-delete file of one data file, or of a vector within its file, with these positions among
    `span` rows.
    """
    if positions <= 0:
        return 0.0
    if not uses_vectors:
        paths, listed, around = position_delete_bytes(1, path_bytes, positions, max(span, positions))
        return paths + listed + around
    containers = max(1.0, float(ceil(span / CONTAINER_ROWS)))
    each = positions / containers
    runs = max(1.0, each * (1 - positions / max(span, positions))) if is_scattered else 1.0
    return vector_bytes(containers, each, runs)


def position_delete_bytes(files: float, path_bytes: float, rows: float, span: float) -> tuple[float, float, float]:
    """Mean bytes of the paths, of the positions, and around both, of a file that deletes `rows` positions of `files`
    data files, `span` rows apart in all. A position costs a byte, and more the farther it is from the one before.

    The footer holds the least and greatest path twice where they are one, else once.
    """
    paths = PATHS_BYTES + path_bytes + FURTHER_PATH_BYTES * (files - 1)
    positions = POSITIONS_BYTES + rows * (1 + log2(span / rows) / 12) + 4 * sqrt(rows)
    return paths, positions, AROUND_BYTES + (4 if files == 1 else 2) * path_bytes


def vector_bytes(containers: float, positions: float, runs: float) -> float:
    """Mean bytes of a deletion vector whose containers hold `positions` each, in `runs`."""
    size, is_run = container_sizes(positions, runs)
    return VECTOR_BYTES + BITMAPS_BYTES + bitmap_header_bytes(containers, is_run) + containers * size


def container_sizes(positions: float, runs: float) -> tuple[float, bool]:
    """Bytes of a Roaring container, and whether its runs are encoded."""
    plain = 2.0 * positions if positions <= MOST_IN_ARRAY else float(BITMAP_CONTAINER_BYTES)
    encoded = 2 + 4.0 * runs
    return min(encoded, plain), encoded < plain


def bitmap_header_bytes(containers: float, has_runs: bool) -> float:
    """Bytes of what comes before a bitmap's containers."""
    if not has_runs:
        return 8 + 8.0 * containers
    offsets = 4.0 * containers if containers >= NO_OFFSETS_BELOW else 0.0
    return 4 + float(-(-containers // 8)) + 4.0 * containers + offsets
