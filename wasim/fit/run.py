"""The fit of a run: cost equations and laws of latency from its ledgers and probes."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from wasim.fit.cost import WriterFit, fit_group, predicted_total, report_cost, report_ingest
from wasim.fit.groups import Group, cases_by_table, group_cases, name_without_interval
from wasim.fit.held_out import hold_out_intervals, hold_out_second_half
from wasim.fit.latency import (
    Latency,
    fit_latency,
    hold_out_commits,
    hold_out_planning,
    ledger_samples,
    planning_samples,
    report_latency,
)
from wasim.fit.report import FitReport, HeldOut, KeepsUp, LatencyFit, ModelPoint, SustainableInterval
from wasim.fit.sustain import expect_slowing, find_sustainable
from wasim.model import read_appends
from wasim.runs import Run

_POINTS = 33


def model_line(writer: WriterFit) -> Iterator[ModelPoint]:
    """Points from half the shortest interval to twice the longest, shortest first, table by table."""
    for cases in cases_by_table(writer.group):
        horizon_s = max(case.horizon_s for case in cases)
        most, fewest = 2 * horizon_s / cases[0].commit_interval_s, horizon_s / cases[-1].commit_interval_s / 2
        # whole numbers of commits only, lest the line have teeth where one commit more fits into the horizon
        counts = np.unique(np.rint(np.geomspace(max(1.0, fewest), max(1.0, most), _POINTS)).astype(np.int64))[::-1]
        for count in counts.tolist():
            case = replace(cases[0], commit_interval_s=horizon_s / count, horizon_s=horizon_s)
            commits = np.arange(1, count + 1, dtype=np.int64)
            yield ModelPoint(
                writer=writer.group.name,
                case=name_without_interval(case),
                commit_interval_s=case.commit_interval_s,
                horizon_s=horizon_s,
                metadata_bytes=sum(predicted_total(writer, kind, case, commits) for kind in writer.kinds),
            )


def describe_files(group: Group) -> list[str]:
    """One sentence per case whose commits add another number of files than its scenario says."""
    notes = []
    for one in group.observed:
        intended = read_appends(one.case).files_per_commit
        if one.appends.files_per_commit != intended:
            label, measured = one.case.label, one.appends.files_per_commit
            notes.append(f"{label}: a commit adds {measured} data files, where the scenario means {intended}.")
    return notes


_PROBED: tuple[Latency, ...] = ("load", "planning")
_LEDGERED: tuple[Latency, ...] = ("commit", "step")


def fit_run(run: Run, *, held_out: str = "intervals", rng: np.random.Generator | None = None) -> FitReport:
    """The fit of all of a run's cases that the equations cover.

    `held_out` is the scenario's `fit.held_out`: `intervals` or `second_half` comes first in the report, and the other
    after it; `none` leaves both out. `rng` draws the latencies' intervals; the same seed gives the same report.
    """
    rng = rng or np.random.default_rng(0)
    groups = group_cases(run.cases)
    writers = tuple(fit_group(group) for group in groups)
    latencies, sustainable, keeps_up = _fit_latencies(writers, rng)
    held = () if held_out == "none" else _hold_out(groups, held_out)
    return FitReport(
        costs=tuple(report_cost(one, writer.group) for writer in writers for one in writer.kinds),
        latencies=latencies,
        held_out=held,
        sustainable=sustainable,
        keeps_up=keeps_up,
        ingest=tuple(report_ingest(group) for group in groups),
        model_line=tuple(row for writer in writers for row in model_line(writer)),
        notes=(*_left_out(run), *_notes(groups, held, asked=held_out != "none")),
    )


def _fit_latencies(
    writers: tuple[WriterFit, ...], rng: np.random.Generator
) -> tuple[tuple[LatencyFit, ...], tuple[SustainableInterval, ...], tuple[KeepsUp, ...]]:
    everyone = tuple(one for writer in writers for one in writer.group.observed)
    latencies: list[LatencyFit] = []
    sustainable: list[SustainableInterval] = []
    keeps_up: list[KeepsUp] = []
    for latency in _PROBED:
        fit = fit_latency(planning_samples(everyone, latency), latency, rng)
        if fit is not None:
            latencies.append(report_latency(None, latency, fit))
    for writer in writers:
        if not any(np.isfinite(one.ledger.step_ms).any() for one in writer.group.observed):
            keeps_up += expect_slowing(writer)
        for latency in _LEDGERED:
            fit = fit_latency(ledger_samples(writer.group.observed, latency), latency, rng)
            if fit is None:
                continue
            latencies.append(report_latency(writer.group.name, latency, fit))
            if latency == "step":
                found = find_sustainable(writer, fit, hold_out_commits(writer.group, "step"))
                sustainable, keeps_up = [*sustainable, *found[0]], [*keeps_up, *found[1]]
    return tuple(latencies), tuple(sustainable), tuple(keeps_up)


def _hold_out(groups: tuple[Group, ...], first: str) -> tuple[HeldOut, ...]:
    by_interval = [row for group in groups for row in hold_out_intervals(group)]
    by_half = [row for group in groups for row in hold_out_second_half(group)]
    rows = [*by_half, *by_interval] if first == "second_half" else [*by_interval, *by_half]
    rows += [row for latency in _PROBED for row in hold_out_planning(groups, latency)]
    rows += [row for group in groups for latency in _LEDGERED for row in hold_out_commits(group, latency)]
    return tuple(rows)


def _left_out(run: Run) -> list[str]:
    others = [one.case.label for one in run.cases if not one.case.is_appends_of_one_writer and not one.is_sampled]
    sampled = [one.case.label for one in run.cases if one.is_sampled]
    reasons = (
        (others, "the equations are of one writer's appends, and more happens here. What was measured stands above."),
        (sampled, "simulated in sums over the whole horizon, it needs no extrapolation."),
    )
    notes = []
    for labels, why in reasons:
        which = "Nothing" if len(labels) == len(run.cases) else f"{', '.join(labels)}: nothing"
        notes += [f"{which} is fitted: {why}"] if labels else []
    return notes


def _notes(groups: tuple[Group, ...], held: tuple[HeldOut, ...], *, asked: bool) -> list[str]:
    notes: list[str] = []
    for group in groups:
        notes += describe_files(group)
        mine = {row.how for row in held if row.writer == group.name}
        if asked and "intervals" not in mine:
            notes.append(f"{group.name}: one commit interval only, so none could be held out.")
        if asked and "second_half" not in mine:
            notes.append(f"{group.name}: too few commits to hold out the second half.")
        if any(one.appends.gzip_json for one in group.observed):
            notes.append(f"{group.name}: metadata.json is gzipped; its coefficients are of compressed bytes.")
    return notes
