"""What a table's metadata would have come to, and comes to, at other intervals and with other maintenance.

The table is read as a case and simulated in sums from its first commit on: up to now, and on through the time ahead,
with the sizes that its own files have, and with what its commits do that a case cannot say.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from wasim import forecast
from wasim.doctor.as_case import TableCase, case_of
from wasim.doctor.history import is_counted_by_versions, snapshots_made
from wasim.doctor.inspection import Inspection, live_bytes
from wasim.doctor.upkeep import expiry_places, maintenance_of
from wasim.errors import WasimError
from wasim.forecast.ahead import longer_steps, shorter_step
from wasim.iceberg import TableMetadata
from wasim.iceberg.properties import MAX_SNAPSHOT_AGE_MS, MIN_SNAPSHOTS_TO_KEEP, TableProperties
from wasim.iceberg.retention import Expiry, has_expired, retained_snapshots
from wasim.iceberg.snapshots import SnapshotRef
from wasim.ledger import Kind
from wasim.report.words import KIND_NAMES
from wasim.scenario import Case
from wasim.scenario.changes import Maintenance
from wasim.twin import Site
from wasim.units import YEAR_S, format_duration

_GROWING = ("snapshots", "snapshot-log", "refs")
_STATISTICS = ("statistics", "partition-statistics")
_LEAST_REFS = 3  # from which on branches and tags count as growing with the snapshots
_LONGER = 3
_MOST_AGE_S = 100 * YEAR_S
_BY_VERSIONS = (
    "its commits so far are estimated by its versions of metadata.json, as snapshots without sequence numbers expired"
)
_COMPARED = (Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA_MANIFEST)


def observe(inspection: Inspection) -> forecast.Observed:
    """The table's own sizes, and what its commits do that no case can say: those that add no data and are no
    maintenance, versions without a snapshot, and what branches and tags hold.
    """
    index = inspection.tree.index
    simulated = [one.adds_data or one.operation == "replace" for one in index.snapshots]
    others = simulated.count(False) / max(1, simulated.count(True))
    return forecast.Observed(
        made=float(snapshots_made(inspection.tree, inspection.history)),
        json=_found_json(inspection),
        lists=_found_lists(inspection),
        manifests=_found_manifests(inspection),
        others=others,
        other_manifests=_other_manifests(inspection, simulated),
        versions=_versions_per_snapshot(inspection, others),
        held_share=_held_share(inspection),
    )


def _found_json(inspection: Inspection) -> forecast.FoundJson:
    opened, parts = inspection.tree.opened, inspection.parts.bytes
    metadata = opened.metadata
    growing = [part for part in _GROWING if part != "refs" or len(metadata.refs) >= _LEAST_REFS]
    has_statistics = bool(metadata.statistics or metadata.partition_statistics)
    growing_bytes = sum(parts[part] for part in growing)
    statistics_bytes = sum(parts[part] for part in _STATISTICS) if has_statistics else 0
    around = len(opened.json_text) - growing_bytes - statistics_bytes - parts["metadata-log"]
    count, logged = max(1, len(metadata.snapshots)), len(metadata.metadata_log)
    # of a log with fewer entries than there are snapshots, as after a branch, each further one has as many bytes
    unlogged = parts["snapshot-log"] * (1 / max(1, len(metadata.snapshot_log)) - 1 / count)
    return forecast.FoundJson(
        around=float(around),
        log_entry=parts["metadata-log"] / logged if logged else 0.0,
        snapshot=growing_bytes / count + unlogged,
        statistics=statistics_bytes / count,
        snapshots=count,
        logged=logged,
        stored_bytes=opened.json_bytes,
        is_compressed=opened.is_compressed,
        band=_json_band(inspection, float(around), (growing_bytes + statistics_bytes) / count),
    )


def _json_band(inspection: Inspection, around: float, snapshot: float) -> float:
    """How far 90 % of the versions whose snapshots are all still known are from what the current one says of them."""
    versions, tree = inspection.history.versions, inspection.tree
    log = len(tree.opened.metadata.metadata_log)
    log_entry = inspection.parts.bytes["metadata-log"] / log if log else 0.0
    stamps = np.sort([one.timestamp_ms for one in tree.index.snapshots])
    held = np.searchsorted(stamps, np.array(versions.updated_ms), side="right")
    sizes = tree.stored_share * (around + held * snapshot + log_entry * versions.log_entries)
    known = ~np.isnan(versions.bytes) & (held > 0)
    if has_expired(tree.opened.metadata):
        known[: max(expiry_places(versions), default=len(known))] = False
    if not known.any():
        return 0.0
    return forecast.band_of(sizes[known], versions.bytes[known])


def _found_lists(inspection: Inspection) -> forecast.FoundFiles:
    counts = np.array(inspection.tree.index.counts, dtype=np.float64)
    written = inspection.history.ledger.written_bytes[Kind.MANIFEST_LIST]
    known = inspection.history.known[Kind.MANIFEST_LIST] & (counts > 0)
    return forecast.FoundFiles(counts=counts[known], new=counts[known], bytes=written[known].astype(np.float64))


def _found_manifests(inspection: Inspection) -> forecast.FoundFiles:
    """Manifests of data. Those that list entries as deleted are of commits that a case does not have."""
    rows = [
        (one.added_files_count + one.existing_files_count, one.added_files_count, one.manifest_length)
        for one in inspection.tree.index.manifests
        if one.content == 0
        and one.added_files_count is not None
        and one.existing_files_count is not None
        and not one.deleted_files_count
        and one.added_files_count + one.existing_files_count > 0 < one.manifest_length
    ]
    counts, new, sizes = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    return forecast.FoundFiles(counts=counts, new=new, bytes=sizes)


def _other_manifests(inspection: Inspection, simulated: list[bool]) -> float:
    """Bytes of manifests that other commits wrote, for each byte that commits which a case has wrote of manifests."""
    written = inspection.history.ledger.written_bytes
    sizes = (written[Kind.DATA_MANIFEST] + written[Kind.DELETE_MANIFEST]).astype(np.float64)
    is_simulated = np.array(simulated, dtype=bool)
    return float(sizes[~is_simulated].sum() / max(1.0, sizes[is_simulated].sum()))


def _versions_per_snapshot(inspection: Inspection, others: float) -> float | None:
    """metadata.json for each snapshot that a case has, without what expiries write, which is simulated on its own."""
    history = inspection.history
    made = int(history.known[Kind.METADATA_JSON].sum())
    if not made:
        return None
    since = len(history.versions) - round(history.versions_per_commit * made)
    expired = sum(place >= since for place in expiry_places(history.versions))
    return max(1.0, history.versions_per_commit - expired / made) * (1 + others)


def _held_share(inspection: Inspection) -> float:
    """The share of all snapshots ever made that branches and tags other than main hold, whatever expires."""
    metadata = inspection.tree.opened.metadata
    now_ms = round(inspection.tree.opened.listed_at_s * 1000)
    newest_ms = max((one.timestamp_ms for one in metadata.snapshots), default=0)
    expiry = Expiry(now_ms=now_ms, older_than_ms=max(now_ms, newest_ms) + 1, retain_last=1)
    main = replace(metadata, refs={name: ref for name, ref in metadata.refs.items() if name == "main"})
    held = retained_snapshots(metadata, expiry) - retained_snapshots(main, expiry)
    return len(held) / max(1, snapshots_made(inspection.tree, inspection.history))


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospect:
    """One way to write and to maintain the table, kept to from its first commit on.

    `written_so_far_bytes` is metadata written until now, `written_ahead_bytes` in the time ahead; the others are what
    stands at its end.
    """

    name: str
    written_so_far_bytes: int
    written_ahead_bytes: int
    on_disk_bytes: int
    metadata_json_bytes: int
    manifests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One thing of the table now, as simulated and as found: files of a kind, or their bytes. `profile` is what it
    would be by the sizes of its writer's profile alone.
    """

    name: str
    simulated: int
    found: int
    profile: int
    is_bytes: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What is ahead of a table: the way it is written now first, then other intervals, then remedies.

    `now` tells how far the simulation can be trusted, a row for each kind of file; `band` is the relative half-width of
    what is written, by the table's own files; None where commits changed rows, which a case leaves out. `notes` say
    what of the table a case cannot say, and what of the case was ignored or replaced by its mean.
    """

    ahead_s: float
    commits_so_far: int
    commit_interval_s: float
    maintenance: Maintenance
    prospects: tuple[Prospect, ...]
    now: tuple[Compared, ...]
    band: float | None
    observed: forecast.Observed
    notes: tuple[str, ...]

    @property
    def maintenance_words(self) -> str:
        """The jobs with their periods, in a few words."""
        jobs = [
            f"{name} every {format_duration(round(job.every))}" for name, job in self.maintenance if job is not None
        ]
        return ", ".join(jobs) or "no maintenance"


def outlook_of(inspection: Inspection, ahead_s: float) -> Outlook:
    """The outlook over `ahead_s` seconds. WasimError for a table whose history tells no case, or no age."""
    table, observed = case_of(inspection), observe(inspection)
    maintenance = maintenance_of(inspection.tree, inspection.history)
    case = replace(table.at_its_pace, maintenance=maintenance)
    case = forecast.with_change(case, _own_limits(inspection.tree.opened.metadata))
    age_s = _age_s(inspection, table, case.commit_interval_s)
    forecasts = forecast.TableForecasts(
        case=case, observed=observed, site=Site(location=inspection.tree.opened.metadata.location)
    )

    def both(one: Case) -> tuple[forecast.Forecast, forecast.Forecast]:
        interval_s = one.commit_interval_s
        until_s = max(interval_s, age_s), max(2 * interval_s, age_s + ahead_s)
        now, then = (forecasts.over(one, horizon_s) for horizon_s in until_s)
        return now, then

    now, then = both(case)
    prospects = [_prospect("as it is", now, then), *(_prospect(name, *both(other)) for name, other in _others(case))]
    return Outlook(
        ahead_s=ahead_s,
        commits_so_far=round(age_s / case.commit_interval_s),
        commit_interval_s=case.commit_interval_s,
        maintenance=maintenance,
        prospects=tuple(prospects),
        now=tuple(_compared(inspection, now, forecasts.as_its_profile_has_it(age_s))),
        band=None if any(one.changes_rows for one in inspection.tree.index.snapshots) else then.band,
        observed=observed,
        notes=(
            *table.notes,
            *([_BY_VERSIONS] if is_counted_by_versions(inspection.tree) else []),
            *(sentence.removesuffix(".") for sentence in then.run.approximated),
        ),
    )


def _own_limits(metadata: TableMetadata) -> dict[str, str]:
    """The limits of expiry that main has, or the table: properties that no metadata file's size depends on."""
    main = metadata.refs.get("main", SnapshotRef(snapshot_id=0))
    limits = {MAX_SNAPSHOT_AGE_MS: main.max_snapshot_age_ms, MIN_SNAPSHOTS_TO_KEEP: main.min_snapshots_to_keep}
    values = TableProperties.read_leniently(metadata.properties)
    of_table = {MAX_SNAPSHOT_AGE_MS: values.max_snapshot_age_ms, MIN_SNAPSHOTS_TO_KEEP: values.min_snapshots_to_keep}
    given = {key: of_table[key] if of_main is None else of_main for key, of_main in limits.items()}
    return {key: str(value) for key, value in given.items() if key in metadata.properties or limits[key] is not None}


