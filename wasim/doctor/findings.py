"""What is wrong with a table, by thresholds whose sources are named."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from operator import itemgetter
from typing import NamedTuple

from wasim.doctor.remedies import SMALL_FILE_BYTES
from wasim.doctor.table_files import FaultKind, State, StateTotals
from wasim.doctor.tree import Tree
from wasim.errors import WasimError
from wasim.iceberg import ManifestFile
from wasim.ledger import DATA_KINDS, METADATA_KINDS, Kind
from wasim.ledger.trouble import JSON_MARKS, LARGE_MANIFESTS, MANY_MANIFESTS
from wasim.units import format_bytes, format_figure

_LEAST_MANIFESTS = 4
_MOST_MANIFESTS = 5_000


def overlap_of(manifests: Sequence[ManifestFile]) -> float | None:
    """The share of manifests that a query of one partition cannot skip, by the field that skips most.

    For each partition field, the mean over manifests of how many have a range that touches the manifest's own. 1 is no
    pruning at all; 1 ÷ the number of manifests the best there is. None without partition ranges, or for too few
    manifests to say.
    """
    # A manifest of another spec has other fields; of the largest group alone the ranges compare.
    groups: dict[tuple[int, int], list[ManifestFile]] = {}
    for manifest in manifests:
        if manifest.partitions and manifest.content == 0:
            groups.setdefault((manifest.partition_spec_id, len(manifest.partitions)), []).append(manifest)
    group = max(groups.values(), key=len, default=[])
    if not _LEAST_MANIFESTS <= len(group) <= _MOST_MANIFESTS:
        return None
    shares = []
    for place in range(len(group[0].partitions or ())):
        ranges = [
            (_ordered(one.partitions[place].lower_bound), _ordered(one.partitions[place].upper_bound))
            for one in group
            if one.partitions
        ]
        known = [(low, high) for low, high in ranges if low is not None and high is not None]
        if len(known) == len(group):
            shares.append(_mean_overlap(known) / len(group))
    return min(shares, default=None)


def _ordered(bound: bytes | None) -> tuple[int, bytes] | None:
    """A bound as something that sorts as its values do: whole numbers have their least byte first, text has not."""
    if bound is None:
        return None
    if len(bound) in (4, 8):
        # Four letters of text sort wrongly so; overlap is then a guess, as it is for floats.
        return int.from_bytes(bound, "little", signed=True), b""
    return 0, bound


def _mean_overlap(ranges: Sequence[tuple[tuple[int, bytes], tuple[int, bytes]]]) -> float:
    """The mean number of ranges that touch a range, itself included."""
    lows, highs = sorted(map(itemgetter(0), ranges)), sorted(map(itemgetter(1), ranges))
    touching = sum(bisect_right(lows, high) - bisect_left(highs, low) for low, high in ranges)
    return touching / len(ranges)


_LEAST_METADATA_BYTES = 1 << 20  # below, a ratio says nothing
_LEAST_FILES = 32
_LEAST_PARTITIONS = 8


class Severity(IntEnum):
    """The severity of a finding, in ascending order."""

    NOTE = 0
    WARNING = 1
    CRITICAL = 2


class Threshold(NamedTuple):
    """From where on a value is a warning, and from where on critical; in the value's own unit, or `bytes`."""

    name: str
    warning: float
    critical: float
    source: str
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing found, and what mends it. `value` is what was compared with `threshold`, where something was."""

    name: str
    severity: Severity
    text: str
    value: float | None = None
    threshold: float | None = None
    source: str = ""
    examples: tuple[str, ...] = ()
    remedy: str = ""

    @property
    def identity(self) -> str:
        """What a suppression calls it: `WA001`."""
        return KNOWN[self.name].identity


class Known(NamedTuple):
    """What is known of a finding by its name: its identity, which a suppression names, and what mends it.

    A number is given once and never again: from 1 what passes a threshold, from 101 faults of files, from 201 which
    table it is. The remedy is a word on it where nothing mends it.
    """

    identity: str
    remedy: str


KNOWN: Mapping[str, Known] = {
    "metadata_json_bytes": Known("WA001", "expire_snapshots; gzip metadata.json"),
    "snapshots": Known("WA002", "expire_snapshots"),
    "manifests": Known("WA003", "rewrite_manifests"),
    "manifest_bytes": Known("WA004", "rewrite_manifests, or fewer and larger data files by rewrite_data_files"),
    "metadata_share": Known("WA005", "expire_snapshots, then remove_orphan_files; delete-after-commit from then on"),
    "small_file_share": Known("WA006", "rewrite_data_files"),
    "delete_file_share": Known("WA007", "rewrite_data_files with delete-file-threshold 1"),
    "partition_skew": Known("WA008", "none here: another partition spec, for data written from then on"),
    "orphan_share": Known("WA009", "remove_orphan_files"),
    "manifest_overlap": Known("WA010", "rewrite_manifests, which sorts entries by partition"),
    FaultKind.ABSENT_METADATA: Known(
        "WA101", "restore the files from a backup; else roll back to a snapshot that is whole"
    ),
    FaultKind.ABSENT_LOGGED: Known("WA102", "none needed: readers do not use them"),
    FaultKind.ABSENT_DATA: Known(
        "WA103", "restore the files, or roll back to a snapshot that has them; no statement mends it"
    ),
    FaultKind.UNREADABLE: Known("WA104", "read them again; if they stay so, restore them"),
    FaultKind.UNSUPPORTED: Known("WA105", "none here: inspect with an engine that reads them"),
    FaultKind.UNDER_WAY: Known("WA106", "look again in a minute"),
    FaultKind.VANISHED: Known("WA107", "look again: the table is being changed"),
    FaultKind.WRONG_DATA_SIZE: Known("WA108", "restore the files: readers that trust their manifest fail"),
    FaultKind.WRONG_MANIFEST_LENGTH: Known("WA109", "rewrite_manifests writes them anew, if they can be read"),
    FaultKind.WRONG_COUNT: Known("WA110", "rewrite_manifests writes them anew, if they can be read"),
    FaultKind.WRONG_STATISTICS: Known("WA111", "ANALYZE TABLE writes them anew"),
    FaultKind.OUTSIDE: Known("WA112", "none needed"),
    FaultKind.NOT_READ: Known("WA114", "inspect with --outside, if these files are trusted"),
    FaultKind.INCONSISTENT: Known("WA113", "restore metadata.json, or register an earlier one"),
    "past_version": Known("WA201", "inspect the newest metadata.json, or the table by its name in a catalog"),
    "shared_folder": Known("WA202", "give each table a location of its own"),
    "gc_disabled": Known("WA203", "none: files go where all tables that use them are known"),
    "forked": Known("WA208", "let one catalog alone commit to it; drop it from the others without its files"),
    "rivals": Known("WA204", "inspect the table by its name in a catalog"),
    "version_hint": Known("WA205", "none needed: readers look for later versions"),
    "moved": Known("WA206", "none needed here; engines need paths rewritten (rewrite_table_path)"),
    "found_by_tail": Known("WA207", "none needed here; engines need paths rewritten (rewrite_table_path)"),
}

_WARN, _REFUSED = JSON_MARKS[0], JSON_MARKS[2]
THRESHOLDS = {
    one.name: one
    for one in (
        Threshold(
            "metadata_json_bytes", _WARN.value, _REFUSED.value, f"{_WARN.source}; {_REFUSED.source}", unit="bytes"
        ),
        Threshold("snapshots", 500, 9_000, "iceops; trino#30612: 226 ms for every load"),
        Threshold("manifests", 100, MANY_MANIFESTS.value, MANY_MANIFESTS.source),
        Threshold(
            "manifest_bytes", 100_000_000, LARGE_MANIFESTS.value, f"floe; {LARGE_MANIFESTS.source}", unit="bytes"
        ),
        Threshold("metadata_share", 0.05, 0.5, "iceberg-janitor: warns, pauses the writer"),
        Threshold("small_file_share", 0.3, 0.6, "iceops: files below 32 MiB"),
        Threshold("delete_file_share", 0.1, 0.3, "iceops: delete files per data file"),
        Threshold("partition_skew", 10, 100, "wasim: the largest partition's data ÷ the mean"),
        Threshold("orphan_share", 0.1, 0.5, "wasim: orphans' share of all bytes there"),
        Threshold("manifest_overlap", 0.5, 0.9, "wasim: share of manifests a partition may be in"),
    )
}


def thresholds_with(given: Mapping[str, tuple[float, float]]) -> dict[str, Threshold]:
    """The thresholds, some replaced by (warning, critical). WasimError for an unknown name."""
    found = dict(THRESHOLDS)
    for name, (warning, critical) in given.items():
        if name not in found:
            raise WasimError(f"There is no threshold {name}; there are {', '.join(THRESHOLDS)}.")
        found[name] = found[name]._replace(warning=warning, critical=critical, source="given")
    return found


def find(tree: Tree, totals: StateTotals, thresholds: Mapping[str, Threshold]) -> tuple[Finding, ...]:
    """All findings, worst first: of one severity absent data, then whatever else is absent or broken."""
    found = [*_faults(tree), *_choice(tree), *_measured(tree, totals, thresholds)]
    with_remedies = (replace(one, remedy=KNOWN[one.name].remedy) for one in found)
    return tuple(sorted(with_remedies, key=lambda one: (-one.severity, one.name != FaultKind.ABSENT_DATA.value)))


def measures(tree: Tree, totals: StateTotals) -> dict[str, float]:
    """The values that thresholds are for; one that says nothing about so small a table is left out."""
    index, content = tree.index, tree.content
    live = [index.manifests[place] for place in index.live]
    values: dict[str, float] = {
        "metadata_json_bytes": tree.opened.json_bytes,
        "snapshots": len(index.snapshots),
        "manifests": len(live),
        "manifest_bytes": sum(one.manifest_length for one in live),
    }
    metadata, data_bytes = totals.of_kinds(METADATA_KINDS).bytes, live_data_bytes(tree)
    if data_bytes and metadata >= _LEAST_METADATA_BYTES:
        values["metadata_share"] = metadata / data_bytes
    if content is not None:
        sizes = content.live_sizes(Kind.DATA)
        if len(sizes) >= _LEAST_FILES:
            values["small_file_share"] = sum(size < SMALL_FILE_BYTES for size in sizes) / len(sizes)
            values["delete_file_share"] = len(content.live_sizes(Kind.DELETE_FILE)) / len(sizes)
            if (skew := _skew_of(content.live_bytes_by_partition())) is not None:
                values["partition_skew"] = skew
    whole = totals.of_kinds(tuple(Kind)).bytes
    if whole >= _LEAST_METADATA_BYTES:
        values["orphan_share"] = totals.of_kinds(tuple(Kind), State.ORPHAN).bytes / whole
    if (overlap := overlap_of(live)) is not None:
        values["manifest_overlap"] = overlap
    return values


def _skew_of(partition_bytes: Sequence[int]) -> float | None:
    """The largest partition's bytes ÷ the mean; None for too few partitions to say."""
    whole = sum(partition_bytes)
    if len(partition_bytes) < _LEAST_PARTITIONS or not whole:
        return None
    return max(partition_bytes) * len(partition_bytes) / whole


