"""The data of a page's sliders: a lattice as one JSON document, with its names, limits and SQL."""

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from markupsafe import Markup

from wasim.capacity.commands import sql_of, writer_options
from wasim.capacity.lattice import OUTWEIGHS, PASSES, Axes, Lattice, Scale, limit_field
from wasim.capacity.request import PlanRequest
from wasim.capacity.settings import NO_MAINTENANCE
from wasim.capacity.words import SHOWN_METRICS, limit_words, period_words
from wasim.scenario import Case
from wasim.scenario.metrics import METRICS, PERIODS_S, Limit, figure_name
from wasim.units import format_duration, format_figure

SWITCHES = ("oldjson", "gzip")
KINDS = (
    ("written_json", "metadata.json", "vermillion"),
    ("written_lists", "manifest lists", "blue"),
    ("written_manifests", "manifests", "green"),
    ("written_other", "other metadata", "orange"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A slider, or a switch, that begins at `at` of its `names`."""

    key: str
    label: str
    names: tuple[str, ...]
    at: int
    values: tuple[float | None, ...] = ()  # of an axis of the lattice
    is_switch: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Explorer:
    """What the sliders' template renders: `document` is JSON that is safe inside a script element."""

    groups: tuple[tuple[str, tuple[Control, ...]], ...]
    metrics: tuple[tuple[str, str], ...]
    marks: tuple[tuple[str, str, str], ...]
    kinds: tuple[Mapping[str, str], ...]
    reset: str
    document: Markup


def explorer_of(
    lattice: Lattice,
    case: Case,
    *,
    request: PlanRequest,
    limits: Sequence[Limit],
    reset: str,
    shown: Sequence[str] = SHOWN_METRICS,
) -> Explorer:
    """The sliders over a lattice, beginning at its base setting, that of `case`, and the request's horizon."""
    axes, currency = list(_axes(lattice.axes, request.horizon_s)), request.prices.currency
    kinds = tuple(
        {"field": field, "name": name, "colour": colour}
        for field, name, colour in KINDS
        if np.nanmax(lattice.values[..., lattice.fields.index(field)]) > 0
    )
    document = {
        **_figures(lattice),
        **{one.key: {"names": one.names, "values": one.values} for one in axes},
        "start": {one.key: one.at for one in axes},
        "also": _also(lattice.axes),
        "limits": [_limit(limit, currency) for limit in limits],
        "marks": {field: {"field": field, "by": by, "bound": bound} for field, by, bound, _, _ in _marks()},
        "kinds": kinds,
        "currency": currency,
        **_commands(lattice.axes, case, request),
    }
    # `<` could end the script element; no other character could
    text = json.dumps(document, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return Explorer(
        groups=tuple(_groups(lattice, axes)),
        metrics=tuple((name, figure_name(name, case.writer.tables)) for name in shown),
        marks=tuple((field, subject, words) for field, _, _, subject, words in _marks()),
        kinds=kinds,
        reset=reset,
        document=Markup(text),  # noqa: S704 - JSON without `<`
    )


def _figures(lattice: Lattice) -> dict[str, Any]:
    axes, sparse = lattice.axes, lattice.sparse
    return {
        "fields": lattice.fields,
        "shape": lattice.values.shape,
        "values": _packed(lattice.values, "<f8"),
        "expiry": _expiry_places(axes),
        "sparse": {
            "interval": _between(axes.intervals_s, sparse.intervals),
            "horizon": _between(axes.horizons_s, sparse.horizons),
            "expiry": [int(place > 0) for place in range(len(axes.expiries))],
        },
        "scales": [
            {
                "key": scale.key,
                "names": [_number(value) for value in scale.values],
                "at": scale.at,
                "weights": _weights(scale),
                "shape": ratios.shape,
                "ratios": _packed(ratios, "<f4"),
            }
            for scale, ratios in zip(lattice.scales, lattice.ratios, strict=True)
        ],
    }


def _packed(values: np.ndarray[Any, Any], form: str) -> str:
    return b64encode(np.ascontiguousarray(values, dtype=form).tobytes()).decode("ascii")


def _between(values: Sequence[float], places: Sequence[int]) -> list[tuple[int, int, float]]:
    """For each value, the two indices into `places` that it lies between and its share of the way, in the logarithm."""
    logs, ends = np.log(values), np.log([values[place] for place in places])
    found = np.interp(logs, ends, np.arange(len(places)))
    return [(int(one), min(int(one) + 1, len(places) - 1), round(float(one % 1), 6)) for one in found]


def _weights(scale: Scale) -> list[list[tuple[int, float]]]:
    """For each value of a scale, (row, weight) of the simulated values to interpolate; the table's own has none."""
    rows = {place: row for row, place in enumerate(sorted(scale.simulated))}
    known = sorted({*rows, scale.at})
    between = _between(scale.values, known)
    found = []
    for low, high, share in between:
        ends = ((known[low], 1 - share), (known[high], share))
        found.append([(rows[place], weight) for place, weight in ends if weight > 0 and place in rows])
    return found


def _expiry_places(axes: Axes) -> list[list[int]]:
    """The index of each expiry by the indices of period and age; without expiry the age makes no difference."""
    ages = len(axes.ages_s)
    return [
        [0 if not period else 1 + (period - 1) * ages + age for age in range(ages)]
        for period in range(len(axes.periods_s))
    ]


def _axes(axes: Axes, horizon_s: float) -> Iterator[Control]:
    base, kept = axes.base, axes.base.maintenance
    keep_s = axes.ages_s[0] if kept.older_than_s is None else kept.older_than_s
    durations = (
        ("interval", "Commit interval", False, axes.intervals_s, base.interval_s),
        ("expire", "Expire snapshots", True, axes.periods_s, kept.expire_every_s),
        ("keep", "Keep snapshots for", False, axes.ages_s, keep_s),
        ("rewrite", "Rewrite manifests", True, axes.rewrites_s, kept.rewrite_every_s),
        ("compact", "Compact data files", True, axes.compactions_s, kept.compact_every_s),
        ("horizon", "Horizon", False, axes.horizons_s, horizon_s),
    )
    for key, label, is_period, values, at in durations:
        names = tuple(
            "never" if one is None else period_words(one) if is_period else format_duration(one) for one in values
        )
        yield Control(key=key, label=label, names=names, at=values.index(at), values=values)
    old = "Delete old metadata.json after commits"
    kept_or_not, at = ("kept", "deleted"), int(base.deletes_json)
    yield Control(key="oldjson", label=old, names=kept_or_not, at=at, values=(0.0, 1.0), is_switch=True)
    names, values = tuple("gzip" if one else "no" for one in axes.gzips), tuple(map(float, axes.gzips))
    label, at = "Compress metadata.json by gzip", axes.gzips.index(base.gzips_json)
    yield Control(key="gzip", label=label, names=names, at=at, values=values, is_switch=True)


def _marks() -> Iterator[tuple[str, str, float, str, str]]:
    """Field, by which metric it is reached and at what bound, subject and words; the subject is left out where there is
    no room.
    """
    for field, size in PASSES.items():
        yield field, "metadata_json_bytes", size, "metadata.json", f"json passes {size // 10**6} MB"
    yield OUTWEIGHS, "wa_metadata", 1, "metadata", "outweighs data"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else format_figure(value)


def _also(axes: Axes) -> list[str]:
    """The parts of the base setting that no slider changes, in words: one item, or none."""
    rewrite_s = axes.rewrites_s[0] if len(axes.rewrites_s) == 1 else None
    compact_s = axes.compactions_s[0] if len(axes.compactions_s) == 1 else None
    kept = replace(
        axes.base.maintenance,
        expire_every_s=None,
        older_than_s=None,
        rewrite_every_s=rewrite_s,
        compact_every_s=compact_s,
    )
    fixed = replace(axes.base, maintenance=kept, deletes_json=True, gzips_json=False)
    words = fixed.upkeep_words.removeprefix(NO_MAINTENANCE.words).removeprefix(", ")
    return [words] if words else []


def _limit(limit: Limit, currency: str) -> dict[str, Any]:
    return {
        "field": limit_field(limit.metric),
        "name": METRICS[limit.metric].words + (", worst" if limit.metric in PERIODS_S else ""),
        "comparison": limit.comparison,
        "bound": limit.bound,
        "text": limit_words(limit, currency),
    }


def _commands(axes: Axes, case: Case, request: PlanRequest) -> dict[str, Any]:
    """Statements by places of rewriting, compaction, expiry, deletion of metadata.json, and gzip."""
    sql = [sql_of(request, axes.setting(0, *places)) for places in np.ndindex(*axes.shape[1:])]
    settings = [axes.setting(interval, 0, 0, 0, 1, 0) for interval in range(len(axes.intervals_s))]
    writer = ["\n".join(writer_options(request, case, setting)[1]) for setting in settings]
    return {"sql": sql, "writer": writer}


def _groups(lattice: Lattice, axes: Sequence[Control]) -> Iterator[tuple[str, tuple[Control, ...]]]:
    """The sliders by subject; an axis of a single value has none."""
    made = {one.key: one for one in axes if len(one.names) > 1}
    maintenance = ("expire", "keep", "rewrite", "compact", *SWITCHES)
    for title, keys in (("Commits", ("interval",)), ("Maintenance", maintenance)):
        yield title, tuple(made[key] for key in keys if key in made)
    scales = tuple(
        Control(key=one.key, label=one.label, names=tuple(_number(value) for value in one.values), at=one.at)
        for one in lattice.scales
    )
    if scales:
        yield "Workload", scales
    yield "Over", tuple(made[key] for key in ("horizon",) if key in made)
