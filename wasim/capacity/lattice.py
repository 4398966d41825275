"""The axes of a page's sliders, and the lattice behind them: figures of every setting that they reach, and how these
change with the workload.

Interval, maintenance, gzip and horizon are simulated at every point. A workload's rate, columns and files per commit
are simulated one at a time and at a few points (`Scale`): what lies between, or differs
in several at once, is a product of ratios, linear in the logarithm.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, compress, product
from math import inf

import numpy as np

from wasim.capacity.figures import Figures, SettingSimulator
from wasim.capacity.settings import Setting
from wasim.capacity.words import SHOWN_METRICS
from wasim.ledger import Kind
from wasim.ledger.trouble import JSON_MARKS
from wasim.ledger.vocabulary import DATA_KINDS
from wasim.processes import map_in_processes
from wasim.scenario import Case
from wasim.scenario.metrics import PERIODS_S
from wasim.units import DAY_S, Floats

HORIZONS_S = tuple(days * DAY_S for days in (1, 7, 30, 365))
AGES_S = (DAY_S, 30 * DAY_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Axes:
    """The settings that sliders reach from `base`, whose other properties and jobs all of them share. Seconds.

    All are ascending but `periods_s`, `rewrites_s` and `compactions_s`, whose first is None: never.
    """

    base: Setting
    intervals_s: tuple[float, ...]
    periods_s: tuple[float | None, ...]
    ages_s: tuple[float, ...]
    rewrites_s: tuple[float | None, ...]
    compactions_s: tuple[float | None, ...]
    horizons_s: tuple[float, ...]
    gzips: tuple[bool, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many places each argument of `setting` has."""
        lengths = map(len, (self.intervals_s, self.rewrites_s, self.compactions_s, self.expiries, (0, 1), self.gzips))
        return tuple(lengths)

    @property
    def expiries(self) -> tuple[tuple[float | None, float | None], ...]:
        """(period, age) of every way to expire snapshots, without expiry first."""
        return ((None, None), *product(self.periods_s[1:], self.ages_s))

    def setting(self, interval: int, rewrite: int, compact: int, expiry: int, deletes_json: int, gzip: int) -> Setting:
        """The setting at these places of the axes."""
        every_s, older_than_s = self.expiries[expiry]
        kept = replace(
            self.base.maintenance,
            expire_every_s=every_s,
            older_than_s=older_than_s,
            rewrite_every_s=self.rewrites_s[rewrite],
            compact_every_s=self.compactions_s[compact],
        )
        return replace(
            self.base,
            interval_s=self.intervals_s[interval],
            maintenance=kept,
            deletes_json=bool(deletes_json),
            gzips_json=self.gzips[gzip],
        )


def axes_for(
    case: Case,
    base: Setting,
    intervals_s: Iterable[float],
    *,
    time_travel_s: float,
    horizon_s: float,
    horizons_s: Sequence[float] = HORIZONS_S,
) -> Axes:
    """Axes through the base setting of `case`, these intervals, this age of snapshots and this horizon; compaction and
    gzip are the base's.

    Manifests are rewritten only where the case's appends do not merge them.
    """
    maintenance = base.maintenance
    merges = case.merges and maintenance.rewrite_every_s is None
    return Axes(
        base=base,
        intervals_s=tuple(sorted({base.interval_s, *intervals_s})),
        periods_s=seldom_first({None, DAY_S, maintenance.expire_every_s}),
        ages_s=tuple(sorted({*AGES_S, maintenance.older_than_s or time_travel_s})),
        rewrites_s=(None,) if merges else seldom_first({None, maintenance.rewrite_every_s or DAY_S}),
        compactions_s=(maintenance.compact_every_s,),
        horizons_s=tuple(sorted({*horizons_s, horizon_s})),
        gzips=(base.gzips_json,),
    )


def seldom_first(periods_s: set[float | None]) -> tuple[float | None, ...]:
    """Ascending by how often; never, which is None, comes first."""
    return tuple(sorted(periods_s, key=lambda every_s: -(every_s or inf)))


