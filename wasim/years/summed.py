"""A case over any horizon, in sums: what the engine of years returns."""

import json
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from wasim.iceberg.properties import TableProperties
from wasim.ledger import METADATA_KINDS, Kind, Ledger, Summed, Totals
from wasim.ledger.vocabulary import MANIFEST_KINDS
from wasim.processes import map_in_processes
from wasim.scenario import Case
from wasim.scenario.change_checks import evolve
from wasim.scenario.cycles import Window, metadata_by_period, moments_of
from wasim.twin import Site, WriterProfile, raced
from wasim.twin.profile import as_written, expiry_within
from wasim.units import DAY_S
from wasim.workload import merged_rows
from wasim.years.band import approximations, band_of
from wasim.years.flows import DATA, DELETES, Flow
from wasim.years.history import History
from wasim.years.json_sizes import OF_RETENTION
from wasim.years.passed_over import passed_over
from wasim.years.raced import landed_of, settled, with_lost
from wasim.years.retention import Grown, Retention
from wasim.years.samples import Samples
from wasim.years.shape import Shape, read_shape


def simulate_years(case: Case, profile: WriterProfile, site: Site) -> Summed:
    """A case in sums, whatever its horizon and whatever happens to its table."""
    case = as_written(case, profile)
    key = f"{shape_key(case)} {site!r} {profile!r}"
    if key not in _SHARED:
        while len(_SHARED) >= MOST_SHARED:
            _SHARED.popitem(last=False)
        _SHARED[key] = YearsOf(profile=profile, site=site)
    return _SHARED[key].simulate(case)


def of_one_writer(case: Case) -> Case:
    """The case of one writer that never rests, on the table as its evolution leaves it."""
    case = as_left(case.without_rests())
    return case if case.writer.writers == 1 else replace(case, writer=case.writer.model_copy(update={"writers": 1}))


def as_left(case: Case) -> Case:
    """The case of a table that was from the beginning as its evolution leaves it."""
    table = case.table
    for evolution in case.evolution:
        table = evolve(table, evolution)
    return replace(case, table=table, evolution=()) if case.evolution else case


def shape_key(case: Case) -> str:
    """What decides the shape of a case's table and commits: all but maintenance, what is retained, and the horizon;
    that too where delete files hold keys, which come from ever more rows.
    """
    table = case.table.model_dump(mode="json")
    table["properties"] = {key: value for key, value in table["properties"].items() if key not in OF_RETENTION}
    parts = [
        table,
        case.writer.model_dump(mode="json") | {"writers": 1},  # how many they are changes no file
        case.workload.model_dump(mode="json"),
        case.changes.model_dump(mode="json"),
        [one.model_dump(mode="json") for one in case.evolution],
        case.environment.model_dump(mode="json")
        | {"catalog": case.environment.catalog == "hadoop"},  # names of its own
        case.commit_interval_s,
        case.clock,
        case.seed,
        case.commits if case.key_columns else None,
    ]
    return json.dumps(parts, sort_keys=True)


def sum_history(case: Case, shape: Shape, grown: Grown) -> Summed:
    """The sums of a case whose manifests and data files had this history: that of any expiry and any metadata log."""
    retention = retention_of(case, shape, grown)
    summed = sum_retained(case, shape, retention)
    return replace(summed, settled=_settled(case, shape, retention, summed.totals))


def grown_of(case: Case, shape: Shape, samples: Samples) -> Grown:
    """The history of a case, and of others that differ in expiry and metadata log."""
    return Grown(samples=samples, json=shape.sizes.json.over(case))


def retention_of(case: Case, shape: Shape, grown: Grown) -> Retention:
    """What a case's expiry and metadata log make of a history."""
    properties = TableProperties.read(case.table.properties)
    return Retention(
        case=case,
        grown=grown,
        log_limit=properties.metadata_previous_versions_max,
        held_share=shape.held_share,
        expires_within=expiry_within(case, shape.sizes.json.expiry) is not None,
    )


def sum_retained(case: Case, shape: Shape, retention: Retention) -> Summed:
    """The sums of a case by what its expiry and metadata log made of a history."""
    return Summed(
        totals=totals_of(case, shape, retention),
        live_bytes=_live_bytes(retention, shape),
        ledger=_ledger(case, retention, shape),
        ingested_bytes=ingested_bytes_of(case, shape),
        operations=(),
        band=band_of(case, shape.arrivals, shape.file_bytes.of(shape.arrivals.rows_per_file), shape.bands),
        approximated=approximations(case, shape.arrivals),
    )


