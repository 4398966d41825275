"""Plans checked on the real writer: `python -m tools.plans OUT` (`make validate-plan`).

For each workload the recommended setting and its two neighbours run on real Iceberg, over a horizon short enough to be
carried out, and no multiple of an hour: it ends between two hourly compactions, with files that wait for the next. What
the plan says of them is compared with what they wrote, and with how long planning took. Its limits are round numbers,
stated here and never moved after a run. A figure of a plan whose band holds the limit is close to it, and says neither
that it holds nor that it breaks.

Exit code 1 if a figure is further off than both its goal and its band, or order or feasibility are not as planned.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from rich.console import Console

from tools.fidelity import site_of
from wasim.bench import engine_named
from wasim.bench.run import BenchOptions, bench, keyed_cases
from wasim.capacity import Figures, Plan, PlanRequest, Requirements, SettingSimulator, make_plan, request_from_document
from wasim.capacity.figures import planning_band
from wasim.capacity.settings import document_of
from wasim.contention import Outcome
from wasim.errors import ExitCode
from wasim.ledger import FULL_SCAN, METADATA_KINDS, Kind, of_first_reader
from wasim.runs import CaseRun, Run, RunFolder, read_run
from wasim.scenario import LoadedScenario, load_scenario
from wasim.scenario.from_flags import document_from_flags
from wasim.scenario.metrics import Limit
from wasim.spark.drive import Engine
from wasim.units import DAY_S, format_duration

GOAL_BYTES, GOAL_PLANNING = 0.02, 0.15
JUDGED = frozenset(["metadata_bytes_per_day", "metadata_json_bytes"])
Verdict = Literal["met", "within band", "missed"]
VERDICTS: tuple[Verdict, ...] = ("met", "within band", "missed")  # from the best to the worst
PLANNING = {"checkpoints": [1.0], "rounds_at_end": 9, "cold": False, "execution": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedWorkload:
    """A workload to plan for and to carry out. `engine` core writes no data, and so carries out longer horizons."""

    name: str
    flags: Mapping[str, str]
    requirements: Requirements
    engine: str = "core"
    writer: Mapping[str, Any] = field(default_factory=dict)  # instead of the flags' own


def _requirements(freshness: str, **limits: str) -> Requirements:
    return Requirements(
        freshness=freshness, time_travel="1h", limits={"wa_metadata": "1e6", **limits}, prefer="freshest"
    )


WORKLOADS = (
    PlannedWorkload(
        name="narrow streaming",
        flags={"rows_per_second": "200", "columns": "8", "horizon": "5h50m"},
        requirements=_requirements("2m", metadata_json_bytes="30KB"),
    ),
    PlannedWorkload(
        name="wide streaming",
        flags={"rows_per_second": "50", "columns": "200", "files_per_commit": "2", "horizon": "5h50m"},
        requirements=_requirements("5m", metadata_bytes_per_day="600MB"),
    ),
    PlannedWorkload(
        name="partitioned batch",
        flags={
            "rows_per_second": "500",
            "columns": "12",
            "files_per_commit": "2",
            "partitions": "16",
            "writer": "batch",
            "horizon": "5h50m",
        },
        requirements=_requirements("5m", metadata_bytes_per_day="400MB"),
    ),
    PlannedWorkload(
        name="upserts, merge-on-read",
        flags={"rows_per_second": "50", "columns": "6", "horizon": "30m"},
        requirements=_requirements("1m", metadata_bytes_per_day="200MB"),
        engine="spark",
        writer={"kind": "batch", "upsert": {"share": 0.2, "mode": "merge-on-read"}},
    ),
    PlannedWorkload(
        name="two writers",
        flags={"rows_per_second": "50", "columns": "6", "horizon": "30m"},
        requirements=_requirements("1m", metadata_bytes_per_day="100MB"),
        engine="spark",
        writer={"kind": "batch", "writers": 2},
    ),
)


def verdict_of(planned: float, measured: float, goal: float, band: float) -> Verdict:
    """Whether a plan's figure is as near as `goal`, relative to what was measured, or else that lies in its band."""
    if abs(planned / measured - 1) <= goal:
        return "met"
    return "within band" if abs(measured - planned) <= band * planned else "missed"


