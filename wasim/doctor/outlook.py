"""What a table's metadata would have come to, and comes to, at other intervals and with other maintenance.

The table is read as a case and simulated in sums from its first commit on: up to now, and on through the time ahead.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from wasim.doctor.as_case import TableCase, case_of
from wasim.doctor.inspection import Inspection, live_bytes
from wasim.doctor.upkeep import maintenance_of
from wasim.forecast import Forecast, Forecaster, missing_remedies, with_change
from wasim.forecast.ahead import forecast_of
from wasim.forecast.intervals import longer_steps, shorter_step
from wasim.iceberg.properties import TableProperties
from wasim.ledger import Kind
from wasim.scenario import Case
from wasim.scenario.changes import Maintenance
from wasim.twin import Site
from wasim.units import format_duration

_LONGER = 3
_COMPARED = (Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA_MANIFEST)


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
class Outlook:
    """What is ahead of a table: the way it is written now first, then other intervals, then remedies.

    `now_bytes` are, by kind, what is live as simulated and as it is: how far the simulation can be trusted. `notes` say
    what of the table a case cannot say, and what of the case was ignored or replaced by its mean.
    """

    ahead_s: float
    commits_so_far: int
    commit_interval_s: float
    maintenance: Maintenance
    prospects: tuple[Prospect, ...]
    now_bytes: dict[Kind, tuple[int, int]]
    notes: tuple[str, ...]

    @property
    def maintenance_words(self) -> str:
        """The jobs with their periods, in a few words."""
        jobs = [
            f"{name} every {format_duration(round(job.every))}" for name, job in self.maintenance if job is not None
        ]
        return ", ".join(jobs) or "no maintenance"


def outlook_of(inspection: Inspection, ahead_s: float) -> Outlook:
    """The outlook over `ahead_s` seconds. WasimError for a table whose history tells no case."""
    table = case_of(inspection)
    properties = TableProperties.read_leniently(inspection.tree.opened.metadata.properties)
    maintenance = maintenance_of(inspection.tree.index, inspection.history, properties)
    case = replace(table.case, maintenance=maintenance)
    age_s = _commits_so_far(inspection, table) * case.commit_interval_s
    forecasters: dict[float, Forecaster] = {}
    site = Site(location=inspection.tree.opened.metadata.location)

    def both(one: Case) -> tuple[Forecast, Forecast]:
        interval_s = one.commit_interval_s
        forecaster = forecasters.setdefault(interval_s, Forecaster(site=site))
        until_s = max(interval_s, age_s), max(2 * interval_s, age_s + ahead_s)
        now, then = (forecast_of(one.over(horizon_s), forecaster) for horizon_s in until_s)
        return now, then

    now, then = both(case)
    prospects = [_prospect("as it is", now, then), *(_prospect(name, *both(other)) for name, other in _others(case))]
    live = live_bytes(inspection)
    return Outlook(
        ahead_s=ahead_s,
        commits_so_far=round(age_s / case.commit_interval_s),
        commit_interval_s=case.commit_interval_s,
        maintenance=maintenance,
        prospects=tuple(prospects),
        now_bytes={kind: (now.run.live_bytes.get(kind, 0), live[kind]) for kind in _COMPARED},
        notes=(*table.notes, *(sentence.removesuffix(".") for sentence in then.run.approximated)),
    )


def _commits_so_far(inspection: Inspection, table: TableCase) -> int:
    """Commits that added data since the table was made: sequence numbers count them all, and v1 has none."""
    left = len(inspection.tree.index.snapshots)
    appends = round(table.case.horizon_s / table.case.commit_interval_s)
    every = max(left, inspection.tree.opened.metadata.last_sequence_number)
    return max(1, round(every * appends / left))


def _others(case: Case) -> Iterator[tuple[str, Case]]:
    """The same rows at other intervals: one step shorter, three longer; then the remedies that are not taken yet."""
    shorter, longer = shorter_step(0.9 * case.commit_interval_s), longer_steps(1.1 * case.commit_interval_s)
    for interval_s in (*([] if shorter is None else [shorter]), *longer[:_LONGER]):
        yield f"every {format_duration(interval_s)}", replace(case, commit_interval_s=interval_s)
    everything, count = case, 0
    for name, _, change in missing_remedies(case):
        yield f"+ {name}", with_change(case, change)
        everything, count = with_change(everything, change), count + 1
    if count > 1:
        yield "+ all of these", everything


def _prospect(name: str, now: Forecast, then: Forecast) -> Prospect:
    return Prospect(
        name=name,
        written_so_far_bytes=now.written_bytes,
        written_ahead_bytes=max(0, then.written_bytes - now.written_bytes),
        on_disk_bytes=then.on_disk_bytes,
        metadata_json_bytes=then.run.live_bytes[Kind.METADATA_JSON],
        manifests=then.live_manifests,
    )
