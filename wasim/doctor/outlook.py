"""What a table's metadata would have come to, and comes to, at other intervals and with other maintenance.

The table is read as a case and simulated in sums from its first commit on: up to now, and on through the time ahead.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from wasim.doctor.as_case import TableCase, case_of
from wasim.doctor.inspection import Inspection, live_bytes
from wasim.doctor.upkeep import maintenance_of
from wasim.iceberg.properties import TableProperties
from wasim.ledger import METADATA_KINDS, Kind, Summed
from wasim.report.remedies import missing_remedies, with_change
from wasim.scenario import Case
from wasim.scenario.changes import Maintenance
from wasim.twin import Site, WriterProfile, shipped_profile
from wasim.twin.supported import check_answerable
from wasim.units import format_duration
from wasim.years import YearsOf

_LADDER_S = (1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3_600.0, 21_600.0, 86_400.0)
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
    what of the table a case cannot say.
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
    site = Site(location=inspection.tree.opened.metadata.location)
    simulating = _Simulating(profile=shipped_profile(case), site=site, age_s=age_s, ahead_s=ahead_s)
    check_answerable(case, simulating.profile)
    now, then = simulating.both(case)
    prospects = [_prospect("as it is", now, then)]
    for name, other in _others(case):
        prospects.append(_prospect(name, *simulating.both(other)))
    live = live_bytes(inspection)
    return Outlook(
        ahead_s=ahead_s,
        commits_so_far=round(age_s / case.commit_interval_s),
        commit_interval_s=case.commit_interval_s,
        maintenance=maintenance,
        prospects=tuple(prospects),
        now_bytes={kind: (now.live_bytes.get(kind, 0), live[kind]) for kind in _COMPARED},
        notes=table.notes,
    )


def _commits_so_far(inspection: Inspection, table: TableCase) -> int:
    """Commits that added data since the table was made: sequence numbers count them all, and v1 has none."""
    left = len(inspection.tree.index.snapshots)
    appends = round(table.case.horizon_s / table.case.commit_interval_s)
    every = max(left, inspection.tree.opened.metadata.last_sequence_number)
    return max(1, round(every * appends / left))


def _others(case: Case) -> Iterator[tuple[str, Case]]:
    """The same rows at other intervals: one step shorter, three longer; then the remedies that are not taken yet."""
    shorter = [one for one in _LADDER_S if one < 0.9 * case.commit_interval_s][-1:]
    longer = [one for one in _LADDER_S if one > 1.1 * case.commit_interval_s][:_LONGER]
    for interval_s in (*shorter, *longer):
        yield f"every {format_duration(interval_s)}", replace(case, commit_interval_s=interval_s)
    everything, count = case, 0
    for name, _, change in missing_remedies(case):
        yield f"+ {name}", with_change(case, change)
        everything, count = with_change(everything, change), count + 1
    if count > 1:
        yield "+ all of these", everything


@dataclass(slots=True, kw_only=True)
class _Simulating:
    """Simulates cases of one table up to now, and to the end of the time ahead."""

    profile: WriterProfile
    site: Site
    age_s: float
    ahead_s: float
    _years: dict[float, YearsOf] = field(default_factory=dict)

    def both(self, case: Case) -> tuple[Summed, Summed]:
        interval_s = case.commit_interval_s
        years = self._years.setdefault(interval_s, YearsOf(profile=self.profile, site=self.site))
        horizons = (max(interval_s, self.age_s), max(2 * interval_s, self.age_s + self.ahead_s))
        now, then = (years.simulate(case.over(horizon_s)) for horizon_s in horizons)
        return now, then


def _prospect(name: str, now: Summed, then: Summed) -> Prospect:
    return Prospect(
        name=name,
        written_so_far_bytes=now.totals.metadata_bytes,
        written_ahead_bytes=max(0, then.totals.metadata_bytes - now.totals.metadata_bytes),
        on_disk_bytes=sum(then.totals.on_disk_bytes[kind] for kind in METADATA_KINDS),
        metadata_json_bytes=then.live_bytes[Kind.METADATA_JSON],
        manifests=int(then.ledger.live_manifests[-1]),
    )
