"""An inspection as one JSON document; `SCHEMA_VERSION` changes when a key changes its meaning."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from wasim.doctor.findings import Finding, measures
from wasim.doctor.history import Spread
from wasim.doctor.inspection import Inspection
from wasim.doctor.json_parts import summary_key_bytes
from wasim.doctor.opening import OpenedTable
from wasim.doctor.remedies import Remedy
from wasim.doctor.table_files import FileState, State
from wasim.doctor.tree import Tree
from wasim.errors import printable
from wasim.ledger import Kind
from wasim.ledger.trouble import MARKS

if TYPE_CHECKING:
    from wasim.doctor.outlook import Outlook

SCHEMA_VERSION = 1


def inspection_document(
    inspection: Inspection, *, files: bool = False, outlook: "Outlook | None" = None
) -> dict[str, Any]:
    """The document. Sizes are bytes, times seconds unless their names say otherwise, moments ISO 8601 in UTC."""
    tree = inspection.tree
    document: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "table": _table(tree.opened),
        "files": _states(inspection),
        "metadata_bytes": inspection.metadata_bytes,
        "live_metadata_bytes": inspection.live_metadata_bytes,
        "live_data_bytes": inspection.live_data_bytes,
        "metadata_share": inspection.metadata_share,
        "metadata_json": {
            "bytes": tree.opened.json_bytes,
            "text_bytes": inspection.parts.total_bytes,
            "is_compressed": tree.opened.is_compressed,
            "parts_bytes": dict(inspection.parts.bytes),
            "growth_bytes_per_commit": dict(inspection.parts.growth_bytes),
            "summary_key_bytes": {printable(k, 100): v for k, v in summary_key_bytes(tree.opened.metadata).items()},
        },
        "full_scan_ms": {"load": inspection.full_scan_ms[0], "planning": inspection.full_scan_ms[1]},
        "machine": inspection.machine.words,
        "history": _history(inspection),
        "growth": _growth(inspection),
        "measures": measures(tree, inspection.totals),
        "no_orphans_because": [printable(one.reason, 1_000) for one in tree.blockers],
        "remedies": [_remedy(one) for one in inspection.remedies],
        "findings": [_finding(one) for one in inspection.findings],
    }
    if outlook is not None:
        document["outlook"] = _outlook(outlook)
    if files:
        document["file_verdicts"] = list(file_rows(inspection))
    return document


def _table(opened: OpenedTable) -> dict[str, Any]:
    metadata, chosen = opened.metadata, opened.chosen
    return {
        "location": printable(opened.location, 1_000),
        "metadata_location": printable(metadata.location, 1_000),
        "metadata_file": printable(chosen.path, 1_000),
        "why": printable(chosen.why),
        "rivals": [printable(one, 1_000) for one in chosen.rivals],
        "version_hint": chosen.hint,
        "version_hint_agrees": chosen.hint_agrees,
        "table_uuid": metadata.table_uuid,
        "format_version": metadata.format_version,
        "current_snapshot_id": metadata.current_snapshot_id,
        "snapshots": len(metadata.snapshots),
        "refs": len(metadata.refs),
        "last_updated": moment(metadata.last_updated_ms / 1000),
    }


def moment(seconds: float) -> str | None:
    """ISO 8601 of seconds since the epoch; None where no calendar has them."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, OSError):
        return None


def moment_words(seconds: float) -> str:
    """The same for a reader."""
    return moment(seconds) or "a year that no calendar has"


def file_rows(inspection: Inspection) -> Iterator[dict[str, Any]]:
    """A row for each file of the table's folder: may it be deleted, and why."""
    for file in sorted(inspection.tree.files, key=lambda one: (list(State).index(one.state), one.key)):
        yield {
            "file": printable(file.key, 1_000),
            "bytes": file.bytes,
            "kind": None if file.kind is None else file.kind.value,
            "state": file.state.value,
            "modified": moment(file.modified_s),
            "may_delete": file.state is State.ORPHAN,
            "reason": printable(file.reason or _reason(file, inspection.tree), 1_000),
        }