def thinned(intervals_s: Iterable[float], own_s: float, *, most: int) -> list[float]:
    """At most `most` of these intervals: always the shortest, the longest and `own_s`."""
    found = sorted({*intervals_s})
    while len({*found, own_s}) > most:
        inner = [place for place in range(1, len(found) - 1) if found[place] != own_s]
        found.pop(min(inner, key=lambda place: found[place + 1] / found[place - 1]))
    return found


METRICS = (*SHOWN_METRICS, "snapshots")
"""Metrics of every lattice; what limits judge is added."""

WRITTEN: Mapping[str, tuple[Kind, ...]] = {
    "written_json": (Kind.METADATA_JSON,),
    "written_lists": (Kind.MANIFEST_LIST,),
    "written_manifests": (Kind.DATA_MANIFEST, Kind.DELETE_MANIFEST),
    "written_other": (Kind.STATISTICS, Kind.VERSION_HINT),
    "written_data": DATA_KINDS,
}
"""Bytes written over the horizon, by the kinds that a chart tells apart."""

STOPS = "stops_days"  # when no writer keeps up any more
OUTWEIGHS = "outweighs_days"
PASSES: Mapping[str, int] = {f"passes_{int(mark.value) // 10**6}mb_days": int(mark.value) for mark in JSON_MARKS}
"""Days until metadata.json is that large; infinite where it is not within the horizon."""


WORST_DAY = "worst_day_"  # before a metric whose value is a mean, of which limits judge the most


def limit_field(metric: str) -> str:
    """The field that a limit on a metric judges."""
    return f"{WORST_DAY}{metric}" if metric in PERIODS_S else metric


MOST_MERGING_COMMITS = 100_000  # with jobs besides: histories of as many take a tenth of a second, of more up to one


def has_horizons(case: Case) -> bool:
    """Whether a page may simulate the case at several horizons: statements and several writers take long."""
    upserts = case.writer.upsert is not None and not case.key_columns
    return case.writer.writers == 1 and not case.has_changes and not upserts


def is_affordable(case: Case, setting: Setting, until_s: float) -> bool:
    """Whether a page may simulate the case under a setting until then: not where its appends merge while jobs rewrite,
    over very many commits.
    """
    kept = setting.maintenance
    has_jobs = kept.compact_every_s is not None or kept.rewrite_every_s is not None
    return not (case.merges and has_jobs) or until_s / setting.interval_s <= MOST_MERGING_COMMITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """One number of the workload: the values that its slider takes, the table's own among them at `at`."""

    key: str
    label: str
    values: tuple[float, ...]
    at: int
    simulated: Mapping[int, SettingSimulator]  # by place; the table's own is not among them


@dataclass(frozen=True, slots=True, kw_only=True)
class Sparse:
    """Which points of the axes a scale is simulated at: places of intervals, expiries and horizons, ascending."""

    intervals: tuple[int, ...]
    expiries: tuple[int, int]
    horizons: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lattice:
    """Figures by place: `values` is indexed by interval, rewriting, compaction, expiry, deletion of metadata.json,
    gzip, horizon, field.

    NaN where a horizon is shorter than an interval. `ratios` has, for each scale, the logarithms of the figures at its
    simulated places, ascending, over the table's own: by place, interval, rewriting, expiry, horizon, field, the
    middle ones being `sparse`'s; all else is the base's, but that old metadata.json are deleted.
    """

    axes: Axes
    fields: tuple[str, ...]
    values: Floats
    scales: tuple[Scale, ...]
    sparse: Sparse
    ratios: tuple[Floats, ...]


def build_lattice(
    axes: Axes,
    simulator: SettingSimulator,
    *,
    metrics: Iterable[str] = (),
    scales: Sequence[Scale] = (),
    is_shown: Callable[[Setting, float], bool] = lambda setting, horizon_s: True,
) -> Lattice:
    """The lattice of `METRICS` and what limits on `metrics` judge; NaN where a setting is not shown at a horizon."""
    fields = (*dict.fromkeys((*METRICS, *map(limit_field, metrics))), *WRITTEN, STOPS, OUTWEIGHS, *PASSES)
    shape = axes.shape
    values = np.full((*shape, len(axes.horizons_s), len(fields)), np.nan)
    settings = {place: axes.setting(*place) for place in np.ndindex(*shape)}
    tables = _tables(simulator, settings.values(), axes.horizons_s, fields, is_shown)
    for place, setting in settings.items():
        values[place] = tables[setting]
    sparse = _sparse(axes)
    return Lattice(
        axes=axes,
        fields=fields,
        values=values,
        scales=tuple(scales),
        sparse=sparse,
        ratios=tuple(_ratios(axes, sparse, scale, values, fields, is_shown) for scale in scales),
    )