def at_end(figures: Figures, metric: str) -> float:
    """A figure of the table as a run leaves it, not of its largest."""
    return figures.spreads[metric].final if metric in figures.spreads else figures.values[metric]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A setting, what the plan says of it, and how it was carried out."""

    figures: Figures
    run: CaseRun

    @property
    def error_by_kind(self) -> dict[Kind, float]:
        """By how much the plan's bytes are off, relatively, of the kinds of metadata that were written."""
        wrote = self.run.totals.written_bytes
        return {kind: self.figures.written_bytes[kind] / wrote[kind] - 1 for kind in METADATA_KINDS if wrote[kind]}

    @property
    def bytes_verdict(self) -> Verdict:
        """The verdict on the kind of metadata that is furthest beyond what it may be off."""
        planned, wrote, bands = self.figures.written_bytes, self.run.totals.written_bytes, self.figures.written_bands
        found = [verdict_of(planned[kind], wrote[kind], GOAL_BYTES, bands[kind]) for kind in self.error_by_kind]
        return max(found, key=VERDICTS.index)

    @property
    def planning_ms(self) -> float:
        """Measured, the median of a full scan at the end: load and planning."""
        scans = [one for one in of_first_reader(self.run.probes) if one.query == FULL_SCAN]
        return float(np.median(scans[-1].together_ms))

    @property
    def planned_ms(self) -> float:
        """What the plan says of it, of the table as the run leaves it."""
        return at_end(self.figures, "planning_p50_ms")

    @property
    def planning_band(self) -> float:
        """The plan's band is of its largest figure; a smaller one is known to as many milliseconds at least."""
        return planning_band(self.figures.bands["planning_p50_ms"], self.planned_ms)

    @property
    def planning_error(self) -> float:
        """By how much the plan's latency is off, relatively."""
        return self.planned_ms / self.planning_ms - 1

    @property
    def planning_verdict(self) -> Verdict:
        """Whether the plan's latency is as near as it should be."""
        return verdict_of(self.planned_ms, self.planning_ms, GOAL_PLANNING, self.planning_band)

    def feasibility(self, limit: Limit) -> Verdict:
        """Whether a limit on what was written holds, as the plan says."""
        if limit.metric == "metadata_json_bytes":
            measured = float(self.run.live_bytes[Kind.METADATA_JSON])
        else:
            measured = self.run.totals.metadata_bytes / self.run.case.horizon_s * DAY_S
        ends = {limit.holds(self.figures.at(limit.metric, shift=shift)) for shift in (-1.0, 1.0)}
        planned = limit.holds(at_end(self.figures, limit.metric))
        if planned == limit.holds(measured):
            return "met"
        return "within band" if len(ends) > 1 else "missed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Validated:
    """A workload's plan, and its settings by interval as they were carried out."""

    workload: PlannedWorkload
    plan: Plan
    checked: tuple[Checked, ...]

    @property
    def order_holds(self) -> bool:
        """Whether the settings write in the order that the plan says."""
        planned = [one.figures.metadata_bytes_per_day for one in self.checked]
        written = [one.run.totals.metadata_bytes for one in self.checked]
        return bool(np.array_equal(np.argsort(planned), np.argsort(written)))

    def feasibility(self, checked: Checked) -> Verdict:
        """Whether a setting keeps and breaks the limits as the plan says."""
        limits = [limit for limit in self.plan.limits if limit.metric in JUDGED]
        return max((checked.feasibility(limit) for limit in limits), key=VERDICTS.index)

    @property
    def is_missed(self) -> bool:
        """Whether anything is further off than its goal and its band."""
        found = [(one.bytes_verdict, one.planning_verdict, self.feasibility(one)) for one in self.checked]
        return not self.order_holds or any("missed" in verdicts for verdicts in found)