def _compared(inspection: Inspection, now: forecast.Forecast, profile: forecast.Forecast) -> Iterator[Compared]:
    """metadata.json, lists and manifests, each apart: errors in two of them could cancel in a sum."""
    live, index = live_bytes(inspection), inspection.tree.index
    for kind in _COMPARED:
        sizes = (one.run.live_bytes.get(kind, 0) for one in (now, profile))
        yield Compared(name=KIND_NAMES[kind], simulated=next(sizes), found=live[kind], profile=next(sizes))
    of_own, of_profile = (int(one.run.ledger.live_manifests[-1]) for one in (now, profile))
    manifests = of_own, len(index.live), of_profile
    lists = ((one.run.totals.files_written, one.run.totals.files_deleted) for one in (now, profile))
    kept, own = (written[Kind.MANIFEST_LIST] - deleted[Kind.MANIFEST_LIST] for written, deleted in lists)
    snapshots = kept, len(index.snapshots), own
    for name, (simulated, found, by_profile) in (("live manifests", manifests), ("snapshots", snapshots)):
        yield Compared(name=name, simulated=simulated, found=found, profile=by_profile, is_bytes=False)


def _age_s(inspection: Inspection, table: TableCase, interval_s: float) -> float:
    """How long a table was written at this interval to have as many commits. WasimError beyond a century."""
    left = len(inspection.tree.index.snapshots)
    appends = round(table.case.horizon_s / table.case.commit_interval_s)
    commits = max(1, round(snapshots_made(inspection.tree, inspection.history) * appends / left))
    if commits * interval_s > _MOST_AGE_S:
        location, every = inspection.tree.opened.location, format_duration(interval_s)
        raise WasimError(
            f"{location}: {commits:,} commits, one every {every}, took more than a century."
            " Its last-sequence-number counts no commits, or --commit-interval is shorter."
        )
    return commits * interval_s


def _others(case: Case) -> Iterator[tuple[str, Case]]:
    """The same rows at other intervals: one step shorter, three longer; then the remedies that are not taken yet."""
    shorter, longer = shorter_step(0.9 * case.commit_interval_s), longer_steps(1.1 * case.commit_interval_s)
    for interval_s in (*([] if shorter is None else [shorter]), *longer[:_LONGER]):
        yield f"every {format_duration(interval_s)}", replace(case, commit_interval_s=interval_s)
    everything, count = case, 0
    for name, _, change in forecast.missing_remedies(case):
        yield f"+ {name}", forecast.with_change(case, change)
        everything, count = forecast.with_change(everything, change), count + 1
    if count > 1:
        yield "+ all of these", everything


def _prospect(name: str, now: forecast.Forecast, then: forecast.Forecast) -> Prospect:
    return Prospect(
        name=name,
        written_so_far_bytes=now.written_bytes,
        written_ahead_bytes=max(0, then.written_bytes - now.written_bytes),
        on_disk_bytes=then.most("metadata_on_disk_bytes"),
        metadata_json_bytes=then.most("metadata_json_bytes"),
        manifests=then.most("manifests"),
    )
