"""Which parts of a metadata.json hold its bytes, and what each of them grows by."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from json import JSONDecodeError

from wasim.iceberg import TableMetadata
from wasim.iceberg.properties import TableProperties

PARTS = tuple(
    """
    snapshots snapshot-log metadata-log schemas partition-specs sort-orders properties refs statistics
    partition-statistics
    """.split()
)
REST = "rest"
_SPACE = re.compile(r"[\s,:]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonParts:
    """Bytes of a metadata.json by part, keys included; what is none of `PARTS` is the rest. Uncompressed.

    `growth_bytes` is what a commit adds to a part: those that grow with every commit, the metadata log until it is
    full.
    """

    bytes: Mapping[str, int]
    growth_bytes: Mapping[str, float]

    @property
    def total_bytes(self) -> int:
        """The whole text."""
        return sum(self.bytes.values())


def measure_parts(text: bytes, metadata: TableMetadata) -> JsonParts:
    """The parts of a text that `read_metadata_json` has read."""
    sizes = dict.fromkeys(PARTS, 0) | _member_bytes(text)
    sizes[REST] = len(text) - sum(sizes.values())
    counts = {
        "snapshots": len(metadata.snapshots),
        "snapshot-log": len(metadata.snapshot_log),
        "metadata-log": len(metadata.metadata_log),
    }
    growth = {part: sizes[part] / count for part, count in counts.items() if count}
    if len(metadata.statistics) > 1:  # not every commit adds an entry
        growth["statistics"] = sizes["statistics"] / max(len(metadata.snapshots), len(metadata.statistics))
    limit = TableProperties.read_leniently(metadata.properties).metadata_previous_versions_max
    if len(metadata.metadata_log) >= limit:
        growth.pop("metadata-log", None)
    return JsonParts(bytes=sizes, growth_bytes=growth)


def _member_bytes(text: bytes) -> dict[str, int]:
    """Bytes of each member that is one of `PARTS`, from its key to the end of its value."""
    # One character for one byte: whatever the text's own characters, lengths are right.
    characters = text.decode("latin-1")
    scan, found = json.JSONDecoder().raw_decode, dict[str, int]()
    position = characters.find("{") + 1
    try:
        while True:
            position = _skip(characters, position)
            if characters[position : position + 1] != '"':
                return found
            key, after_key = scan(characters, position)
            _, end = scan(characters, _skip(characters, after_key))
            if key in PARTS:
                found[key] = end - position
            position = end
    except (JSONDecodeError, RecursionError):
        return found


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def summary_key_bytes(metadata: TableMetadata) -> dict[str, int]:
    """Bytes that each key of the snapshots' summaries takes, over all snapshots, most first."""
    sums: dict[str, int] = {}
    for snapshot in metadata.snapshots:
        for key, value in (snapshot.summary or {}).items():
            sums[key] = sums.get(key, 0) + len(key) + len(value) + 6
    return dict(sorted(sums.items(), key=lambda item: -item[1])[:20])