def ingested_bytes_of(case: Case, shape: Shape) -> int:
    """Data bytes that a case's rows arrive in: its writer's, and those that MERGE statements bring."""
    each = shape.ingested_bytes(1) / case.rows_per_commit
    return round(shape.ingested_bytes(case.commits) + each * merged_rows(case))


MOST_SHARED = 16
MOST_SEEN = 200  # commits at which a cycle is looked at, besides jobs


@dataclass(slots=True, kw_only=True)
class YearsOf:
    """Simulates cases whose tables and commits are the same: what they share is found once."""

    profile: WriterProfile
    site: Site
    shape: Shape | None = None
    histories: dict[str, Grown] = field(default_factory=dict)

    def simulate(self, case: Case) -> Summed:
        """The case in sums. What expires, and the metadata log, are all that may differ without a new history."""
        summed = self._sum(case)
        return replace(summed, approximated=(*summed.approximated, *passed_over(case, self.profile)))

    def _sum(self, original: Case) -> Summed:
        case = of_one_writer(original)
        shape, grown = self.shape_of(case), self._history_of(case)
        if original.writer.writers == 1:
            return sum_history(case, shape, grown)
        original, profile = raced(original, self.profile, self.site)
        outcome = settled(original, profile.together)
        landed, samples = landed_of(case, grown.samples, outcome)
        return with_lost(original, sum_history(landed, shape, grown_of(landed, shape, samples)), outcome)

    def _history_of(self, case: Case) -> Grown:
        key = _history_key(case)
        if key not in self.histories:
            self.histories[key] = _stepped_through((self.shape_of(case), case))
        return self.histories[key]

    def shape_of(self, case: Case) -> Shape:
        """What the cases share, read off the first one."""
        if self.shape is None:
            self.shape = read_shape(case, self.profile, self.site)
        return self.shape


def simulate_ahead(cases: Iterable[tuple[YearsOf, Case]]) -> None:
    """Steps through the histories of cases of which each will be simulated, one on each core."""
    alone = [(years.histories, years.shape_of(one), one) for years, case in cases for one in [of_one_writer(case)]]
    parts = {(id(known), key): part for part in alone if (key := _history_key(part[2])) not in (known := part[0])}
    found = map_in_processes(_stepped_through, [part[1:] for part in parts.values()])
    for (_, key), (known, _, _), grown in zip(parts, parts.values(), found, strict=True):
        known[key] = grown


def _stepped_through(part: tuple[Shape, Case]) -> Grown:
    shape, case = part
    history = History(case=case, shape=shape)
    one = replace(case, rests=None)  # of which commits with rows alone count
    window = Window(start_s=one.cycle_since_s(DAY_S), end_s=one.ends_s)
    history.go_on_to(history.commits, moments_of(one, shape.manifest_growth, window))
    return grown_of(case, shape, history.samples())


def _history_key(case: Case) -> str:
    """What decides a history of cases whose shape is the same."""
    kept = case.maintenance
    return f"{kept.rewrite_data_files!r} {kept.rewrite_manifests!r} {case.horizon_s} {case.rests!r}"


_SHARED: OrderedDict[str, YearsOf] = OrderedDict()  # of the cases of one scenario, many share a shape


_MANIFESTS = ((Kind.DATA_MANIFEST, DATA), (Kind.DELETE_MANIFEST, DELETES))
_FILES = ((Kind.DATA, DATA), (Kind.DELETE_FILE, DELETES))


