"""What settings cost: each simulated until the end of its last full cycle, with the band that its figures lie in.

    simulator = SettingSimulator(request=request)
    figures = simulator.figures(setting)

Settings of one request share what they have in common: sizes of files over all intervals and rates, the history of
manifests over all expiry, and gzip. So a lattice costs little more than its intervals do.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from wasim.capacity.commits import latency_request, rounded
from wasim.capacity.cost import Load, MonthlyCost, monthly_cost, opening_cost, waiting_for_expiry
from wasim.capacity.last_cycle import (
    Course,
    Courses,
    LastCycle,
    Since,
    Spread,
    courses_ahead,
    courses_of,
    last_cycle,
    totals_before,
)
from wasim.capacity.milestones import Milestones, milestones_of
from wasim.capacity.request import PlanRequest
from wasim.capacity.settings import Setting, case_of
from wasim.capacity.shapes import Shapes
from wasim.contention import CommitLatency, Footprint, Outcome, commit_latency, commit_slowing, footprint_at
from wasim.forecast.ahead import profile_of
from wasim.iceberg.properties import TableProperties
from wasim.ledger import METADATA_KINDS, Kind, Summed, Totals
from wasim.ledger.machine import Machine
from wasim.ledger.totals import amplification
from wasim.ledger.vocabulary import DATA_KINDS
from wasim.scenario import Case
from wasim.scenario.cycles import Window, window_of
from wasim.scenario.metrics import PERIODS_S, Limit, tables_counted
from wasim.twin import Site
from wasim.twin.profile import tables_in_turn
from wasim.units import DAY_S, HOUR_S, Floats
from wasim.years import Settled, Shape, grown_of, sum_history, with_lost
from wasim.years.laws import shortest_snapshot_bytes
from wasim.years.passed_over import passed_over
from wasim.years.samples import Samples
from wasim.years.summed import as_left

PLANNING_BAND, WIDE_PLANNING_BAND = 0.15, 0.5  # of small manifests within what was seen, and of all else
PLANNING_BAND_MS = 30.0  # at least: in three runs of `make validate-plan`, 13 to 80 ms were up to 30 ms off
LEAST_COST_BAND = 0.05
SIZES_KNOWN_TO = 0.01  # of manifests: four samples of thirty drawn tables were 0.6 % from their mean in 95 of 100
READING_JOBS = ("rewrite_data_files", "rewrite_manifests")  # each run reads all live manifests
_OF_A_CYCLE = ("mean", "most", "final")
FAR_FROM_FULL = 0.25  # of the target: the manifests of one bin may come to a few times as much just before they merge
NEARLY_FULL = 0.9  # of the target: with fewer bytes in all manifests none is ever full, though each be 1 % larger


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """A setting's figures, of its last full cycle: `values` by metric, `bands` their relative half-widths where known.

    A value is what is written, in a settled day on average or for each byte, or the most that the table holds.
    `spreads` has the mean, the most, which limits are compared with, and what is there at the end or the last day
    writes. "metadata_bytes" and all ratios are of the whole horizon.

    `keeps_up_s` is when a commit would take longer than its interval, in seconds of event time; None: never.
    `extrapolated` says whether latencies are of a larger table than any that they were measured on. `cost` is a
    month's, in the currency of the request's prices. Cost, bytes written and bytes on disk are of all tables of the
    job, as metrics that add up are; all else is of each.
    """

    setting: Setting
    values: Mapping[str, float]
    spreads: Mapping[str, Spread]
    bands: Mapping[str, float]
    approximated: tuple[str, ...]
    keeps_up_s: float | None
    cost: MonthlyCost
    written_bytes: Mapping[Kind, int]
    written_bands: Mapping[Kind, float]  # relative half-widths of the former
    on_disk_bytes: Mapping[Kind, int]
    milestones: Milestones
    extrapolated: bool
    footprint: Footprint  # of a commit where metadata.json is largest
    cost_band: float = 0.0  # of a month's cost by the bands of bytes: settings of a request share what else it rests on
    sustained: bool = True  # by several writers, whose race this is
    commit: CommitLatency | None = None  # at the end, where it was modelled

    @property
    def keeps_up(self) -> bool:
        """Whether a writer may keep up over the whole horizon, as far as the bytes of its commits say."""
        return self.keeps_up_s is None and self.sustained and (self.commit is None or self.commit.sustains)

    @property
    def metadata_bytes_per_day(self) -> float:
        """Metadata written in a settled day."""
        return self.values["metadata_bytes_per_day"]

    @property
    def monthly_cost(self) -> float:
        """What a month costs, in the currency of the prices."""
        return self.values["monthly_cost"]

    def judged(self, metric: str) -> float:
        """What a limit is compared with: what the worst day writes, not a day on average; of all else the value."""
        spread = self.spreads.get(metric) if metric in PERIODS_S else None
        return self.values[metric] if spread is None else spread.most

    def at(self, metric: str, *, shift: float = 0.0) -> float:
        """The same, moved within its band: by its half-width at 1, down by the same at -1."""
        return self.judged(metric) * (1 + shift * self.bands.get(metric, 0.0))

    def broken(self, limits: Iterable[Limit], *, shift: float = 0.0) -> tuple[Limit, ...]:
        """The limits that the setting breaks, its values moved within their bands."""
        return tuple(limit for limit in limits if not limit.holds(self.at(limit.metric, shift=shift)))


@dataclass(slots=True, kw_only=True)
class SettingSimulator:
    """Simulates settings of one request: what they share is found once, and no setting is simulated twice."""

    request: PlanRequest
    shapes: Shapes | None = None  # of another request for the same table, which differs in its rate alone
    raced: Outcome | None = None  # what the writers' race came to, where it has been run
    _encoded: dict[float, Shapes] = field(default_factory=dict)  # by interval, of its own files
    _shape_of: dict[tuple[float, float, bool], Shape] = field(default_factory=dict)  # by interval, rate, gzip
    # by all that decides one, its window last
    _courses: dict[tuple[object, ...], Courses] = field(default_factory=dict)
    _cases: dict[tuple[Setting, float], Case] = field(default_factory=dict)  # with the table's evolution
    # intervals, appends and rates of sound cases
    _checked: set[tuple[float, str | None, float]] = field(default_factory=set)
    _known: dict[tuple[Setting, float, Window], Figures] = field(default_factory=dict)
    _latencies: dict[tuple[float, Footprint], CommitLatency] = field(default_factory=dict)
    _races: dict[tuple[float, Footprint], Outcome] = field(default_factory=dict)

    def for_settings(self, settings: Iterable[Setting]) -> "SettingSimulator":
        """A simulator of these settings alone, small enough for other processes: it holds the sizes of their files,
        and nothing that was simulated.
        """
        encoded = (replace(one, gzips_json=gzips) for one in settings for gzips in {False, one.gzips_json})
        shapes = {(one.interval_s, 1.0, one.gzips_json): self.shape(one) for one in encoded}
        return SettingSimulator(request=self.request, raced=self.raced, _shape_of=shapes)

    def of_other_rate(self, request: PlanRequest) -> "SettingSimulator":
        """A simulator of a request that differs in its rate alone: sizes are read off files encoded here."""
        return SettingSimulator(request=request, shapes=self._shapes_for(request))

    def of_other_table(self, request: PlanRequest) -> "SettingSimulator":
        """A simulator for a few intervals of a request that differs in its table's columns, or its files per commit."""
        own = self._shapes_for(request)
        return SettingSimulator(request=request, shapes=Shapes(profile=own.profile, site=own.site, encodes_each=True))

    def _shapes_for(self, request: PlanRequest) -> Shapes:
        return self._shapes_of(case_of(request, Setting(interval_s=request.longest_s)))

    @property
    def case_at_longest(self) -> Case:
        """The request's case at the longest interval, without maintenance. WasimError for an invalid one."""
        return self.case(Setting(interval_s=self.request.longest_s))

    def simulate_ahead(self, settings: Iterable[tuple[Setting, float]], horizon_s: float | None = None) -> None:
        """Spreads what takes longest of simulating these settings, at their rates, over the cores of this machine."""
        parts = {}
        for setting, rate in settings:
            case, window = self.case(setting, rate), self._window(setting, rate, horizon_s)
            if (key := self._course_key(setting, rate, window)) not in self._courses:
                parts[key] = case, self.shape(setting, rate), window
        for (*table, _), courses in zip(parts, courses_ahead(parts.values()), strict=True):
            self._courses = {(*table, one): courses for one in courses.windows} | self._courses

    def figures(self, setting: Setting, *, rate: float = 1.0, horizon_s: float | None = None) -> Figures:
        """The figures of one setting at a multiple of the request's rate, over its horizon if no other is given, in
        seconds. WasimError for what makes no sense, by flag or field.
        """
        window = self._window(setting, rate, horizon_s)
        key = setting, rate, window
        if key not in self._known:
            self._known[key] = self.figures_of(setting, self._course(setting, rate, window), rate=rate)
        return self._known[key]

    def with_measured_bands(self, figures: Figures) -> Figures:
        """The figures with bands that are as wide as they move by where manifests are a little smaller or larger: when
        they are full decides how often they merge; where none is ever full, all moves as their bytes do, and one other
        size is enough. Not of statements, which take seconds to step through.
        """
        setting = figures.setting
        if self.case(setting).changes_rows:
            return figures
        shares = (-1.0, -0.5, 0.5, 1.0) if self.fills_manifests(setting, NEARLY_FULL) else (1.0,)
        scales = (1 + share * SIZES_KNOWN_TO for share in shares)
        others = [self._of_other_manifests(setting, scale).figures(setting).values for scale in scales]

        def moved(metric: str) -> float:
            value = figures.values[metric]
            return max(abs(one[metric] / value - 1) for one in others) if value else 0.0

        return replace(figures, bands={metric: max(band, moved(metric)) for metric, band in figures.bands.items()})

    def _of_other_manifests(self, setting: Setting, scale: float) -> "SettingSimulator":
        """A simulator of a setting whose manifests have so many times the bytes."""
        shape = self.shape(setting)
        sizes = replace(shape.sizes, data_manifests=shape.sizes.data_manifests.fitted(0.0, scale))
        return SettingSimulator(
            request=self.request,
            raced=self.raced,
            _shape_of={(setting.interval_s, 1.0, setting.gzips_json): replace(shape, sizes=sizes)},
            _cases=self._cases,
        )

    def figures_of_case(self, case: Case, setting: Setting) -> Figures:
        """The figures of a case of the request's table as it stands; the setting says what of it costs computing."""
        self._cases[setting, 1.0] = case
        return self.figures(setting)

    def figures_over(self, setting: Setting, horizons_s: Sequence[float]) -> tuple[Figures, ...]:
        """The figures of one setting at these horizons, ascending, in seconds."""
        found = {horizon_s: self.figures(setting, horizon_s=horizon_s) for horizon_s in reversed(horizons_s)}
        return tuple(found[horizon_s] for horizon_s in horizons_s)  # the longest first, as others lie on its way

    def fills_manifests(self, setting: Setting, share: float = FAR_FROM_FULL) -> bool:
        """Whether manifests take more than this share of the target together: with fewer bytes none is ever full, and
        the target makes no difference.
        """
        target = TableProperties.read(self.case(setting).table.properties).manifest_target_size_bytes
        end = self._course(setting, 1.0, self._window(setting)).end
        most = max(float(end.data_manifest_bytes.max()), float(end.delete_manifest_bytes.max()))
        return most > share * target

    def least_cost(self, setting: Setting) -> float:
        """What a month of a setting costs at least, whatever its history: queries open the files of a day, or of half
        the time between two compactions. 0 where statements rewrite files or commits of several writers fail.
        """
        case, compacted_s = self.case(Setting(interval_s=setting.interval_s)), setting.maintenance.compact_every_s
        if case.maintenance.rewrite_data_files is not None:  # whenever there are enough files
            return 0.0
        if case.changes_rows or case.rests is not None or case.writer.tables > 1 or self.request.writers > 1:
            return 0.0
        files = self.shape(setting).arrivals.files
        waiting = files * int(min(DAY_S, case.horizon_s) / setting.interval_s)
        if compacted_s is not None:
            waiting = min(waiting, files * int(compacted_s / setting.interval_s) / 2)
        return opening_cost(waiting, self.request.prices, self.request.queries_per_hour)

    def is_out_of_reach(self, setting: Setting, kept_s: float) -> bool:
        """Whether commits take longer than the setting's interval whatever its maintenance, once snapshots have been
        kept for this long: with a metadata.json that held nothing but these, each as short as there is any.
        """
        case, shape = self.case(setting), self.shape(replace(setting, gzips_json=False))
        is_another = case.changes_rows or case.rests is not None or case.own_expiry is not None
        if is_another or self.request.writers > 1 or shape.sizes.json.found:
            return False
        snapshots = int(min(kept_s, case.horizon_s / 2) / setting.interval_s) - 1  # the last cycle may end earlier
        each = shortest_snapshot_bytes(case, shape) + shape.sizes.json.snapshot_log_entry
        return bool(_is_late(np.array([snapshots * each]), setting.interval_s / tables_in_turn(case), self.request)[0])

    @property
    def evaluated(self) -> int:
        """How many settings have been simulated."""
        return len({(setting, rate) for setting, rate, _ in self._known})

    def files_per_commit(self, setting: Setting) -> float:
        """Data files of a commit."""
        return self.shape(setting).arrivals.files

    def figures_of(self, setting: Setting, course: Course, *, rate: float = 1.0) -> Figures:
        """The figures of a setting whose table and jobs had this course."""
        case, shape = self.case(setting, rate), self.shape(setting, rate)
        plain = self._uncompressed(shape, setting, rate)
        cycle, request = last_cycle(case, course, shape, plain), self.request
        reckoned, sustained = _Reckoned(cycle=cycle), True
        if request.writers > 1:
            outcome = self._race(case, reckoned.footprint)
            sustained = self.raced is not None or outcome.sustains(case.commit_interval_s)
            reckoned = replace(reckoned, cycle=_with_lost(cycle, request.writers, replace(outcome, failed=0)))
        tables = case.writer.tables
        cost, most = (
            monthly_cost(
                load, request.machine, request.prices, request.queries_per_hour, gzips_json=setting.gzips_json
            ).times(tables)
            for load in (reckoned.load, reckoned.load_at_most)
        )
        cost_band = most.total / cost.total - 1 if cost.total else 0.0
        spreads = {name: one.times(tables_counted(name, tables)) for name, one in reckoned.spreads(request).items()}
        written = {name: one * tables_counted(name, tables) for name, one in reckoned.written.items()}
        written["monthly_cost"] = cost.total
        extrapolated, planning_share = reckoned.of_planning(request.machine)
        summed = reckoned.cycle.end
        return Figures(
            setting=setting,
            values={name: spread.most for name, spread in spreads.items()} | written,
            spreads=spreads,
            bands=_bands(summed)
            | {
                "planning_p50_ms": planning_band(planning_share, spreads["planning_p50_ms"].most),
                "monthly_cost": max(LEAST_COST_BAND, cost_band),
            },
            approximated=(*summed.approximated, *passed_over(self._cases[setting, rate], profile_of(case))),
            keeps_up_s=_keeps_up_s(reckoned, setting.interval_s / tables_in_turn(case), request),
            cost=cost,
            written_bytes={kind: size * tables for kind, size in summed.totals.written_bytes.items()},
            written_bands=summed.band,
            on_disk_bytes={kind: size * tables for kind, size in summed.totals.on_disk_bytes.items()},
            milestones=milestones_of(cycle.case, summed, reckoned.text_bytes),
            extrapolated=extrapolated,
            footprint=reckoned.footprint,
            cost_band=cost_band,
            sustained=sustained,
        )

    def case(self, setting: Setting, rate: float = 1.0) -> Case:
        """The request's case under a setting, as the table's evolution leaves it. WasimError for an invalid one."""
        key, checked = (setting, rate), (setting.interval_s, setting.appends, rate)
        if key not in self._cases:
            self._cases[key] = case_of(self.request, setting, rate=rate, is_sound=checked in self._checked)
            self._checked.add(checked)
        return as_left(self._cases[key])

    def with_commits(self, figures: Figures) -> Figures:
        """The figures with the latency of commits at the end of the horizon. Like commits are raced once."""
        interval_s, footprint = key = figures.setting.interval_s, figures.footprint
        if key not in self._latencies:
            every_s = interval_s / tables_in_turn(self.case_at_longest)
            asked = latency_request(footprint, every_s, self.case_at_longest, self.request)
            self._latencies[key] = commit_latency(asked)
        return replace(figures, commit=self._latencies[key])

    def _race(self, case: Case, footprint: Footprint) -> Outcome:
        if self.raced is not None:
            return self.raced
        asked = latency_request(rounded(footprint), case.commit_interval_s, case, self.request)
        key = asked.commit_interval_s, asked.footprint
        if key not in self._races:
            self._races[key] = commit_latency(asked).outcome
        return self._races[key]

    def _window(self, setting: Setting, rate: float = 1.0, horizon_s: float | None = None) -> Window:
        return window_of(self.case(setting, rate), horizon_s)

    def _course_key(self, setting: Setting, rate: float, window: Window) -> tuple[object, ...]:
        """What decides a course: all but how long snapshots are kept, and gzip."""
        return setting.course_key, setting.interval_s, rate, window

    def _course(self, setting: Setting, rate: float, window: Window) -> Course:
        *table, _ = key = self._course_key(setting, rate, window)
        if key not in self._courses:
            courses = courses_of(self.case(setting, rate), self.shape(setting, rate), window)
            self._courses = {(*table, one): courses for one in courses.windows} | self._courses
        return self._courses[key].over(window)

    def shape(self, setting: Setting, rate: float = 1.0) -> Shape:
        """Sizes of the files of a setting."""
        key = setting.interval_s, rate, setting.gzips_json
        if key not in self._shape_of:
            case = self.case(setting, rate)
            shapes = self._shapes_of(case)
            if rate == 1.0:
                shapes = self._encoded.get(setting.interval_s, shapes)
            if setting.gzips_json and (case.key_columns or not shapes.encodes_each):
                if not (
                    case.key_columns or case.changes_rows
                ):  # of appends metadata.json compress the same at any interval
                    case = self.case(replace(setting, interval_s=self.request.longest_s))
                plain = self.shape(replace(setting, gzips_json=False), rate)
                self._shape_of[key] = shapes.with_json_of(case, plain)
            else:
                self._shape_of[key] = shapes.of(case)
        return self._shape_of[key]

    def _uncompressed(self, shape: Shape, setting: Setting, rate: float) -> Shape:
        """A setting's shape without gzip."""
        if setting.gzips_json and shape.sizes.json.compressed is not None:
            return replace(shape, sizes=replace(shape.sizes, json=shape.sizes.json.uncompressed))
        return self.shape(replace(setting, gzips_json=False), rate)

    def encode(self, interval_s: float) -> None:
        """Encodes the files of one interval, whose sizes are read off between others' until then."""
        if interval_s in self._encoded:
            return
        shapes = self._shapes_of(self.case(Setting(interval_s=interval_s)))
        self._encoded[interval_s] = Shapes(profile=shapes.profile, site=shapes.site, encodes_each=True)
        self._shape_of = {key: one for key, one in self._shape_of.items() if key[:2] != (interval_s, 1.0)}
        self._known = {key: one for key, one in self._known.items() if (key[0].interval_s, key[1]) != (interval_s, 1.0)}
        self._courses = {key: one for key, one in self._courses.items() if key[1:3] != (interval_s, 1.0)}

    def _shapes_of(self, case: Case) -> Shapes:
        if self.shapes is None:
            self.shapes = Shapes(profile=profile_of(case), site=self._site)
        return self.shapes

    @property
    def _site(self) -> Site:
        return Site(location=self.request.location)


