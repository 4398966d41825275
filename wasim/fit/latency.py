"""Laws of latency: of loading and planning from probes, of commits and steps from ledgers.

    load_ms     = base + megabyte · metadata.json
    planning_ms = base + manifest · manifests scanned + file · files planned
    commit_ms   = base + snapshot · S + manifest · M
    step_ms     = base + snapshot · S + manifest · M + row · rows

Loading parses the whole metadata.json; planning reads every manifest that it cannot skip, and makes a task of each
file; a commit reads and writes the metadata and the list again; a step also writes the rows. The coefficients of
commits and steps per snapshot and manifest are fitted within cases, since from case to case the machine's speed varies
too.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from wasim.fit.groups import Group, Observed
from wasim.fit.held_out import intervals_of, split_intervals
from wasim.fit.report import Coefficient, HeldOut, LatencyFit
from wasim.fit.robust import BOOTSTRAP_DRAWS, RobustFit, fit_robust
from wasim.ledger import PlanningProbe, of_first_reader
from wasim.units import MEGABYTE, Floats, Ints

ALL_WRITERS = "all writers"
Latency = Literal["load", "planning", "commit", "step"]
_TERMS: dict[Latency, tuple[tuple[str, str], ...]] = {
    "load": (("base", "ms"), ("metadata_megabyte", "ms per MB of metadata.json")),
    "planning": (("base", "ms"), ("manifest_scanned", "ms per manifest"), ("file_planned", "ms per file")),
    "commit": (("base", "ms"), ("retained_snapshot", "ms per snapshot"), ("live_manifest", "ms per manifest")),
    "step": (
        ("base", "ms"),
        ("retained_snapshot", "ms per snapshot"),
        ("live_manifest", "ms per manifest"),
        ("row", "ms per row"),
    ),
}
_AGEING: dict[Latency, tuple[int, ...]] = {"load": (), "planning": (), "commit": (1, 2), "step": (1, 2)}
_NOT_APART = {
    "live_manifest": "grows in step with retained_snapshot in this run, and is part of it",
    "file_planned": "grows in step with manifest_scanned in this run, and is part of it",
    "row": "every commit added as many rows, so it is part of base; two commit intervals would tell",
}
_WARM_UP_SHARE = 0.05  # of a case's commits, left out because the JVM still compiles
_WARM_UP_COMMITS = 3
FEWEST_WARM_COMMITS = 5  # a case with fewer after its warm-up says nothing of latency
_NEGLIGIBLE_SHARE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """Rows of one latency's law: drivers, milliseconds, and the case that each row belongs to."""

    design: Floats
    measured_ms: Floats
    series: Ints

    def __len__(self) -> int:
        """How many rows."""
        return len(self.measured_ms)


def planning_samples(observed: tuple[Observed, ...], latency: Latency) -> Samples:
    """One row per warm probe of the first reader, the median of its rounds; none where the reader lacks a driver."""
    probes = [(number, probe) for number, one in enumerate(observed) for probe in of_first_reader(one.probes)]
    rows = [
        (number, probe, tuple(probe_drivers(probe)[name] for name, _ in _TERMS[latency]))
        for number, probe in probes
        if probe.temperature == "warm" and len(probe_ms(probe, latency))
    ]
    chosen = [(number, probe, drivers) for number, probe, drivers in rows if None not in drivers]
    drivers = np.array([drivers for _, _, drivers in chosen], dtype=np.float64)
    return Samples(
        design=drivers.reshape(len(chosen), len(_TERMS[latency])),
        measured_ms=np.array([float(np.median(probe_ms(probe, latency))) for _, probe, _ in chosen]),
        series=np.array([number for number, _, _ in chosen], dtype=np.int64),
    )


def probe_drivers(probe: PlanningProbe) -> dict[str, float | None]:
    """The drivers of loading and planning, by the names of their coefficients; None where the reader shows none."""
    return {
        "base": 1.0,
        "metadata_megabyte": probe.metadata_json_bytes / MEGABYTE,
        "manifest_scanned": probe.manifests_scanned,
        "file_planned": probe.files_planned,
    }


def probe_ms(probe: PlanningProbe, latency: Latency) -> Floats:
    """Milliseconds of each round of a probe: of its load, or of its planning."""
    return probe.load_ms if latency == "load" else probe.planning_ms