def validate(workload: PlannedWorkload, out: Path, console: Console) -> Validated:
    """Plans for a workload, and carries the recommendation and its neighbours out."""
    document, _ = document_from_flags(workload.flags)
    document["writer"] = dict(workload.writer) or document["writer"]
    request = request_from_document(workload.name, document, workload.requirements, workload.flags["horizon"])
    plan = make_plan(request)
    if plan.chosen is None:
        raise SystemExit(f"{workload.name}: nothing meets the limits; a validation needs a recommendation.")
    tried = [one for one in (plan.shorter, plan.chosen, plan.longer) if one is not None]
    settings = [plan.chosen.setting.at_interval(one.setting.interval_s) for one in tried]
    scenario = document_of(request, plan.chosen.setting) | {
        "name": workload.name.replace(" ", "_").replace(",", "").replace("-", "_"),
        "planning": PLANNING,
        "fit": {"held_out": "none"},
        "sweep": {"commit_interval": [format_duration(one.interval_s) for one in settings]},
    }
    if workload.writer:
        scenario["writer"] = dict(workload.writer)
    path = out / f"{scenario['name']}.yaml"
    path.write_text(json.dumps({key: value for key, value in scenario.items() if key != "commit_interval"}))
    run = _carried_out(load_scenario(path), out / str(scenario["name"]), engine_named(workload.engine), console)
    by_interval = {case.case.commit_interval_s: case for case in run.cases}
    assert run.folder is not None  # noqa: S101 - it was carried out
    folder, checked = RunFolder(run.folder), list[Checked]()
    for setting in settings:
        carried_out = by_interval[setting.interval_s]
        there = replace(request, location=site_of(carried_out, folder).location)
        figures = SettingSimulator(request=there).figures(setting)
        checked.append(Checked(figures=_as_raced(there, figures, carried_out), run=carried_out))
    return Validated(workload=workload, plan=plan, checked=tuple(checked))


def _carried_out(scenario: LoadedScenario, folder: Path, engine: Engine, console: Console) -> Run:
    """The scenario's run: a finished one that is there, or a new one."""
    keys = set(keyed_cases(scenario, engine))
    for known in sorted(folder.glob("*/summary.json")):
        run = read_run(known.parent)
        if {case.key for case in run.cases} >= keys:
            return run
    return bench(scenario, BenchOptions(results=folder.parent, engine=engine), console).run


def _as_raced(request: PlanRequest, figures: Figures, run: CaseRun) -> Figures:
    """The figures with as many lost attempts as the run's writers came to. How many those are, chance and the bench's
    virtual clock decide, on which each writer commits as soon as it is free; what each costs is the plan's.
    """
    lost = run.contention
    if lost is None or request.writers == 1:
        return figures
    outcome = Outcome(
        commits=run.commits,
        attempts=lost.attempts,
        lost=lost.lost_attempts,
        refused=0,
        failed=0,
        redone=0,
        seconds=run.wall_s,
        commit_ms=np.array([]),
        lost_share_band=0.0,
    )
    return SettingSimulator(request=request, raced=outcome).figures(figures.setting)


def rows_of(validated: Validated) -> Iterator[str]:
    """Rows of the table, one for each setting."""
    chosen = validated.plan.chosen
    for one in validated.checked:
        setting = one.figures.setting
        mark = "**" if chosen is not None and setting == chosen.setting else ""
        worst = max(one.error_by_kind.items(), key=lambda error: abs(error[1]))
        band = one.figures.written_bands[worst[0]]
        yield " | ".join(
            [
                f"| {validated.workload.name}",
                f"{mark}{setting.words}{mark}",
                f"{one.run.commits:,}",
                f"{one.figures.values['metadata_bytes'] / one.run.totals.metadata_bytes - 1:+.1%}",
                f"{worst[1]:+.1%} of {str(worst[0]).replace('_', ' ')} (± {band:.0%})",
                one.bytes_verdict,
                f"{one.planned_ms:.0f} (± {one.planning_band:.0%}) / {one.planning_ms:.0f} ms",
                one.planning_verdict,
                "met" if validated.order_holds else "missed",
                f"{validated.feasibility(one)} |",
            ]
        )


HEADER = (
    "| workload | setting | commits | metadata | worst kind | bytes | planning, planned / measured | planning | order"
    " | feasibility |",
    "|---|---|--:|--:|--:|---|--:|---|---|---|",
)


def main(out: Path, names: list[str]) -> int:
    """Validates all workloads, or those named, prints the table, and returns the exit code."""
    out.mkdir(parents=True, exist_ok=True)
    console, planning, missed = Console(stderr=True), list[float](), False
    sys.stdout.write("\n".join(HEADER) + "\n")
    for workload in WORKLOADS:
        if names and workload.name not in names:
            continue
        validated = validate(workload, out, console)
        planning += [abs(one.planning_error) for one in validated.checked]
        missed |= validated.is_missed
        sys.stdout.write("\n".join(rows_of(validated)) + "\n")
        sys.stdout.flush()
    off = float(np.median(planning))
    sys.stdout.write(f"\nPlanning: {off:.0%} off in the median; the goal is {GOAL_PLANNING:.0%}.\n")
    return int(ExitCode.FINDINGS if missed or off > GOAL_PLANNING else ExitCode.DONE)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
