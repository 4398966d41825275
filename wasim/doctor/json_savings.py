"""What an expiry takes off each metadata.json written from then on."""

from collections.abc import Sequence, Set

from wasim.doctor.expiry import stays_with
from wasim.doctor.json_parts import JsonParts
from wasim.doctor.tree import Tree
from wasim.iceberg.schemas import schema_json
from wasim.iceberg.snapshots import Snapshot
from wasim.iceberg.specs import spec_json

_BARE_SNAPSHOT_BYTES, _BARE_PAIR_BYTES = 200, 6  # of JSON around a snapshot's list and summary, and around a pair of it


class SnapshotEntries:
    """Bytes that snapshots take in each part of a tree's metadata.json, gathered once for every expiry."""

    def __init__(self, tree: Tree, parts: JsonParts) -> None:
        self._metadata, self._parts, self._stored_share = tree.opened.metadata, parts, tree.stored_share
        self._sizes = [_bytes_of(one) for one in self._metadata.snapshots]

    def bytes_without(self, kept: Set[int]) -> int:
        """What the entries of all but these snapshots take of metadata.json as it is stored."""
        metadata = self._metadata
        log = [one.snapshot_id not in kept for one in metadata.snapshot_log]
        until_last_gone = len(log) - log[::-1].index(True) if True in log else 0  # the log is cleared up to there
        gone = {
            "snapshots": _share([one.snapshot_id not in kept for one in metadata.snapshots], self._sizes),
            "snapshot-log": until_last_gone / len(log) if log else 0.0,
            "statistics": _share([one.snapshot_id not in kept for one in metadata.statistics]),
            "partition-statistics": _share([one.snapshot_id not in kept for one in metadata.partition_statistics]),
        }
        return round(sum(_content(self._parts, part) * share for part, share in gone.items()) * self._stored_share)


def bytes_of_unused(kept: Set[int], tree: Tree, parts: JsonParts) -> int:
    """Stored bytes of the schemas and partition specs that none of these snapshots uses, nor the table itself."""
    metadata, index = tree.opened.metadata, tree.index
    stays = stays_with(index, kept)
    used_specs: set[int | None] = {metadata.default_spec_id}
    used_specs |= {one.partition_spec_id for one, is_kept in zip(index.manifests, stays, strict=True) if is_kept}
    used_schemas = {one.schema_id for one in metadata.snapshots if one.snapshot_id in kept}
    specs = [one.spec_id not in used_specs for one in metadata.partition_specs]
    sizes = [len(spec_json(one)) for one in metadata.partition_specs]
    saved = _content(parts, "partition-specs") * _share(specs, sizes)
    if None not in used_schemas:
        used_schemas |= {metadata.current_schema_id}
        schemas = [one.schema_id not in used_schemas for one in metadata.schemas]
        saved += _content(parts, "schemas") * _share(schemas, [len(schema_json(one)) for one in metadata.schemas])
    return round(saved * tree.stored_share)


def _content(parts: JsonParts, part: str) -> int:
    """Bytes of a part's array without its key, which stays."""
    return max(0, parts.bytes[part] - len(f'"{part}":[]'))


def _bytes_of(snapshot: Snapshot) -> int:
    """About the bytes of its entry, for a share of all: each one's JSON would take ten times as long."""
    summary = snapshot.summary or {}
    texts = sum(map(len, summary)) + sum(map(len, summary.values())) + _BARE_PAIR_BYTES * len(summary)
    return _BARE_SNAPSHOT_BYTES + len(snapshot.manifest_list or "") + texts


def _share(gone: Sequence[bool], sizes: Sequence[int] | None = None) -> float:
    """The share of bytes that goes; of entries as large as each other without sizes."""
    sizes = [1] * len(gone) if sizes is None else sizes
    return sum(size for is_gone, size in zip(gone, sizes, strict=True) if is_gone) / max(1, sum(sizes))
