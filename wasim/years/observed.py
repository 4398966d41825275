"""What the recurrence has no rule for: observed in a short exact simulation of few rows, and carried on by its trend.

Statements that change rows touch files in ways that depend on every row. A short history shows what one commit then
writes, and how that grows as the table does; over a long one, that is an estimate.
"""

from dataclasses import dataclass, replace

import numpy as np

from wasim.errors import WasimError
from wasim.ledger import Action, Kind, Recording, sum_events
from wasim.ledger.vocabulary import METADATA_KINDS
from wasim.scenario import Case
from wasim.scenario.changes import Changes, Maintenance
from wasim.scenario.evolve import evolve
from wasim.twin import Simulated, Site, WriterProfile, simulate_table
from wasim.units import Floats
from wasim.years.arrivals import with_rows
from wasim.years.flows import DATA, DELETES, WIDTH, Flow
from wasim.years.history import Samples

COMMITS = 60  # observed
ROWS = 60  # of each, at most
PERIODS_SEEN = 8  # of the rarest change
POINTS = 160
RACED = 120  # commits of a race between writers
GROWS = 0.02  # by which a rate must grow over half of what was observed, to be taken as growing


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """A case's history as a short simulation suggests it, and what of metadata.json it shows.

    `json_share` is how many metadata.json are written for each snapshot. `spread` is how far the second half of what
    was observed lay from what the first one suggested, relatively, by kind.
    """

    samples: Samples
    json_share: float
    spread: dict[Kind, float]
    sentences: tuple[str, ...]


def needs_observation(case: Case) -> bool:
    """Whether statements change rows, of which the recurrence has no rule."""
    return case.has_changes or (case.writer.upsert is not None and not case.key_columns)


def appends_of(case: Case) -> Case:
    """One writer's appends to the table as its evolution leaves it, under the same maintenance."""
    table = case.table
    for evolution in case.evolution:
        table = evolve(table, evolution)
    upsert = case.writer.upsert if case.key_columns else None
    writer = case.writer.model_copy(update={"writers": 1, "upsert": upsert})
    return replace(case, table=table, evolution=(), writer=writer)


def without_changes(case: Case) -> Case:
    """The case without statements that change rows."""
    writer = case.writer.model_copy(update={"upsert": None})
    return replace(case, changes=Changes(), writer=writer)


def lost_attempts(case: Case, profile: WriterProfile, site: Site) -> dict[Kind, tuple[float, float]]:
    """How many times the files, and the bytes, several writers write of each kind that one writes for the same rows.

    From a short race and the same commits by one writer, both simulated exactly.
    """
    kept = Maintenance()
    several = with_rows(replace(case, maintenance=kept, horizon_s=RACED * case.commit_interval_s), ROWS)
    alone = replace(several, writer=several.writer.model_copy(update={"writers": 1}))
    totals = []
    for one in (several, alone):
        rng = np.random.default_rng(case.seed)
        totals.append(sum_events(simulate_table(one, profile, rng, site=site, most_rows_computed=1).recording.events))
    raced, single = totals
    return {
        kind: (
            raced.files_written[kind] / single.files_written[kind],
            raced.written_bytes[kind] / single.written_bytes[kind],
        )
        for kind in Kind
        if single.files_written[kind] and single.written_bytes[kind]
    }


def observe(case: Case, profile: WriterProfile, site: Site) -> Observed:
    """The history of a case, from the first commits of one with few rows."""
    few = _few(replace(case, evolution=()))
    simulated, refused = _simulated(few, profile, site)
    rows = case.rows_per_commit * (case.commit_interval_s and few.commit_interval_s / case.commit_interval_s)
    history = _cumulated(few, simulated, scale=rows / few.rows_per_commit)
    commits, cycle = case.horizon_s / few.commit_interval_s, max(1, round(_rarest_s(few) / few.commit_interval_s))
    samples = _carried_on(history, commits, few.commit_interval_s / case.commit_interval_s, cycle)
    written = simulated.recording.events.where(simulated.recording.events.action == Action.WRITE)
    jsons = float(np.sum(written.kind == Kind.METADATA_JSON)) - 1
    snapshots = max(1.0, float(len(simulated.recording.reports)))
    sentences = [f"What changes the table was observed over {few.commits} commits and carried on by its trend."]
    sentences += [f"Left out: {line}" for line in refused]
    return Observed(
        samples=samples,
        json_share=jsons / snapshots,
        spread=_spread(history, cycle),
        sentences=tuple(sentences),
    )


