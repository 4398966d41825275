"""Statistics that a writer adds to its commits: sketches of distinct values in a Puffin file, and their entry."""

import json
from collections.abc import Mapping

from wasim.iceberg.snapshots import BlobMetadata, StatisticsFile
from wasim.twin.recipe import StatisticsOfCommit

_MAGIC_BYTES = 4
_FOOTER_AROUND_BYTES = 16  # magic, length of the JSON, flags, magic
NDV = "ndv"


def statistics_file(
    recipe: StatisticsOfCommit, path: str, values: Mapping[int, int], *, snapshot_id: int, sequence_number: int
) -> StatisticsFile:
    """The Puffin file at a path with a sketch of each column, whose distinct values are given by field id.

    Its layout follows Iceberg's Puffin specification, with the footer's JSON uncompressed.
    """
    offset, blobs, found = _MAGIC_BYTES, [], []
    for field_id, count in values.items():
        length = recipe.sketch_bytes + recipe.value_bytes * min(count, recipe.most_values)
        properties = {NDV: str(count)}
        blobs.append(
            {
                "type": recipe.blob,
                "fields": [field_id],
                "snapshot-id": snapshot_id,
                "sequence-number": sequence_number,
                "offset": offset,
                "length": length,
                "compression-codec": recipe.codec,
                "properties": properties,
            }
        )
        found.append(
            BlobMetadata(
                type=recipe.blob,
                snapshot_id=snapshot_id,
                sequence_number=sequence_number,
                fields=(field_id,),
                properties=properties,
            )
        )
        offset += length
    footer = {"blobs": blobs, "properties": {"created-by": recipe.created_by}}
    footer_bytes = len(json.dumps(footer, separators=(",", ":")).encode()) + _FOOTER_AROUND_BYTES
    return StatisticsFile(
        snapshot_id=snapshot_id,
        statistics_path=path,
        file_size_bytes=offset + footer_bytes,
        file_footer_size_bytes=footer_bytes,
        blob_metadata=tuple(found),
    )