def _tables(
    simulator: SettingSimulator,
    settings: Iterable[Setting],
    horizons_s: Sequence[float],
    fields: Sequence[str],
    is_shown: Callable[[Setting, float], bool],
) -> dict[Setting, Floats]:
    """Figures of each setting by horizon and field, simulated on all cores; NaN where it is not shown."""
    groups: dict[object, list[tuple[Setting, list[bool]]]] = {}
    for setting in settings:
        shown = [one >= setting.interval_s and is_shown(setting, one) for one in horizons_s]
        groups.setdefault(setting.course_key, []).append((setting, shown))
    parts = [(simulator.for_settings(one for one, _ in group), group, horizons_s, fields) for group in groups.values()]
    return dict(chain.from_iterable(map_in_processes(_tables_of_group, parts)))


def _tables_of_group(
    part: tuple[SettingSimulator, Sequence[tuple[Setting, Sequence[bool]]], Sequence[float], Sequence[str]],
) -> list[tuple[Setting, Floats]]:
    simulator, group, horizons_s, fields = part
    found = []
    for setting, shown in group:
        table = np.full((len(horizons_s), len(fields)), np.nan)
        if any(shown):
            figures = simulator.figures_over(setting, [*compress(horizons_s, shown)])
            table[np.array(shown)] = [[_field(one, name) for name in fields] for one in figures]
        found.append((setting, table))
    return found


def _field(figures: Figures, name: str) -> float:
    if name in WRITTEN:
        return float(sum(figures.written_bytes[kind] for kind in WRITTEN[name]))
    if name == STOPS:
        return inf if figures.keeps_up_s is None else figures.keeps_up_s / DAY_S
    if name == OUTWEIGHS:
        return _or_never(figures.milestones.metadata_outweighs)
    if name in PASSES:
        return _or_never(figures.milestones.json_passes[PASSES[name]])
    if name.startswith(WORST_DAY):
        return figures.judged(name.removeprefix(WORST_DAY))
    return float(figures.values[name])


def _or_never(days: float | None) -> float:
    return inf if days is None else days


def _sparse(axes: Axes) -> Sparse:
    kept = axes.base.maintenance
    expiry = (kept.expire_every_s, kept.older_than_s)
    interval, last = axes.intervals_s.index(axes.base.interval_s), len(axes.intervals_s) - 1
    away = np.abs(np.log(np.array(axes.intervals_s) / axes.base.interval_s))
    further = last if away[last] > away[0] else 0
    return Sparse(
        intervals=tuple(sorted({interval, further})),
        expiries=(0, axes.expiries.index(expiry) if expiry in axes.expiries[1:] else 1),
        horizons=tuple(sorted({0, len(axes.horizons_s) // 2, len(axes.horizons_s) - 1})),
    )


def _ratios(
    axes: Axes,
    sparse: Sparse,
    scale: Scale,
    values: Floats,
    fields: Sequence[str],
    is_shown: Callable[[Setting, float], bool],
) -> Floats:
    """The logarithms; 0 where a figure is 0 or infinite, or not shown."""
    compact = axes.compactions_s.index(axes.base.maintenance.compact_every_s)
    gzip = axes.gzips.index(axes.base.gzips_json)
    middle = (sparse.intervals, range(len(axes.rewrites_s)), [compact], sparse.expiries, [1], [gzip])
    own = values[np.ix_(*middle, sparse.horizons)]
    horizons_s = [axes.horizons_s[one] for one in sparse.horizons]
    settings = [axes.setting(*one) for one in product(*middle)]
    found = []
    for _, simulator in sorted(scale.simulated.items()):
        tables = _tables(simulator, settings, horizons_s, fields, is_shown)
        figures = np.reshape([tables[setting] for setting in settings], own.shape)
        with np.errstate(divide="ignore", invalid="ignore"):
            found.append(np.log(figures / own)[:, :, 0, :, 0, 0])
    return np.where(np.isfinite(found), found, 0.0)