def totals_of(
    case: Case, shape: Shape, retention: Retention, *, counts_deleted: bool = True, counts_json: bool = True
) -> Totals:
    """Files written and deleted, and their bytes, in all; what is deleted, and metadata.json, take long to find, and
    may be left out.
    """
    flows = retention.samples.flows[-1]
    written, files = dict.fromkeys(Kind, 0.0), dict.fromkeys(Kind, 0.0)
    deleted, gone = dict.fromkeys(Kind, 0.0), dict.fromkeys(Kind, 0.0)
    if counts_json:
        files[Kind.METADATA_JSON] = 1 + retention.versions
        written[Kind.METADATA_JSON] = retention.json.created + retention.json_bytes
    files[Kind.MANIFEST_LIST], written[Kind.MANIFEST_LIST] = flows[Flow.SNAPSHOTS], flows[Flow.LIST_BYTES]
    for of, kinds in ((Flow.WRITTEN_MANIFESTS, _MANIFESTS), (Flow.WRITTEN_FILES, _FILES)):
        for kind, group in kinds:
            files[kind], written[kind] = (flows[of + group + place] for place in (0, 1))
    if counts_deleted:
        gone[Kind.MANIFEST_LIST] = retention.gone
        deleted[Kind.MANIFEST_LIST] = retention.deleted(Flow.LIST_BYTES)
        for kind, group in _MANIFESTS:
            replaced = Flow.REPLACED_MANIFESTS + group
            gone[kind] = flows[Flow.WASTED_MANIFESTS + group] + retention.deleted(replaced)
            deleted[kind] = flows[Flow.WASTED_MANIFESTS + group + 1] + retention.deleted(replaced + 1)
        for kind, group in _FILES:
            gone[kind], deleted[kind] = (retention.deleted(Flow.REMOVED_FILES + group + place) for place in (0, 1))
        gone[Kind.METADATA_JSON], deleted[Kind.METADATA_JSON] = _deleted_json(case, retention)
    if case.environment.catalog == "hadoop":
        _add_version_hints(files, written, gone, deleted)
    for kind, more in shape.others.items():
        for column in (files, written, gone, deleted):
            column[kind] *= 1 + more
    return Totals(
        written_bytes={kind: round(written[kind]) for kind in Kind},
        deleted_bytes={kind: round(min(deleted[kind], written[kind])) for kind in Kind},
        files_written={kind: round(files[kind]) for kind in Kind},
        files_deleted={kind: round(min(gone[kind], files[kind])) for kind in Kind},
    )


def _deleted_json(case: Case, retention: Retention) -> tuple[float, float]:
    """metadata.json deleted: as it leaves the log, if the table says so, or by the removal of orphans."""
    properties = TableProperties.read(case.table.properties)
    files, size = 1 + retention.versions, retention.json.created + retention.json_bytes
    kept = properties.metadata_previous_versions_max + 1
    if properties.metadata_delete_after_commit_enabled:
        if files <= kept:
            return 0.0, 0.0
        return files - kept, size - retention.last_versions(kept)
    return removed_json(case, retention, case.ends_s)


def _last_removal_s(case: Case, until_s: float) -> float:
    """The event time of the last removal of orphans until another; 0 where there is none."""
    orphans = case.maintenance.remove_orphan_files
    return 0.0 if orphans is None else int(until_s / orphans.every + 1e-9) * orphans.every


def removed_json(case: Case, retention: Retention, until_s: float) -> tuple[float, float]:
    """metadata.json that removals of orphans have deleted until an event time: how many, and their bytes."""
    orphans = case.maintenance.remove_orphan_files
    if orphans is None:
        return 0.0, 0.0
    kept = TableProperties.read(case.table.properties).metadata_previous_versions_max + 1
    last_s = _last_removal_s(case, until_s)
    old = retention.commits_by(last_s - orphans.older_than)
    if old <= 0:
        return 0.0, 0.0
    written, through = retention.json_bytes_through(old - 1)
    logged, _ = retention.json_bytes_through(retention.commits_by(last_s))
    if written > logged - kept:  # the log itself protects them
        least = max(0.0, logged - kept)
        _, through = retention.json_bytes_through((old - 1) * least / max(written, 1.0))
        written = least
    return 1 + written, retention.json.created + through


def _add_version_hints(
    files: dict[Kind, float], written: dict[Kind, float], gone: dict[Kind, float], deleted: dict[Kind, float]
) -> None:
    """Hadoop's catalog writes the number of each version into a file of its own, in place of the one before."""
    versions = round(files[Kind.METADATA_JSON])
    digits, least = 0.0, 1
    while least <= versions:
        digits += versions - least + 1
        least *= 10
    files[Kind.VERSION_HINT], written[Kind.VERSION_HINT] = versions, digits
    gone[Kind.VERSION_HINT], deleted[Kind.VERSION_HINT] = versions - 1, digits - len(str(versions))