def _with_lost(cycle: LastCycle, writers: int, outcome: Outcome) -> LastCycle:
    course, settled = cycle.course, Settled(races=(outcome,))

    def raced(summed: Summed, until: Case) -> Summed:
        together = replace(until, writer=until.writer.model_copy(update={"writers": writers}))
        return with_lost(together, summed, settled)

    def totals_at(since: Since, samples: Samples) -> Totals:
        until = cycle.case.over(since.time_s)
        return raced(sum_history(until, cycle.shape, grown_of(until, cycle.shape, samples)), until).totals

    end, on_disk = raced(cycle.end, cycle.case), cycle.on_disk
    left = end.totals.metadata_on_disk_bytes - on_disk.final
    return replace(cycle, since=totals_before(course.written, totals_at), on_disk=on_disk.plus(left), end=end)


@dataclass(frozen=True, kw_only=True)
class _Reckoned:
    """A case in its last cycle, and what follows from it for latencies and costs."""

    cycle: LastCycle

    @cached_property
    def planned(self) -> tuple[Spread, Spread, Spread]:
        """Manifests that a full scan reads, files, and bytes of the manifests."""
        scanned, scanned_bytes = self.cycle.spread("scanned_manifests"), self.cycle.spread("scanned_bytes")
        return scanned, self.cycle.files, scanned_bytes

    def of_planning(self, machine: Machine) -> tuple[bool, float]:
        """Whether a table as large was never planned on the machine, and the share that planning may be off by."""
        manifests = self.cycle.spread("data_manifests+delete_manifests")
        is_beyond = machine.is_beyond(self.cycle.plain_json.most, manifests.most, self.cycle.files.most)
        waits = machine.waits(*(spread.most for spread in self.planned))
        return is_beyond, PLANNING_BAND if waits and not is_beyond else WIDE_PLANNING_BAND

    def spreads(self, request: PlanRequest) -> dict[str, Spread]:
        """What the table holds over the cycle and days of it write, by metric, and how long planning takes."""
        cycle, planned = self.cycle, self.planned

        def planning_ms(of: str) -> float:
            return request.machine.full_scan_ms(*(float(getattr(one, of)) for one in (cycle.plain_json, *planned)))

        # the function takes bytes of metadata.json, manifests, files and bytes of manifests, in this order
        return {
            "metadata_json_bytes": cycle.json,
            "manifests": cycle.spread("data_manifests+delete_manifests"),
            "manifest_bytes": cycle.spread("data_manifest_bytes+delete_manifest_bytes"),
            "snapshots": cycle.snapshots,
            "files": planned[1],
            "delete_files": cycle.delete_files,
            "metadata_on_disk_bytes": cycle.on_disk,
            **{name: cycle.metadata_of_a_day.times(period_s / DAY_S) for name, period_s in PERIODS_S.items()},
            "load_p50_ms": Spread(
                **{of: float(request.machine.loading_ms(getattr(cycle.plain_json, of))) for of in _OF_A_CYCLE}
            ),
            "planning_p50_ms": Spread(**{of: planning_ms(of) for of in _OF_A_CYCLE}),
        }

    @cached_property
    def written(self) -> dict[str, float]:
        """What is written, by metric: in a day of the cycle, and over the horizon, as ratios too."""
        cycle, end, days = self.cycle, self.cycle.end, self.cycle.length_s / DAY_S
        metadata = cycle.written("written_bytes", METADATA_KINDS)
        times = amplification(end.totals, ingested_bytes=end.ingested_bytes, horizon_s=cycle.course.window.end_s)
        return {
            "metadata_bytes_per_day": metadata / days,
            "metadata_bytes_per_event_hour": metadata / days / (DAY_S / HOUR_S),
            "files_written_per_day": cycle.written("files_written", Kind) / days,
            "metadata_bytes": float(end.totals.metadata_bytes),
            "wa_metadata": times.metadata,
            "wa_data": times.data,
            "wa_total": times.total,
        }

    @cached_property
    def text_bytes(self) -> Floats:
        """Bytes of the JSON in metadata.json, at each commit of the ledger."""
        return self.cycle.plain_json_at(self.cycle.end.ledger.event_time_s / self.cycle.case.commit_interval_s)

    @cached_property
    def footprint(self) -> Footprint:
        """What a commit reads and writes of metadata where metadata.json is largest."""
        return replace(
            footprint_at(self.cycle.end.ledger, 1.0),
            metadata_json_bytes=self.cycle.json.most,
            json_text_bytes=self.cycle.plain_json.most,
            manifest_list_bytes=self.cycle.spread("list_bytes").most,
        )

    @property
    def load_at_most(self) -> Load:
        """The same with as many bytes as their bands allow: those that arrive are known."""
        end, load = self.cycle.end, self.load
        every = load.compacted_bytes + self.cycle.arrived_bytes
        more = end.band[Kind.DATA] * every / load.compacted_bytes if load.compacted_bytes else 0.0
        return load.with_more(metadata=1 + _metadata_band(end), compacted=1 + more)

    @cached_property
    def load(self) -> Load:
        """What the case asks of store and machines in the cycle."""
        cycle = self.cycle
        metadata, data = (cycle.written("written_bytes", kinds) for kinds in (METADATA_KINDS, DATA_KINDS))
        compacted = max(0.0, data - cycle.arrived_bytes)
        scanned, files, scanned_bytes = self.planned
        kept, runs = cycle.case.maintenance, cycle.runs
        expiry, compaction = kept.expire_snapshots, kept.rewrite_data_files
        return Load(
            horizon_s=cycle.length_s,
            commits=cycle.commits,
            files_written=cycle.written("files_written", Kind),
            bytes_written=metadata + compacted,
            compacted_bytes=compacted,
            jobs=sum(runs.values()),
            manifests_read=sum(runs[job] for job in READING_JOBS) * scanned.mean,
            files_read=0.0 if compaction is None else cycle.written("files_written", Kind),
            metadata_on_disk_bytes=cycle.on_disk.mean,
            replaced_data_bytes=waiting_for_expiry(  # files fill in cycles of days: the mean since the first
                cycle.replaced_bytes,
                horizon_s=cycle.course.window.end_s,
                kept_s=None if expiry is None else expiry.older_than,
                every_s=None if expiry is None else expiry.every,
            ),
            json_bytes=cycle.plain_json.mean,
            stored_json_bytes=cycle.json.mean,
            list_bytes=cycle.spread("list_bytes").mean,
            manifests=scanned.mean,
            manifest_bytes=scanned_bytes.mean,
            files=files.mean,
            opened_files=cycle.files_of_a_day,
        )


