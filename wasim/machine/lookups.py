"""Sizes by counts, digits of numbers, and their sums over runs of commits."""

from math import ceil, exp, floor, log, log10

from wasim.machine.columns import (
    COMPACTED_MORE,
    DATA,
    LIST_LAST,
    LIST_SLOPE,
    PATH_BYTES,
    SORTED_MORE_DATA,
    SORTED_MORE_DELETES,
    USES_VECTORS,
    Column,
    Laws,
)
from wasim.twin.delete_files import positions_bytes, vector_bytes

CONTAINER_ROWS = 1 << 16


def whole(value: float) -> float:
    """The nearest whole number."""
    return float(floor(value + 0.5))


def digits(value: float) -> float:
    """Digits of a whole number that is not negative."""
    return floor(log10(value + 0.5)) + 1.0 if value >= 1 else 1.0


def digits_through(start: float, step: float, count: float) -> float:
    """Digits of start + step, start + 2 · step … in all, for the first `count` of them; `step` is not negative."""
    least, most = digits(start + step), digits(start + step * count)
    total = least * count
    if least == most or step <= 0:
        return total
    power = least
    while power < most:
        first = ceil((10.0**power - start) / step)  # from here on they have one digit more
        total += max(0.0, count - max(0.0, first - 1.0))
        power += 1
    return total


def at(counts: Column, sizes: Column, count: float) -> float:
    """Bytes for a count, between and beyond measured ones linear."""
    place = len(counts) - 2
    while place > 0 and counts[place] > count:
        place -= 1
    slope = (sizes[place + 1] - sizes[place]) / (counts[place + 1] - counts[place])
    return sizes[place] + slope * (count - counts[place])


def list_bytes(laws: Laws, manifests: float) -> float:
    """Bytes of a list of this many manifests, each of another commit."""
    return at(laws.list_counts, laws.list_sizes, manifests)


def lists_through(laws: Laws, count: float) -> float:
    """The sum of those over 1, 2 … manifests."""
    last = len(laws.list_sums) - 1
    if count <= last:
        return laws.list_sums[int(count)] if count > 0 else 0.0
    beyond = count - last
    slope = laws.settings[LIST_SLOPE]
    return laws.list_sums[last] + beyond * laws.settings[LIST_LAST] + slope * beyond * (beyond + 1) / 2


def lists_between(laws: Laws, before: float, each: int, commits: float) -> float:
    """Bytes of the lists of `commits`, each with `each` more manifests than the one before."""
    every = lists_through(laws, before + each * commits) - lists_through(laws, before)
    if each == 1:
        return every
    last = list_bytes(laws, before + each * commits)
    first = list_bytes(laws, before + 1)
    return every / each + (each - 1) / each * (last - first) / 2


def manifest_bytes(laws: Laws, state: Column, group: int, fresh: float, compacted: float, by_partition: float) -> float:
    """Bytes of a manifest with so many entries of files as they arrived and of rewritten ones."""
    if group != DATA:
        return (
            at(laws.delete_counts, laws.delete_sizes, fresh + compacted)
            + laws.settings[SORTED_MORE_DELETES] * by_partition
        )
    following = compacted - 1 + fresh if fresh < 1 else compacted
    more = state[COMPACTED_MORE] * max(0.0, following) + laws.settings[SORTED_MORE_DATA] * by_partition
    return at(laws.data_counts, laws.data_sizes, fresh + compacted) + more


def by_rows(laws: Laws, sizes: Column, rows: float) -> float:
    """Bytes of a data file of so many rows; `sizes` are logarithms at those of the rows in the laws."""
    place, known = log(max(rows, 1.0)), laws.log_rows
    low, high = 0, len(known) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if known[middle] <= place:
            low = middle
        else:
            high = middle
    share = min(1.0, (place - known[low]) / (known[low + 1] - known[low]))
    return exp(sizes[low] + share * (sizes[low + 1] - sizes[low]))


def new_file_bytes(laws: Laws, rows: float) -> float:
    """Bytes of a file of so many rows that came with a commit."""
    return by_rows(laws, laws.log_bytes, rows)


def compacted_bytes(laws: Laws, rows: float) -> float:
    """Bytes of a file of so many rows that were in other files before."""
    return by_rows(laws, laws.log_compacted, rows)


def deletes_bytes(laws: Laws, positions: float, span: float, is_scattered: bool) -> float:
    """Bytes of a position-delete file, or of a vector within its file, with these positions among `span` rows."""
    if positions <= 0:
        return 0.0
    wide = max(span, positions)
    if laws.settings[USES_VECTORS] == 0:
        return laws.settings[PATH_BYTES] + positions_bytes(positions, wide)
    containers = max(1, ceil(span / CONTAINER_ROWS))
    each = positions / containers
    runs = max(1.0, each * (1 - positions / wide)) if is_scattered else 1.0
    return vector_bytes(containers, each, runs)