def _settled(case: Case, shape: Shape, retention: Retention, totals: Totals) -> dict[str, float]:
    """The table once it has settled, by metric: the most that it holds, and what an hour, a day writes."""
    samples, expiries = retention.samples, retention.expiries.commits
    first, last = retention.commits_by(case.ends_s / 2), float(samples.commits[-1])
    rows = slice(int(samples.commits.searchsorted(min(first, last - 1), side="right")), None)
    even = np.rint(np.linspace(min(first + 1, last), last, MOST_SEEN))
    turns = slice(*expiries.searchsorted([first, last], side="right").tolist())
    made = retention.made_by(np.unique(np.concatenate([even, expiries[turns]])))
    on_disk = float(totals.metadata_on_disk_bytes)
    before = before_expiries(case, retention, totals, since_s=case.ends_s / 2)
    most = (on_disk, before_removal(case, retention, totals), 0.0 if before is None else before.most)
    return {
        "metadata_json_bytes": max(retention.last_json_bytes, float(retention.json_of(made, made).max())),
        "metadata_on_disk_bytes": max(most),
        "manifests": float(np.rint((samples.data_manifests[rows] + samples.delete_manifests[rows]).max())),
        "snapshots": float(np.rint(retention.retained(made).max())),
        "files": float(np.rint(samples.entries[rows].max())),
        "delete_files": float(np.rint(samples.delete_files[rows].max())),
        **metadata_by_period(case, shape.manifest_growth, retention.merged_by, retention.json_since),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class BeforeExpiries:
    """Metadata on disk just before expiries, in bytes: before the fullest, and such that the mean of it and of what is
    left after the last one is that of all time.
    """

    most: float
    mean: float


def before_expiries(case: Case, retention: Retention, totals: Totals, *, since_s: float) -> BeforeExpiries | None:
    """Metadata on disk just before expiries: the mean after an event time, the most in the later half of the horizon;
    None where there are none then. Most is before the last, before the one that finds most but for metadata.json, of
    which there are ever more, or before the last one that a removal of orphans follows.
    """
    expiries = retention.expiries.commits
    since, later = (retention.commits_by(one_s) for one_s in (since_s, case.ends_s / 2))
    bounds = max(min(since, later), 1.0), retention.samples.commits[-1]  # the first row is no expiry
    turns = slice(*expiries.searchsorted(bounds, side="right").tolist())
    if turns.stop <= turns.start or expiries[turns.stop - 1] <= max(since, later):
        return None
    held, before = retention.held(turns), retention.before_expiry(turns)
    of_mean, of_most = expiries[turns].searchsorted([since, later], side="right").tolist()
    properties, found = TableProperties.read(case.table.properties), list[float]()
    removal = expiries[turns].searchsorted(retention.commits_by(_last_removal_s(case, case.ends_s)), side="right") - 1
    for place in sorted({of_most + int(held[of_most:].argmax()), max(of_most, int(removal)), len(held) - 1}):
        commits = float(before[place])
        if properties.metadata_delete_after_commit_enabled:
            made = float(retention.made_by(np.array([commits]))[0])
            versions, _ = retention.json_bytes_through(commits)
            json = retention.versions_until(made, versions, properties.metadata_previous_versions_max + 1)
        else:
            json = _json_before_removal(
                case, retention, commits, float(retention.times_of(before[place : place + 1])[0])
            )
        found.append(float(held[place]) + json)
    known = (*MANIFEST_KINDS, Kind.MANIFEST_LIST, Kind.METADATA_JSON)
    others = sum(size for kind, size in totals.on_disk_bytes.items() if kind in METADATA_KINDS and kind not in known)
    mean = found[-1] + 2 * float(held[of_mean:].mean() - held[-1])
    return BeforeExpiries(most=max(found) + others, mean=mean + others)


def _json_before_removal(case: Case, retention: Retention, commits: float, time_s: float) -> float:
    """Bytes of metadata.json on disk after this commit of the writer, before a removal of orphans at its event time."""
    _, written = retention.json_bytes_through(commits)
    _, removed = removed_json(case, retention, time_s * (1 - 1e-6))
    return retention.json.created + written - removed


def before_removal(case: Case, retention: Retention, totals: Totals) -> float:
    """Metadata on disk of a table that nothing expires from, just before the last removal of orphans; 0 where there is
    none, or old metadata.json are deleted after commits.
    """
    properties, last_s = TableProperties.read(case.table.properties), _last_removal_s(case, case.ends_s)
    if not last_s or case.maintenance.expire_snapshots or properties.metadata_delete_after_commit_enabled:
        return 0.0
    commits = retention.commits_by(last_s)
    kept = retention.samples.kept_bytes
    later = float(kept[-1] - retention.samples.after_commits(np.array([commits]), kept)[0])
    json = _json_before_removal(case, retention, commits, last_s)
    return totals.metadata_on_disk_bytes - later - totals.on_disk_bytes[Kind.METADATA_JSON] + json


def _live_bytes(retention: Retention, shape: Shape) -> dict[Kind, int]:
    samples = retention.samples
    flows, live = samples.flows[-1], dict.fromkeys(Kind, 0)
    live[Kind.METADATA_JSON] = round(retention.last_json_bytes)
    live[Kind.MANIFEST_LIST] = round(samples.list_bytes[-1])
    live[Kind.DATA_MANIFEST] = round(samples.data_manifest_bytes[-1])
    live[Kind.DELETE_MANIFEST] = round(samples.delete_manifest_bytes[-1])
    for kind, group in _FILES:
        live[kind] = round(flows[Flow.WRITTEN_FILES + group + 1] - flows[Flow.REMOVED_FILES + group + 1])
    return live


def _ledger(case: Case, retention: Retention, shape: Shape) -> Ledger:
    """Some commits of the writer, the last one among them, which counts what follows it: maintenance, idle commits; and
    the table is as these leave it.
    """
    table, end = retention.samples.checkpoints, retention.samples
    manifests = np.append(table.manifests[:-1], round(end.data_manifests[-1] + end.delete_manifests[-1]))
    commits, snapshots, unknown = table.commits, table.snapshots, np.full(len(table.commits), np.nan)
    counted = np.append(snapshots[:-1], retention.samples.snapshots[-1])
    json_bytes = np.rint(retention.json_of(snapshots, snapshots)).astype(np.int64)
    written = dict.fromkeys(Kind, np.zeros(len(commits), dtype=np.int64))
    latest = shape.at(case.commits)
    written |= {kind: np.full(len(commits), round(size)) for kind, size in _written_by_commit(latest).items()}
    if case.writer.upsert is not None and shape.sizes.row_deltas is None:  # what it rewrites goes with the table
        for of, kinds in ((Flow.WRITTEN_MANIFESTS, _MANIFESTS), (Flow.WRITTEN_FILES, _FILES)):
            written |= {kind: retention.samples.by_commit(of + group + 1) for kind, group in kinds}
    operation = "upsert" if case.key_columns else "append"
    return Ledger(
        commit=np.rint(counted).astype(np.int64),
        operation=np.full(len(commits), operation, dtype=object),
        snapshot_operation=np.full(len(commits), "overwrite" if case.key_columns else "append", dtype=object),
        snapshot_id=unknown,
        event_time_s=retention.times_of(commits.astype(np.float64)),
        reported_at_s=unknown,
        commit_ms=unknown,
        step_ms=unknown,
        attempts=np.ones(len(commits)),
        manifests_created=unknown,
        manifests_kept=unknown,
        manifests_replaced=unknown,
        live_manifests=manifests,
        live_entries=np.append(table.entries[:-1], round(end.entries[-1])),
        entries_added=np.full(len(commits), latest.arrivals.files),
        entries_processed=unknown,
        snapshots_retained=np.rint(retention.retained(counted)).astype(np.int64),
        records_added=np.full(len(commits), float(case.rows_per_commit)),
        records_live=np.asarray(commits * float(case.rows_per_commit), dtype=np.float64),
        data_bytes_live=table.live_bytes,
        wasted_bytes=unknown,
        written_bytes=written | {Kind.METADATA_JSON: json_bytes, Kind.MANIFEST_LIST: table.list_bytes},
        deleted_bytes=dict.fromkeys(Kind, unknown),
        files_written=dict.fromkeys(Kind, unknown),
    )


def _written_by_commit(shape: Shape) -> dict[Kind, float]:
    """Bytes of what a commit of the writer brings, apart from metadata.json and its list."""
    arrivals, sizes = shape.arrivals, shape.sizes
    manifests = sum(one.count * one.bytes for one in sizes.data_manifests.of_commit(arrivals.files))
    found = {Kind.DATA_MANIFEST: manifests, Kind.DATA: arrivals.files * shape.file_bytes.of(arrivals.rows_per_file)}
    if sizes.row_deltas is not None:
        found |= {Kind.DELETE_MANIFEST: sizes.delete_manifests.new, Kind.DELETE_FILE: sizes.row_deltas.bytes}
    return found