def live_data_bytes(tree: Tree) -> int | None:
    """Bytes of the current snapshot's data and delete files: its manifests' own, else its summary's, else None."""
    if tree.content is not None and tree.is_current_read:
        return sum(sum(tree.content.live_sizes(kind)) for kind in DATA_KINDS)
    current = tree.opened.metadata.current_snapshot_id
    snapshot = next((one for one in tree.index.snapshots if one.snapshot_id == current), None)
    return None if snapshot is None else snapshot.count_of("total-files-size")


def _measured(tree: Tree, totals: StateTotals, thresholds: Mapping[str, Threshold]) -> Iterator[Finding]:
    for name, value in measures(tree, totals).items():
        threshold = thresholds[name]
        if value < threshold.warning:
            continue
        severity = Severity.CRITICAL if value >= threshold.critical else Severity.WARNING
        limit = threshold.critical if severity is Severity.CRITICAL else threshold.warning
        shown, limit_shown = _shown(value, threshold.unit), _shown(limit, threshold.unit)
        yield Finding(
            name=name,
            severity=severity,
            text=f"{name.replace('_', ' ')}: {shown}, from {limit_shown} on {severity.name.lower()}",
            value=value,
            threshold=limit,
            source=threshold.source,
        )


def _shown(value: float, unit: str) -> str:
    return format_bytes(value) if unit == "bytes" else format_figure(value)