def _few(case: Case) -> Case:
    """The case with few rows, over few commits, without what expires; changes that come rarely come within them."""
    kept = Maintenance(
        rewrite_data_files=case.maintenance.rewrite_data_files, rewrite_manifests=case.maintenance.rewrite_manifests
    )
    interval_s = case.commit_interval_s
    rarest = _rarest_s(case)
    if rarest > COMMITS / PERIODS_SEEN * interval_s:
        interval_s = rarest * PERIODS_SEEN / COMMITS
    few = with_rows(replace(case, commit_interval_s=interval_s, maintenance=kept), ROWS)
    return replace(few, horizon_s=min(case.horizon_s, COMMITS * interval_s), clock="virtual")


def _rarest_s(case: Case) -> float:
    """Seconds between two of the rarest change; 0 without any."""
    return max((change.every for _, change in case.changes if change is not None), default=0.0)


def _simulated(few: Case, profile: WriterProfile, site: Site) -> tuple[Simulated, list[str]]:
    """The case simulated exactly; without maintenance, or changes, where exact simulation has no rule for both."""
    attempts = [few, replace(few, maintenance=Maintenance()), without_changes(few)]
    refused: list[str] = []
    for attempt in attempts:
        try:
            rng = np.random.default_rng(few.seed)
            return simulate_table(attempt, profile, rng, site=site, most_rows_computed=1), refused
        except WasimError as error:
            refused.append(str(error))
    raise WasimError(refused[-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class _History:
    """Observed after each commit of the writer, from none on: columns as in `Samples`."""

    state: Floats  # data and delete manifests, entries, bytes of both, list bytes, live files and their bytes
    flows: Floats


def _cumulated(few: Case, simulated: Simulated, *, scale: float) -> _History:
    recording, table = simulated.recording, simulated.table
    reports, commits = recording.reports, max(1, few.commits)
    per_report = _flows_by_report(recording, scale)
    texts = [len(text.encode()) + 1 for text in table.json.snapshots.values()]
    per_report[: len(texts), Flow.SNAPSHOT_JSON_BYTES] = texts[: len(reports)]
    after = np.clip(np.rint(reports.event_time_s / few.commit_interval_s).astype(np.int64), 1, commits)
    flows = np.zeros((commits + 1, WIDTH))
    np.add.at(flows, after, per_report)
    state = np.zeros((commits + 1, 8))
    sizes = _manifest_sizes(simulated)
    for place, commit in enumerate(after.tolist()):
        live = reports.manifests_created[place] + reports.manifests_kept[place]
        deletes = min(live - 1, live * sizes[2]) if live else 0
        entries = reports.files_live[place] + reports.delete_files_live[place]
        held = reports.files_live[place], reports.data_bytes_live[place] * scale
        manifests = (live - deletes) * sizes[0], deletes * sizes[1]
        state[commit:] = (live - deletes, deletes, entries, *manifests, per_report[place, Flow.LIST_BYTES], *held)
    return _History(state=state, flows=np.cumsum(flows, axis=0))


def _manifest_sizes(simulated: Simulated) -> tuple[float, float, float]:
    """Mean bytes of the manifests of data and of deletes at the end, and the share of the latter."""
    listed = simulated.table.manifests
    data = [one.file.manifest_length for one in listed if not one.has_deletes]
    deletes = [one.file.manifest_length for one in listed if one.has_deletes]
    mean = (float(np.mean(data)) if data else 0.0, float(np.mean(deletes)) if deletes else 0.0)
    return *mean, len(deletes) / max(1, len(listed))


def _flows_by_report(recording: Recording, scale: float) -> Floats:
    """What each snapshot's commit wrote and took out, as a row of flows."""
    reports, events = recording.reports, recording.events
    count = len(reports)
    flows = np.zeros((count, WIDTH))
    flows[:, Flow.SNAPSHOTS] = 1
    inside = (events.commit > 0) & (events.commit <= count)

    def summed(kind: Kind, action: Action, *, by_bytes: bool) -> Floats:
        mine = inside & (events.kind == kind) & (events.action == action)
        weights = events.bytes[mine].astype(float) if by_bytes else None
        return np.bincount(events.commit[mine] - 1, weights=weights, minlength=count).astype(float)

    flows[:, Flow.LIST_BYTES] = summed(Kind.MANIFEST_LIST, Action.WRITE, by_bytes=True)
    groups = ((Kind.DATA_MANIFEST, Kind.DATA, DATA), (Kind.DELETE_MANIFEST, Kind.DELETE_FILE, DELETES))
    for manifest, content, group in groups:
        for place in (0, 1):
            written = summed(manifest, Action.WRITE, by_bytes=bool(place))
            flows[:, Flow.WRITTEN_MANIFESTS + group + place] = written
            flows[:, Flow.WASTED_MANIFESTS + group + place] = summed(manifest, Action.DELETE, by_bytes=bool(place))
            flows[:, Flow.WRITTEN_FILES + group + place] = summed(content, Action.WRITE, by_bytes=bool(place)) * (
                scale if place else 1.0
            )
    made, size = flows[:, Flow.WRITTEN_MANIFESTS], flows[:, Flow.WRITTEN_MANIFESTS + 1]
    mean = np.divide(size, made, out=np.zeros(count), where=made > 0)
    flows[:, Flow.REPLACED_MANIFESTS] = reports.manifests_replaced
    flows[:, Flow.REPLACED_MANIFESTS + 1] = reports.manifests_replaced * mean
    flows[:, Flow.ROWS] = np.diff(reports.records_live, prepend=0) * scale
    return flows


def _carried_on(history: _History, commits: float, stretch: float, cycle: int) -> Samples:
    """The history over so many commits; `stretch` of the case's own commits are one of those that were observed.

    Every `cycle` commits all changes come again.
    """
    seen = len(history.flows) - 1
    ahead = np.unique(np.rint(np.geomspace(seen, max(commits, seen), POINTS)))[1:]
    since = (ahead - seen)[:, np.newaxis]
    rate, growth = _trend(history.flows, cycle)
    flows = np.vstack([history.flows, history.flows[-1] + rate * since + growth / 2 * since**2])
    drift = np.maximum(0.0, _trend(history.state, cycle)[0])
    state = np.vstack([history.state, history.state[-1] + drift * since])
    # what has left the table is what is no longer there
    for place in (0, 1):
        flows[:, Flow.REMOVED_FILES + place] = np.maximum(
            0.0, flows[:, Flow.WRITTEN_FILES + place] - state[:, 6 + place]
        )
    at = np.concatenate([np.arange(seen + 1), ahead])
    keep = at <= commits
    return Samples(
        commits=at[keep] * stretch,
        data_manifests=state[keep, 0],
        delete_manifests=state[keep, 1],
        entries=state[keep, 2],
        data_manifest_bytes=state[keep, 3],
        delete_manifest_bytes=state[keep, 4],
        list_bytes=state[keep, 5],
        flows=flows[keep],
        spans=(),
    )


def _trend(columns: Floats, cycle: int) -> tuple[Floats, Floats]:
    """Rate at the end and its growth, by column: from two stretches of whole cycles at the end of what was observed."""
    seen = len(columns) - 1
    stretch = max(1, seen // (3 * cycle)) * cycle if seen >= 2 * cycle else max(1, seen // 3)
    first, middle = max(0, seen - 2 * stretch), max(0, seen - stretch)
    early = (columns[middle] - columns[first]) / max(1, middle - first)
    late = (columns[seen] - columns[middle]) / max(1, seen - middle)
    growth = (late - early) / stretch
    growth = np.where(growth * stretch > GROWS * np.abs(late), growth, 0.0)
    return np.where(growth > 0, late + growth * stretch / 2, (early + late) / 2), growth


def _spread(history: _History, cycle: int) -> dict[Kind, float]:
    """How far the second half lay from what the first suggested, by kind of metadata and data."""
    half = (len(history.flows) - 1) // 2
    if half < 4:
        return dict.fromkeys(Kind, 0.5)
    rate, growth = _trend(history.flows[: half + 1], cycle)
    since = len(history.flows) - 1 - half
    expected = rate * since + growth / 2 * since**2
    found = history.flows[-1] - history.flows[half]
    places = {
        Kind.MANIFEST_LIST: Flow.LIST_BYTES,
        Kind.DATA_MANIFEST: Flow.WRITTEN_MANIFESTS + 1,
        Kind.DELETE_MANIFEST: Flow.WRITTEN_MANIFESTS + DELETES + 1,
        Kind.DATA: Flow.WRITTEN_FILES + 1,
        Kind.DELETE_FILE: Flow.WRITTEN_FILES + DELETES + 1,
    }
    spread = {
        kind: float(abs(found[place] - expected[place]) / found[place]) if found[place] else 0.0
        for kind, place in places.items()
    }
    return {kind: spread.get(kind, 0.0) for kind in (*METADATA_KINDS, Kind.DATA, Kind.DELETE_FILE)}
