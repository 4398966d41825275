"""Which snapshots `expire_snapshots` keeps: what Iceberg's RemoveSnapshots retains for branches, tags and the rest."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from wasim.iceberg.metadata_json import TableMetadata
from wasim.iceberg.properties import TableProperties
from wasim.iceberg.snapshots import Snapshot, SnapshotRef
from wasim.rules.maintenance import kept_of_line

_MAIN, _BRANCH = "main", "branch"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expiry:
    """What is asked of `expire_snapshots`: moments in milliseconds; without `retain_last` the table's own minimum."""

    now_ms: int
    older_than_ms: int
    retain_last: int | None = None


class Dated(Protocol):
    """A snapshot, as far as its age and its place decide whether it stays."""

    @property
    def snapshot_id(self) -> int: ...  # noqa: D102
    @property
    def parent_snapshot_id(self) -> int | None: ...  # noqa: D102
    @property
    def timestamp_ms(self) -> int: ...  # noqa: D102


Line = TypeVar("Line", bound=Dated)


def retained_snapshots(metadata: TableMetadata, expiry: Expiry) -> frozenset[int]:
    """The ids of a table's snapshots that stay."""
    properties = TableProperties.read_leniently(metadata.properties)
    return retained_of({one.snapshot_id: one for one in metadata.snapshots}, metadata.refs, expiry, properties)


def retained_of(
    snapshots: Mapping[int, Dated], refs: Mapping[str, SnapshotRef], expiry: Expiry, properties: TableProperties
) -> frozenset[int]:
    """The ids of the snapshots, given by id, that stay.

    A branch or a tag older than its own age limit goes, main never. Of a branch's ancestors those stay that are young
    enough or among its last; a branch's own limits come before what was asked. A snapshot that no branch or tag leads
    to stays while it is young.
    """
    least = expiry.retain_last or properties.min_snapshots_to_keep
    kept, led_to = set[int](), set[int]()
    for name, ref in refs.items():
        head = snapshots.get(ref.snapshot_id)
        if head is None or (name != _MAIN and _is_too_old(ref, head, expiry, properties)):
            continue
        kept.add(head.snapshot_id)
        led_to.add(head.snapshot_id)
        if ref.type == _BRANCH:
            line = list(_ancestors(head, snapshots))
            led_to.update(one.snapshot_id for one in line)
            kept.update(one.snapshot_id for one in line[: _kept_of_branch(ref, line, expiry, least)])
    kept.update(
        one.snapshot_id
        for one in snapshots.values()
        if one.snapshot_id not in led_to and one.timestamp_ms >= expiry.older_than_ms
    )
    return frozenset(kept)


def lineage(metadata: TableMetadata) -> tuple[Snapshot, ...]:
    """The current snapshot and its ancestors as far as they are there, newest first."""
    by_id = {one.snapshot_id: one for one in metadata.snapshots}
    head = by_id.get(metadata.current_snapshot_id) if metadata.current_snapshot_id is not None else None
    return tuple(_ancestors(head, by_id)) if head is not None else ()


def has_expired(metadata: TableMetadata) -> bool:
    """Whether ancestors of the current snapshot are gone."""
    main = lineage(metadata)
    return bool(main) and main[-1].parent_snapshot_id is not None


def _is_too_old(ref: SnapshotRef, head: Dated, expiry: Expiry, properties: TableProperties) -> bool:
    limit_ms = properties.max_ref_age_ms if ref.max_ref_age_ms is None else ref.max_ref_age_ms
    return expiry.now_ms - head.timestamp_ms > limit_ms


def _kept_of_branch(ref: SnapshotRef, line: Sequence[Dated], expiry: Expiry, least: int) -> int:
    """The number of a branch's snapshots that stay, newest first, by its own limits where it has any."""
    least = least if ref.min_snapshots_to_keep is None else ref.min_snapshots_to_keep
    age_ms = ref.max_snapshot_age_ms
    oldest_ms = expiry.older_than_ms if age_ms is None else expiry.now_ms - age_ms
    return kept_of_line([one.timestamp_ms for one in line], oldest_ms, least)


def _ancestors(head: Line, by_id: Mapping[int, Line]) -> Iterator[Line]:
    """A snapshot and its ancestors as far as they are there; a circle, which only a broken table has, ends."""
    seen, at = set[int](), by_id.get(head.snapshot_id)
    while at is not None and at.snapshot_id not in seen:
        seen.add(at.snapshot_id)
        yield at
        parent = at.parent_snapshot_id
        at = by_id.get(parent) if parent is not None else None