def _reason(file: FileState, tree: Tree) -> str:
    if file.state is State.LIVE:
        return "the current snapshot or its metadata.json needs it"
    if file.state is State.METADATA_LOG:
        return "the metadata log names it; readers do not need it, and delete-after-commit or a shorter log lets it go"
    if file.last_seen is None or not 0 <= file.last_seen < len(tree.index.snapshots):
        return "a retained snapshot refers to it; expire_snapshots lets it go"
    snapshot = tree.index.snapshots[file.last_seen]
    at = moment_words(snapshot.timestamp_ms / 1000)
    return f"snapshot {snapshot.snapshot_id} of {at} needs it; expire_snapshots past that one lets it go"


def _states(inspection: Inspection) -> dict[str, Any]:
    totals = inspection.totals
    states: dict[str, Any] = {
        kind.value: {state.value: asdict(totals.of(kind, state)) for state in State if totals.of(kind, state).files}
        for kind in Kind
        if totals.of(kind).files
    }
    if totals.other.files:
        states["neither"] = {State.OTHER.value: asdict(totals.other)}
    return states


def _spread(spread: Spread | None) -> dict[str, float] | None:
    return None if spread is None else {"median": spread.median, "p10": spread.low, "p90": spread.high}


def _history(inspection: Inspection) -> dict[str, Any]:
    history = inspection.history
    return {
        "commits": len(history.ledger),
        "span_s": history.span_s,
        "commits_per_hour": history.commits_per_hour,
        "interval_s": _spread(history.interval_s),
        "interval_source": history.interval_source,
        "operations": {printable(key, 100): count for key, count in history.operations.items()},
        "writers": {printable(key, 200): count for key, count in history.writers.items()},
        "bytes_per_commit": {
            kind.value: _spread(spread) for kind in Kind if (spread := history.bytes_per_commit(kind)) is not None
        },
    }


def _growth(inspection: Inspection) -> dict[str, Any]:
    growth = inspection.growth
    return {
        "per_day": {name: trend.per_day for name, trend in growth.trends.items()},
        "now": {name: trend.now for name, trend in growth.trends.items()},
        "days_until": [
            {
                "mark": mark.name,
                "days": growth.days_until[mark.name],
                "days_of_other_size": growth.days_until_other.get(mark.name),
                "is_stored": mark.is_stored,
                "source": mark.source,
                "link": mark.link,
            }
            for mark in MARKS
        ],
    }


def _outlook(outlook: "Outlook") -> dict[str, Any]:
    return {
        "ahead_s": outlook.ahead_s,
        "commits_so_far": outlook.commits_so_far,
        "commit_interval_s": outlook.commit_interval_s,
        "maintenance": outlook.maintenance.model_dump(mode="json", exclude_none=True),
        "now": [asdict(one) for one in outlook.now],
        "band": outlook.band,
        "prospects": [asdict(one) for one in outlook.prospects],
        "notes": [printable(one) for one in outlook.notes],
    }


def _remedy(remedy: Remedy) -> dict[str, Any]:
    return {
        "name": remedy.name,
        "frees": {kind.value: asdict(amount) for kind, amount in remedy.frees.items()},
        "frees_bytes": remedy.total.bytes,
        "json_bytes_saved": remedy.json_bytes_saved,
        "is_estimate": remedy.is_estimate,
        "is_alternative": remedy.is_alternative,
        "blocked": remedy.blocked or None,
        "note": remedy.note,
        "sql": remedy.sql,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    shown = {"severity": finding.severity.name.lower(), "text": printable(finding.text, 1_000)}
    examples = [printable(one, 1_000) for one in finding.examples]
    return {"id": finding.identity} | asdict(finding) | shown | {"examples": examples}