_FAULTS = {
    FaultKind.ABSENT_METADATA: (Severity.CRITICAL, "metadata files that others refer to are absent"),
    FaultKind.ABSENT_LOGGED: (Severity.NOTE, "former metadata.json that the metadata log names are absent"),
    FaultKind.ABSENT_DATA: (Severity.CRITICAL, "data or delete files are absent"),
    FaultKind.UNREADABLE: (Severity.CRITICAL, "metadata files cannot be read"),
    FaultKind.UNSUPPORTED: (Severity.WARNING, "metadata files are not read by wasim; what they refer to is unknown"),
    FaultKind.UNDER_WAY: (Severity.NOTE, "metadata.json are not whole yet: a commit seems to be under way"),
    FaultKind.VANISHED: (Severity.NOTE, "files vanished while they were looked at"),
    FaultKind.WRONG_DATA_SIZE: (Severity.CRITICAL, "data or delete files have another size than their manifests say"),
    FaultKind.WRONG_MANIFEST_LENGTH: (Severity.WARNING, "manifests have another length than their lists say"),
    FaultKind.WRONG_COUNT: (Severity.WARNING, "manifests hold other counts of entries than their lists say"),
    FaultKind.WRONG_STATISTICS: (Severity.WARNING, "statistics files have another size than metadata.json says"),
    FaultKind.OUTSIDE: (Severity.NOTE, "files lie outside the table's folder and are not counted"),
    FaultKind.NOT_READ: (
        Severity.WARNING,
        "metadata files lie outside the table's folder and were not read: what they refer to is unknown; --outside"
        " reads those on the same storage",
    ),
    FaultKind.INCONSISTENT: (Severity.CRITICAL, "metadata contradicts itself"),
}


