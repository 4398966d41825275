"""What settings cost: each simulated over the whole horizon, with the band that its figures lie in.

    simulator = SettingSimulator(request=request)
    figures = simulator.evaluate(settings)    # one Figures for each Setting, in their order

Settings of one request share what they have in common: sizes of files over all intervals and rates, the history of
manifests over all expiry, and gzip. So a lattice costs little more than its intervals do.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from wasim.capacity.commits import latency_request, rounded
from wasim.capacity.cost import Load, MonthlyCost, files_of_a_day, monthly_cost, waiting_for_expiry
from wasim.capacity.milestones import Milestones, milestones_of
from wasim.capacity.request import PlanRequest
from wasim.capacity.settings import NO_MAINTENANCE, Setting, case_of
from wasim.capacity.shapes import Shapes
from wasim.contention import CommitLatency, Footprint, Outcome, commit_latency, commit_slowing
from wasim.forecast import Forecaster
from wasim.forecast.ahead import profile_of
from wasim.iceberg.properties import TableProperties
from wasim.ledger import METADATA_KINDS, Kind, Scanned, Summed
from wasim.ledger.vocabulary import DATA_KINDS, MANIFEST_KINDS
from wasim.scenario import Case
from wasim.scenario.limits import Limit
from wasim.twin import Site
from wasim.units import DAY_S, HOUR_S, Floats
from wasim.years import Settled, Shape, YearsOf, simulate_ahead, with_lost

PLANNING_BAND, WIDE_PLANNING_BAND = 0.15, 0.5  # of small manifests within what was seen, and of all else
PLANNING_BAND_MS = 20.0  # at least: in two runs of `make validate-plan`, 13 to 80 ms were up to 17 ms off
LEAST_COST_BAND = 0.05
FIRST_COMMITS = 100
FAR_FROM_FULL = 0.25  # of the target: the manifests of one bin may come to a few times as much just before they merge


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """A setting's figures over the horizon: `values` by metric, `bands` their relative half-widths where known.

    `keeps_up_s` is when a commit would take longer than its interval, in seconds of event time; None: never.
    `extrapolated` says whether latencies are of a larger table than any that they were measured on. `cost` is a
    month's, in the currency of the request's prices.
    """

    setting: Setting
    values: Mapping[str, float]
    bands: Mapping[str, float]
    approximated: tuple[str, ...]
    keeps_up_s: float | None
    cost: MonthlyCost
    written_bytes: Mapping[Kind, int]
    written_bands: Mapping[Kind, float]  # relative half-widths of the former
    on_disk_bytes: Mapping[Kind, int]
    milestones: Milestones
    extrapolated: bool
    first_commit_bytes: float  # metadata that each of the first hundred commits writes, on average
    footprint: Footprint  # of a commit at the end
    sustained: bool = True  # by several writers, whose race this is
    commit: CommitLatency | None = None  # at the end, where it was modelled

    @property
    def keeps_up(self) -> bool:
        """Whether a writer may keep up over the whole horizon, as far as the bytes of its commits say."""
        return self.keeps_up_s is None and self.sustained and (self.commit is None or self.commit.sustains)

    @property
    def per_day_bytes(self) -> float:
        """Metadata written in a day, the mean of the horizon."""
        return self.values["metadata_bytes_per_day"]

    @property
    def monthly_cost(self) -> float:
        """What a month costs, in the currency of the prices."""
        return self.values["monthly_cost"]

    def at(self, metric: str, *, shift: float = 0.0) -> float:
        """A value, moved within its band: by its half-width at 1, down by the same at -1."""
        return self.values[metric] * (1 + shift * self.bands.get(metric, 0.0))

    def broken(self, limits: Iterable[Limit], *, shift: float = 0.0) -> tuple[Limit, ...]:
        """The limits that the setting breaks, its values moved within their bands."""
        return tuple(limit for limit in limits if not limit.holds(self.at(limit.metric, shift=shift)))


@dataclass(slots=True, kw_only=True)
class SettingSimulator:
    """Simulates settings of one request: what they share is found once, and no setting is simulated twice."""

    request: PlanRequest
    shapes: Shapes | None = None  # of another request for the same table, which differs in its rate alone
    raced: Outcome | None = None  # what the writers' race came to, where it has been run
    _shape_of: dict[tuple[float, float], Shape] = field(default_factory=dict)
    _years: dict[tuple[object, ...], YearsOf] = field(default_factory=dict)
    _cases: dict[tuple[Setting, float], Case] = field(default_factory=dict)
    _known: dict[tuple[Setting, float], Figures] = field(default_factory=dict)
    _sums: dict[tuple[Setting, float], Summed] = field(default_factory=dict)
    _races: dict[tuple[float, Footprint], Outcome] = field(default_factory=dict)
    _bytes_per_row: float | None = None

    def of_other_rate(self, request: PlanRequest) -> "SettingSimulator":
        """A simulator of a request that differs in its rate alone: what files weigh is read off those encoded here."""
        return SettingSimulator(request=request, shapes=self._shapes_for(request))

    def of_other_files(self, request: PlanRequest) -> "SettingSimulator":
        """A simulator for a few intervals of a request that differs in its files per commit."""
        return SettingSimulator(request=request, shapes=self._shapes_for(request).of_other_rows())

    def of_other_table(self, request: PlanRequest) -> "SettingSimulator":
        """A simulator for a few intervals of a request that differs in its table's columns."""
        own = self._shapes_for(request)
        return SettingSimulator(request=request, shapes=Shapes(profile=own.profile, site=own.site, encodes_each=True))

    def _shapes_for(self, request: PlanRequest) -> Shapes:
        return self._shapes_of(case_of(request, Setting(interval_s=request.longest_s, maintenance=NO_MAINTENANCE)))

    def evaluate(self, settings: Iterable[Setting], *, rate: float = 1.0) -> tuple[Figures, ...]:
        """The figures of each setting, in their order, at a multiple of the request's rate.

        WasimError for what makes no sense, by flag or field.
        """
        return tuple(self.figures(setting, rate=rate) for setting in settings)

    def simulate_ahead(self, settings: Iterable[tuple[Setting, float]]) -> None:
        """Spreads what takes longest of simulating these settings, at their rates, over the cores of this machine."""
        cases = [(self._case(setting, rate), setting, rate) for setting, rate in settings]
        simulate_ahead((self.years_of(case, setting, rate=rate), case) for case, setting, rate in cases)

    def figures(self, setting: Setting, *, rate: float = 1.0) -> Figures:
        """The figures of one setting."""
        key = setting, rate
        if key not in self._known:
            self._known[key] = self._figures(setting, rate)
        return self._known[key]

    def figures_over(self, setting: Setting, horizons_s: Sequence[float]) -> tuple[Figures, ...]:
        """The figures of one setting at these horizons, in seconds."""
        case, found = self._case(setting, 1.0), []
        uncompressed = replace(setting, gzips_json=False)
        for at in map(case.over, horizons_s):
            summed = self.years_of(case, setting).simulate(at)
            plain = self.years_of(case, uncompressed).simulate(at) if setting.gzips_json else summed
            found.append(self.figures_of(at, setting, summed, plain))
        return tuple(found)

    def fills_manifests(self, setting: Setting) -> bool:
        """Whether a larger target could make a difference: with far fewer bytes than it no manifest is ever full."""
        case = case_of(self.request, setting)
        target = TableProperties.read(case.table.properties).manifest_target_size_bytes
        return self.years_of(case, setting).most_manifest_bytes(case) > FAR_FROM_FULL * target

    @property
    def evaluated(self) -> int:
        """How many settings have been simulated."""
        return len(self._known)

    def files_per_commit(self, setting: Setting) -> float:
        """Data files of a commit."""
        return self._shape(self._case(setting, 1.0), setting, 1.0).arrivals.files

    def _figures(self, setting: Setting, rate: float) -> Figures:
        case = self._case(setting, rate)
        summed = self._simulate(setting, rate)
        plain = self._simulate(replace(setting, gzips_json=False), rate) if setting.gzips_json else summed
        return self.figures_of(case, setting, summed, plain)

    def figures_of(self, case: Case, setting: Setting, summed: Summed, plain: Summed) -> Figures:
        """The figures of a setting whose case came to these sums, and without gzip to `plain`."""
        data_bytes = self._row_bytes() * case.commits * case.rows_per_commit
        request, reckoned, sustained = self.request, _Reckoned(case=case, summed=summed, plain=plain), True
        if request.writers > 1:
            outcome = self._race(case, reckoned.footprint(merges=case.merges))
            sustained = self.raced is not None or outcome.sustains(case.commit_interval_s)
            together = replace(case, writer=case.writer.model_copy(update={"writers": request.writers}))
            summed = with_lost(together, summed, Settled(races=(replace(outcome, failed=0),)))
            reckoned = replace(reckoned, summed=summed)
        load = reckoned.load if request.counts_opening else replace(reckoned.load, opened_files=0.0)
        cost = monthly_cost(load, setting, request.machine, request.prices, request.queries_per_hour)
        planning_ms = request.machine.full_scan_ms(reckoned.json_at_end, *reckoned.planned_at_end)
        values = _values(reckoned, data_bytes) | {"planning_p50_ms": planning_ms, "monthly_cost": cost.total}
        extrapolated = request.machine.is_beyond(reckoned.json_at_end, values["manifests"], values["files"])
        waits = request.machine.waits(*reckoned.planned_at_end)
        planning_band = PLANNING_BAND if waits and not extrapolated else WIDE_PLANNING_BAND
        return Figures(
            setting=setting,
            values=values,
            bands=_bands(summed) | {"planning_p50_ms": max(planning_band, PLANNING_BAND_MS / planning_ms)},
            approximated=summed.approximated,
            keeps_up_s=_keeps_up_s(reckoned, setting, request),
            cost=cost,
            written_bytes=summed.totals.written_bytes,
            written_bands=summed.band,
            on_disk_bytes=summed.totals.on_disk_bytes,
            milestones=milestones_of(case, summed),
            extrapolated=extrapolated,
            footprint=reckoned.footprint(merges=case.merges),
            sustained=sustained,
            first_commit_bytes=float(np.mean(summed.ledger.metadata_bytes[summed.ledger.commit <= FIRST_COMMITS])),
        )

    def _case(self, setting: Setting, rate: float) -> Case:
        key = setting, rate
        if key not in self._cases:
            self._cases[key] = case_of(self.request, setting, rate=rate)
        return self._cases[key]

    def _race(self, case: Case, footprint: Footprint) -> Outcome:
        if self.raced is not None:
            return self.raced
        asked = latency_request(rounded(footprint), case.commit_interval_s, case, self.request)
        key = asked.commit_interval_s, asked.footprint
        if key not in self._races:
            self._races[key] = commit_latency(asked).outcome
        return self._races[key]

    def _simulate(self, setting: Setting, rate: float) -> Summed:
        key = setting, rate
        if key not in self._sums:
            case = self._case(setting, rate)
            self._sums[key] = self.years_of(case, setting, rate=rate).simulate(case)
        return self._sums[key]

    def years_of(self, case: Case, setting: Setting, *, rate: float = 1.0) -> YearsOf:
        """What simulates the settings that share their shape, their appends and their manifests."""
        plain = setting.interval_s, rate, setting.appends, setting.manifest_target_bytes
        if (*plain, False) not in self._years:
            forecaster = Forecaster(site=self._site, shape=self._shape(case, setting, rate))
            self._years[*plain, False] = forecaster.years_of(case)
        if not setting.gzips_json:
            return self._years[*plain, False]
        if (*plain, True) not in self._years:
            shape = self._shapes_of(case).with_json_of(case, self._shape(case, setting, rate))
            self._years[*plain, True] = replace(self._years[*plain, False], shape=shape)  # one dict of histories
        return self._years[*plain, True]

    def _shape(self, case: Case, setting: Setting, rate: float) -> Shape:
        key = setting.interval_s, rate
        if key not in self._shape_of:
            plain = self._case(replace(setting, gzips_json=False), rate) if setting.gzips_json else case
            self._shape_of[key] = self._shapes_of(case).of(plain)
        return self._shape_of[key]

    def _shapes_of(self, case: Case) -> Shapes:
        if self.shapes is None:
            self.shapes = Shapes(profile=profile_of(case), site=self._site)
        return self.shapes

    @property
    def _site(self) -> Site:
        return Site(location=self.request.location)

    def _row_bytes(self) -> float:
        """Data bytes that a row first takes at the longest interval: what amplification divides by."""
        if self._bytes_per_row is None:
            setting = Setting(interval_s=self.request.longest_s, maintenance=NO_MAINTENANCE)
            case = case_of(self.request, setting)
            self._bytes_per_row = self._shape(case, setting, 1.0).ingested_bytes / case.rows_per_commit
        return self._bytes_per_row


