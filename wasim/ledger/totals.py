"""Totals of a case, and the amplification that they mean."""

from dataclasses import dataclass

from wasim.ledger.events import FileEvents
from wasim.ledger.vocabulary import DATA_KINDS, METADATA_KINDS, Action, Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Bytes and files by kind over a whole case, events outside commits included."""

    written_bytes: dict[Kind, int]
    deleted_bytes: dict[Kind, int]
    files_written: dict[Kind, int]
    files_deleted: dict[Kind, int]

    @property
    def on_disk_bytes(self) -> dict[Kind, int]:
        """Bytes that the events leave on disk: written minus deleted."""
        return {kind: self.written_bytes[kind] - self.deleted_bytes[kind] for kind in Kind}

    @property
    def metadata_bytes(self) -> int:
        """All metadata written."""
        return sum(self.written_bytes[kind] for kind in METADATA_KINDS)

    @property
    def data_bytes(self) -> int:
        """All data written."""
        return sum(self.written_bytes[kind] for kind in DATA_KINDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteAmplification:
    """Bytes written ÷ data bytes first ingested, over a stated horizon; WA_total = WA_data + WA_metadata."""

    horizon_s: float
    data: float
    metadata: float

    @property
    def total(self) -> float:
        """WA_data + WA_metadata."""
        return self.data + self.metadata


def sum_events(events: FileEvents) -> Totals:
    """Totals of all events, whatever commit they belong to."""
    written, deleted = events.action == Action.WRITE, events.action == Action.DELETE
    of_kind = {kind: events.kind == kind for kind in Kind}
    return Totals(
        written_bytes={kind: int(events.bytes[written & mask].sum()) for kind, mask in of_kind.items()},
        deleted_bytes={kind: int(events.bytes[deleted & mask].sum()) for kind, mask in of_kind.items()},
        files_written={kind: int((written & mask).sum()) for kind, mask in of_kind.items()},
        files_deleted={kind: int((deleted & mask).sum()) for kind, mask in of_kind.items()},
    )


def amplification(totals: Totals, *, ingested_bytes: int, horizon_s: float) -> WriteAmplification:
    """WA_data and WA_metadata of `totals` for `ingested_bytes` of data first written. Ingest must be positive."""
    return WriteAmplification(
        horizon_s=horizon_s,
        data=totals.data_bytes / ingested_bytes,
        metadata=totals.metadata_bytes / ingested_bytes,
    )