def _keeps_up_s(reckoned: _Reckoned, most_s: float, request: PlanRequest) -> float | None:
    """When commits begin to take longer than `most_s`."""
    at_s = reckoned.cycle.end.ledger.event_time_s
    late = _is_late(reckoned.text_bytes, most_s, request)
    return float(at_s[int(np.argmax(late))]) if np.any(late) else None


def _is_late(json_bytes: Floats, most_s: float, request: PlanRequest) -> NDArray[np.bool_]:
    """Whether commits that write a metadata.json of these bytes, uncompressed, take longer than that."""
    machine = request.machine
    too_long = machine.commit_ms + machine.loading_ms(json_bytes) > most_s * 1000
    return np.asarray(too_long | (commit_slowing().commit_s(json_bytes) > most_s))


def planning_band(share: float, planning_ms: float) -> float:
    """Relative half-width of a planning time: this share of it, or as many milliseconds as it is known to at least."""
    return max(share, PLANNING_BAND_MS / planning_ms)


def _bands(summed: Summed) -> dict[str, float]:
    metadata, data = _metadata_band(summed), summed.band[Kind.DATA]
    of_metadata = ("metadata_bytes_per_day", "wa_metadata", "metadata_bytes", "metadata_bytes_per_event_hour")
    return {
        **dict.fromkeys((*of_metadata, "metadata_on_disk_bytes"), metadata),
        "metadata_json_bytes": summed.band[Kind.METADATA_JSON],
        **dict.fromkeys(("manifests", "manifest_bytes"), summed.band[Kind.DATA_MANIFEST]),
        **dict.fromkeys(("wa_data", "wa_total"), max(data, metadata)),
    }


def _metadata_band(summed: Summed) -> float:
    """Relative half-width of all metadata written: of each kind as far as it has part in them."""
    written = summed.totals.written_bytes
    return sum(summed.band[kind] * written[kind] for kind in METADATA_KINDS) / max(summed.totals.metadata_bytes, 1)