@dataclass(frozen=True, kw_only=True)
class _Reckoned:
    """A simulated case, and what follows from it for latencies and costs."""

    case: Case
    summed: Summed
    plain: Summed  # the same with metadata.json uncompressed

    @cached_property
    def json_bytes(self) -> Floats:
        """Of metadata.json uncompressed, at the commits of the ledger."""
        return self.plain.ledger.written_bytes[Kind.METADATA_JSON].astype(np.float64)

    @cached_property
    def json_at_end(self) -> float:
        """The same at the end."""
        return float(self.plain.live_bytes[Kind.METADATA_JSON])

    @cached_property
    def planned_at_end(self) -> tuple[float, float, float]:
        """Manifests that a full scan reads, files, and bytes of the manifests."""
        scanned = self._scanned
        return float(scanned.manifests[-1]), float(self.summed.ledger.live_entries[-1]), float(scanned.bytes[-1])

    @property
    def _scanned(self) -> Scanned:
        scanned = self.summed.scanned
        assert scanned is not None  # noqa: S101 - what years always say
        return scanned

    def footprint(self, *, merges: bool) -> Footprint:
        """What a commit reads and writes of metadata at the end; merging appends read a manifest again on average."""
        ledger = self.summed.ledger
        return Footprint(
            metadata_json_bytes=float(self.summed.live_bytes[Kind.METADATA_JSON]),
            manifest_list_bytes=float(ledger.written_bytes[Kind.MANIFEST_LIST][-1]),
            manifest_bytes=float(ledger.written_bytes[Kind.DATA_MANIFEST][-1]),
            manifests_merged=1.0 if merges else 0.0,
        )

    @cached_property
    def load(self) -> Load:
        """What the case asks of store and machines."""
        summed, totals = self.summed, self.summed.totals
        on_disk, live, horizon_s = totals.on_disk_bytes, summed.live_bytes, self.case.horizon_s
        compaction, expiry = self.case.maintenance.rewrite_data_files, self.case.maintenance.expire_snapshots
        return Load(
            horizon_s=horizon_s,
            commits=float(self.case.commits),
            files_written=float(sum(totals.files_written.values())),
            bytes_written=float(totals.metadata_bytes + max(0, totals.data_bytes - summed.ingested_bytes)),
            compacted_bytes=float(max(0, totals.data_bytes - summed.ingested_bytes)),
            metadata_on_disk_bytes=float(sum(on_disk[kind] for kind in METADATA_KINDS)),
            replaced_data_bytes=waiting_for_expiry(
                max(0, sum(totals.written_bytes[kind] - live[kind] for kind in DATA_KINDS)),
                horizon_s=horizon_s,
                kept_s=None if expiry is None else expiry.older_than,
                every_s=None if expiry is None else expiry.every,
            ),
            json_bytes=self._mean(self.json_bytes),
            stored_json_bytes=self._mean(summed.ledger.written_bytes[Kind.METADATA_JSON].astype(np.float64)),
            list_bytes=self._mean(summed.ledger.written_bytes[Kind.MANIFEST_LIST].astype(np.float64)),
            manifests=self._mean(self._scanned.manifests),
            manifest_bytes=self._mean(self._scanned.bytes),
            files=self._mean(summed.ledger.live_entries.astype(np.float64)),
            opened_files=files_of_a_day(
                self._arriving,
                max(0.0, sum(totals.files_written[kind] for kind in DATA_KINDS) - self._arriving),
                float(summed.ledger.live_entries[-1]),
                horizon_s=horizon_s,
                compact_every_s=None if compaction is None else compaction.every,
            ),
        )

    @cached_property
    def _arriving(self) -> float:
        """Files of data and deletes that the commits write over the horizon."""
        return self.case.commits * float(np.median(self.summed.ledger.entries_added))

    def _mean(self, column: Floats) -> float:
        """Over the horizon, of what is known at some of its commits."""
        at = self.summed.ledger.event_time_s
        if len(at) < 2:
            return float(column[-1])
        return float(np.sum(np.diff(at) * (column[1:] + column[:-1]) / 2) / (at[-1] - at[0]))


