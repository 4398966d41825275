"""The lattice behind a page's sliders: figures of every setting that they reach, and how they change with the workload.

Interval, maintenance and horizon are simulated at every point. A workload's rate, columns and files per commit are
simulated one at a time and at a few points (`Scale`): what lies between, or differs in several at once, is a product of
ratios, linear in the logarithm.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf

import numpy as np

from wasim.capacity.axes import Axes
from wasim.capacity.figures import Figures
from wasim.capacity.settings import Setting
from wasim.capacity.words import SHOWN_METRICS
from wasim.ledger import Kind
from wasim.ledger.trouble import JSON_MARKS
from wasim.ledger.vocabulary import DATA_KINDS
from wasim.scenario import Case
from wasim.units import DAY_S, Floats

Simulate = Callable[[Setting, Sequence[float]], Sequence[Figures]]
"""The figures of a setting at each of these horizons, ascending, in seconds."""

METRICS = (*SHOWN_METRICS, "snapshots")
"""Metrics of every lattice; those that a limit is on are added."""

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


MOST_MERGING_COMMITS = 100_000  # with jobs besides: histories of as many take a tenth of a second, of more up to one


def has_horizons(case: Case) -> bool:
    """Whether a page may simulate the case at several horizons: statements and several writers take long."""
    upserts = case.writer.upsert is not None and not case.key_columns
    return case.writer.writers == 1 and not case.has_changes and not upserts


def is_affordable(case: Case, setting: Setting, until_s: float) -> bool:
    """Whether a page may simulate the case under a setting until then: not where its appends merge beside jobs, over
    very many commits.
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
    simulated: Mapping[int, Simulate]  # by place; the table's own is not among them


@dataclass(frozen=True, slots=True, kw_only=True)
class Sparse:
    """Which points of the axes a scale is simulated at: places of intervals, expiries and horizons, ascending."""

    intervals: tuple[int, ...]
    expiries: tuple[int, int]
    horizons: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lattice:
    """Figures by place: `values` is indexed by interval, rewriting, expiry, deletion of metadata.json, horizon, field.

    NaN where a horizon is shorter than an interval. `ratios` has, for each scale, the logarithms of the figures at its
    simulated places, ascending, over the table's own: by place, interval, rewriting, expiry, horizon, field, the
    middle ones being those of `sparse`.
    """

    axes: Axes
    fields: tuple[str, ...]
    values: Floats
    scales: tuple[Scale, ...]
    sparse: Sparse
    ratios: tuple[Floats, ...]


def build_lattice(
    axes: Axes,
    simulate: Simulate,
    *,
    metrics: Iterable[str] = (),
    scales: Sequence[Scale] = (),
    is_shown: Callable[[Setting, float], bool] = lambda setting, horizon_s: True,
) -> Lattice:
    """The lattice of `METRICS` and `metrics`; NaN where a setting is not shown at a horizon."""
    fields = (*dict.fromkeys((*METRICS, *metrics)), *WRITTEN, STOPS, OUTWEIGHS, *PASSES)
    shape = (len(axes.intervals_s), len(axes.rewrites_s), len(axes.expiries), 2)
    values = np.full((*shape, len(axes.horizons_s), len(fields)), np.nan)
    for place in np.ndindex(*shape):
        values[place] = _figures_at(axes, place, simulate, fields, is_shown)
    sparse = _sparse(axes)
    own = values[np.ix_(sparse.intervals, range(shape[1]), sparse.expiries, [1], sparse.horizons)][:, :, :, 0]
    return Lattice(
        axes=axes,
        fields=fields,
        values=values,
        scales=tuple(scales),
        sparse=sparse,
        ratios=tuple(_ratios(axes, sparse, scale, own, fields) for scale in scales),
    )


def _figures_at(
    axes: Axes,
    place: tuple[int, ...],
    simulate: Simulate,
    fields: Sequence[str],
    is_shown: Callable[[Setting, float], bool],
) -> Floats:
    """Figures by horizon and field."""
    interval, rewrite, expiry, deletes_json = place
    setting = axes.setting(interval, rewrite, expiry, deletes_json)
    able = [
        at
        for at, horizon_s in enumerate(axes.horizons_s)
        if horizon_s >= setting.interval_s and is_shown(setting, horizon_s)
    ]
    found = np.full((len(axes.horizons_s), len(fields)), np.nan)
    if able:
        figures = simulate(setting, [axes.horizons_s[at] for at in able])
        found[able] = [[_field(one, name) for name in fields] for one in figures]
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


def _ratios(axes: Axes, sparse: Sparse, scale: Scale, own: Floats, fields: Sequence[str]) -> Floats:
    found = np.zeros((len(scale.simulated), *own.shape))
    places = list(product(enumerate(sparse.intervals), range(own.shape[1]), enumerate(sparse.expiries)))
    for number, (_, simulate) in enumerate(sorted(scale.simulated.items())):
        for (at, interval), rewrite, (row, expiry) in places:
            known = ~np.isnan(own[at, rewrite, row, :, 0])
            if not known.any():
                continue
            setting = axes.setting(interval, rewrite, expiry, 1)
            horizons_s = [
                axes.horizons_s[one] for one, is_known in zip(sparse.horizons, known, strict=True) if is_known
            ]
            figures = [[_field(one, name) for name in fields] for one in simulate(setting, horizons_s)]
            with np.errstate(divide="ignore", invalid="ignore"):
                found[number, at, rewrite, row, known] = np.log(figures / own[at, rewrite, row, known])
    return np.where(np.isfinite(found), found, 0.0)