def _faults(tree: Tree) -> Iterator[Finding]:
    for kind, count in tree.faults.counts.items():
        severity, text = _FAULTS[kind]
        if kind is FaultKind.ABSENT_DATA and tree.has_no_data_files:
            severity, text = Severity.WARNING, "data files, all of them, are absent: a tree of metadata alone"
        elif kind is FaultKind.ABSENT_DATA:
            text += f", {tree.missing_live_files:,} of them live"
        yield Finding(
            name=kind.value,
            severity=severity,
            text=f"{count:,} {text}",
            value=count,
            examples=tuple(tree.faults.examples[kind]),
        )


def _choice(tree: Tree) -> Iterator[Finding]:
    chosen, moved_from = tree.opened.chosen, tree.opened.metadata.location
    for blocker in tree.blockers:
        if blocker.name:
            text = f"{blocker.reason}; so no file is called an orphan"
            yield Finding(name=blocker.name, severity=Severity.WARNING, text=text)
    if chosen.rivals:
        rivals = f"{len(chosen.rivals)} other metadata.json have the version of the one taken as current"
        text, examples = f"{rivals}; a catalog would tell which it is", chosen.rivals[:20]
        yield Finding(name="rivals", severity=Severity.WARNING, text=text, examples=examples)
    if not chosen.hint_agrees:
        text = f"version-hint.text says {chosen.hint}, but the current file is {chosen.path}"
        yield Finding(name="version_hint", severity=Severity.WARNING, text=text)
    if tree.places.location_differs:
        text = (
            f"the table says that it lies at {moved_from}: it was moved or copied, and its paths were looked for here"
        )
        yield Finding(name="moved", severity=Severity.NOTE, text=text)
    if tree.places.found_by_tail:
        text = f"{tree.places.found_by_tail:,} paths begin elsewhere and were found by their ends"
        yield Finding(name="found_by_tail", severity=Severity.NOTE, text=text)