def _keeps_up_s(reckoned: _Reckoned, setting: Setting, request: PlanRequest) -> float | None:
    ledger, machine = reckoned.summed.ledger, request.machine
    slowed_s = commit_slowing().commit_s(reckoned.json_bytes)
    too_long = machine.commit_ms + machine.loading_ms(reckoned.json_bytes) > setting.interval_s * 1000
    late = too_long | (slowed_s > setting.interval_s)
    return float(ledger.event_time_s[int(np.argmax(late))]) if np.any(late) else None


def _values(reckoned: _Reckoned, data_bytes: float) -> dict[str, float]:
    summed, days = reckoned.summed, reckoned.case.horizon_s / DAY_S
    totals, on_disk = summed.totals, summed.totals.on_disk_bytes
    metadata = float(totals.metadata_bytes)
    return {
        "metadata_bytes_per_day": metadata / days,
        "wa_metadata": metadata / data_bytes,
        "metadata_json_bytes": float(summed.live_bytes[Kind.METADATA_JSON]),
        "manifests": float(summed.ledger.live_manifests[-1]),
        "manifest_bytes": float(sum(summed.live_bytes[kind] for kind in MANIFEST_KINDS)),
        "snapshots": float(summed.ledger.snapshots_retained[-1]),
        "files": float(summed.ledger.live_entries[-1]),
        "metadata_bytes": metadata,
        "metadata_on_disk_bytes": float(sum(on_disk[kind] for kind in METADATA_KINDS)),
        "metadata_bytes_per_event_hour": metadata / days / (DAY_S / HOUR_S),
        "files_written_per_day": float(sum(totals.files_written.values())) / days,
        "wa_data": totals.data_bytes / data_bytes,
        "wa_total": (totals.data_bytes + metadata) / data_bytes,
    }


def _bands(summed: Summed) -> dict[str, float]:
    written = summed.totals.written_bytes
    metadata = sum(summed.band[kind] * written[kind] for kind in METADATA_KINDS) / max(summed.totals.metadata_bytes, 1)
    data = summed.band[Kind.DATA]
    of_metadata = ("metadata_bytes_per_day", "wa_metadata", "metadata_bytes", "metadata_bytes_per_event_hour")
    return {
        **dict.fromkeys((*of_metadata, "metadata_on_disk_bytes"), metadata),
        "metadata_json_bytes": summed.band[Kind.METADATA_JSON],
        "manifests": summed.band[Kind.DATA_MANIFEST],
        **dict.fromkeys(("wa_data", "wa_total"), max(data, metadata)),
        "monthly_cost": max(LEAST_COST_BAND, metadata),
    }