def ledger_samples(observed: tuple[Observed, ...], latency: Latency) -> Samples:
    """One row per commit, without the first few of each case."""
    designs, times, series = [np.zeros((0, len(_TERMS[latency])))], [np.zeros(0)], [np.zeros(0, dtype=np.int64)]
    for number, one in enumerate(observed):
        ledger = one.ledger
        columns = [np.ones(len(ledger)), ledger.snapshots_retained, ledger.live_manifests, ledger.records_added]
        measured = ledger.step_ms if latency == "step" else ledger.commit_ms
        warm_up = max(_WARM_UP_COMMITS, int(_WARM_UP_SHARE * len(ledger)))
        if len(ledger) < warm_up + FEWEST_WARM_COMMITS:
            continue
        rows = np.arange(len(ledger)) >= warm_up
        rows &= np.isfinite(measured) & (measured > 0)
        designs.append(np.column_stack(columns[: len(_TERMS[latency])]).astype(np.float64)[rows])
        times.append(np.asarray(measured, dtype=np.float64)[rows])
        series.append(np.full(int(rows.sum()), number))
    return Samples(design=np.concatenate(designs), measured_ms=np.concatenate(times), series=np.concatenate(series))


def fit_latency(samples: Samples, latency: Latency, rng: np.random.Generator | None = None) -> RobustFit | None:
    """The law of one latency; None with fewer rows than its coefficients and two. Without `rng` it has no intervals."""
    if len(samples) < samples.design.shape[1] + 2:
        return None
    draws = 0 if rng is None else BOOTSTRAP_DRAWS
    rng, within = rng or np.random.default_rng(0), _AGEING[latency]
    return fit_robust(samples.design, samples.measured_ms, samples.series, rng, draws=draws, within=within)


def report_latency(writer: str | None, latency: Latency, fit: RobustFit) -> LatencyFit:
    """A fitted law as a row of the report; `writer` None: over all writers."""
    coefficients = []
    for column, ((name, unit), estimate) in enumerate(zip(_TERMS[latency], fit.estimates(), strict=True)):
        seen = bool(fit.identified[column])
        note = "" if seen else _NOT_APART.get(name, "this run cannot tell it apart; it is part of the others")
        if seen and column and estimate.low <= _NEGLIGIBLE_SHARE * estimate.high:
            note = "not distinguishable from zero"
        coefficients.append(Coefficient(name=name, unit=unit, estimate=estimate if seen else None, note=note))
    return LatencyFit(
        writer=writer, latency=latency, coefficients=tuple(coefficients), r_squared=fit.r_squared, samples=fit.rows
    )


def hold_out_commits(group: Group, latency: Latency) -> tuple[HeldOut, ...]:
    """Fit alternating intervals; compare the typical (median) latency of each held-out case, summed over them."""
    fitted, held = split_intervals(group)
    samples = (ledger_samples(fitted, latency), ledger_samples(held, latency))
    return _hold_out(group.name, latency, (fitted, held), samples)


def hold_out_planning(groups: tuple[Group, ...], latency: Latency) -> tuple[HeldOut, ...]:
    """Held-out errors of planning, from the probes of all writers together: planning does not depend on the writer."""
    splits = [split_intervals(group) for group in groups]
    fitted = tuple(one for split in splits for one in split[0])
    held = tuple(one for split in splits for one in split[1])
    samples = (planning_samples(fitted, latency), planning_samples(held, latency))
    return _hold_out(ALL_WRITERS, latency, (fitted, held), samples)


def _hold_out(
    writer: str,
    latency: Latency,
    cases: tuple[tuple[Observed, ...], tuple[Observed, ...]],
    samples: tuple[Samples, Samples],
) -> tuple[HeldOut, ...]:
    seen, unseen = samples
    fit = fit_latency(seen, latency) if len(unseen) else None
    if fit is None:
        return ()
    numbers = np.unique(unseen.series)
    predicted = fit.predict(unseen.design)
    return (
        HeldOut(
            writer=writer,
            quantity=latency,
            unit="ms",
            fitted_on=intervals_of([cases[0][number] for number in np.unique(seen.series)]),
            predicted_for=intervals_of([cases[1][number] for number in numbers]),
            measured=sum(float(np.median(unseen.measured_ms[unseen.series == number])) for number in numbers),
            predicted=sum(float(np.median(predicted[unseen.series == number])) for number in numbers),
            naive=float(np.median(seen.measured_ms)) * len(numbers),
        ),
    )
