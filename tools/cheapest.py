"""Plans compared with every setting there is: `python -m tools.cheapest [WORKLOAD …]` (`make validate-search`).

A plan looks at a few dozen settings of each interval. Here all of them are simulated, for twelve workloads: every
interval of the ladder, with each period of expiry, rewriting, compaction, each way to append and size of manifests;
and, which no plan tries, rewriting every 6h, metadata.json as it comes and old ones kept. The cheapest of them that
keeps all limits is what a plan must come to, as far as the two differ: a plan takes the simpler of two settings within
the band of the cheaper one's cost, or `NEGLIGIBLE_COST` for what it saves, and the shorter of two intervals that differ
by that.

Exit code 1 if a plan costs more than that, breaks a limit, or finds none where there is a setting within them.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from time import process_time
from typing import Any

from wasim.capacity import (
    Figures,
    Maintenance,
    Plan,
    PlanRequest,
    Requirements,
    Setting,
    SettingSimulator,
    make_plan,
    request_from_document,
)
from wasim.capacity.plan import search_for
from wasim.capacity.search import COMPACTIONS_S, LARGE_MANIFEST_BYTES, NEGLIGIBLE_COST, Search, may_cost
from wasim.capacity.settings import able_intervals, intervals_of
from wasim.errors import ExitCode
from wasim.units import DAY_S, HOUR_S

TRIED_S: tuple[float | None, ...] = (None, DAY_S, HOUR_S)  # periods of a plan's own rewrites of manifests
OTHERS_S = (6 * HOUR_S,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A table and its writer, and what is asked of a plan for it."""

    name: str
    rows: float
    columns: int = 10  # doubles but for a quarter of strings
    files: int = 1
    writer: str | Mapping[str, Any] = "streaming"
    partition: Mapping[str, Any] | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    horizon: str = "30d"
    asked: Requirements

    def request(self) -> PlanRequest:
        """The request for its plan."""
        texts = self.columns // 4
        columns = [
            {"name": "site", "type": "string", "length": 8, "values": 50},
            {"name": "label", "type": "string", "length": 12, "values": 1000, "count": texts},
            {"name": "v", "type": "double", "count": self.columns - texts},
        ]
        document = {
            "name": "workload",
            "question": "Which commit interval?",
            "table": {"columns": columns, **({"partition_by": [self.partition]} if self.partition else {})},
            "workload": {"rows_per_second": self.rows, "files_per_commit": self.files},
            "writer": self.writer,
            **({"changes": self.changes} if self.changes else {}),
        }
        return request_from_document(self.name, document, self.asked, self.horizon)


def _asked(freshness: str, prefer: str | None = None, provider: str | None = None, **limits: str) -> Requirements:
    return Requirements(freshness=freshness, prefer=prefer, provider=provider, time_travel="1d", limits=limits)


DELETES = {"delete": {"every": "1d", "share": 0.001, "mode": "copy-on-write"}}
UPDATES = {"update": {"every": "6h", "share": 0.0005, "mode": "merge-on-read"}}
UPSERTS = {"kind": "flink", "upsert": {"share": 0.5, "repeats": 0.1}}
WORKLOADS = (
    Workload(name="tiny stream", rows=5, columns=4, asked=_asked("10m")),
    Workload(
        name="stream", rows=500, columns=20, asked=_asked("5m", planning_p50_ms="75ms", metadata_json_bytes="60KB")
    ),
    Workload(name="few manifests", rows=500, columns=20, asked=_asked("5m", manifests="20")),
    Workload(
        name="little metadata",
        rows=1000,
        columns=30,
        files=4,
        asked=_asked("5m", metadata_json_bytes="45KB", metadata_bytes_per_day="22MB"),
    ),
    Workload(name="wide batch", rows=2000, columns=200, files=8, writer="batch", asked=_asked("5m", manifests="80")),
    Workload(name="huge stream", rows=50_000, columns=40, files=32, asked=_asked("1m", planning_p50_ms="2s")),
    Workload(
        name="by day",
        rows=1000,
        columns=20,
        files=4,
        partition={"column": "event_time", "transform": "day"},
        asked=_asked("10m", metadata_bytes_per_day="15MB", manifests="60"),
    ),
    Workload(
        name="by identity",
        rows=500,
        columns=12,
        writer="batch",
        partition={"column": "site"},
        asked=_asked("5m", provider="s3", metadata_on_disk_bytes="21MB"),
    ),
    Workload(
        name="Flink appends",
        rows=300,
        columns=20,
        files=4,
        writer="flink",
        asked=_asked("5m", "freshest", monthly_cost="8"),
    ),
    Workload(name="Flink upserts", rows=50, columns=8, files=2, writer=UPSERTS, horizon="10d", asked=_asked("5m")),
    Workload(
        name="deletes, copy-on-write",
        rows=200,
        columns=10,
        files=2,
        writer="batch",
        changes=DELETES,
        horizon="10d",
        asked=_asked("10m", manifests="30"),
    ),
    Workload(
        name="updates, merge-on-read",
        rows=200,
        columns=10,
        files=2,
        writer="batch",
        changes=UPDATES,
        horizon="10d",
        asked=_asked("10m", metadata_on_disk_bytes="8MB"),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A plan, and the best within its limits of the settings that it may try, and of all; None where none is."""

    workload: Workload
    plan: Plan
    tried: Figures | None
    of_all: Figures | None
    simulated: int
    cpu_s: tuple[float, float]  # of the plan, and of all settings

    @property
    def is_missed(self) -> bool:
        """Whether a plan's own settings have a cheaper one than its choice, beyond what it cannot tell apart."""
        chosen, least = self.plan.chosen, self.tried
        if chosen is None or least is None:
            return (chosen is None) != (least is None)
        if self.plan.request.prefer == "freshest" and least.setting.interval_s < chosen.setting.interval_s:
            return True
        most = may_cost(chosen, least, least.bands["monthly_cost"]) + NEGLIGIBLE_COST  # that intervals may differ by
        return bool(chosen.broken(self.plan.limits)) or chosen.monthly_cost > most


def settings_of(search: Search, request: PlanRequest, *, tried: bool) -> Iterator[Setting]:
    """Every setting of a request: those that its search may come to, or the others."""
    other = "fast" if search.merges else "merge"
    appends = (None, other) if search.may_append_otherwise else (None,)
    expiries = ((s, search.time_travel_s) for s in (DAY_S, 6 * HOUR_S, HOUR_S))
    within = [one for one in expiries if max(one) < search.horizon_s]
    is_own = "rewrite_data_files" in request.own_jobs
    compactions = (request.own_compaction_s,) if is_own else (None, *COMPACTIONS_S)
    found = product(
        able_intervals(intervals_of(request.longest_s), request),
        [*within, (None, None)],
        (*TRIED_S, *OTHERS_S),
        compactions,
        appends,
        (None, LARGE_MANIFEST_BYTES),
        (False, True),
        (False, True),
    )
    for interval_s, (expire_s, older_s), rewrite_s, compact_s, append, target, gzips, deletes in found:
        own = gzips == request.gzips_json and deletes and expire_s is not None
        own = own and rewrite_s in TRIED_S
        if own != tried:
            continue
        kept = Maintenance(
            expire_every_s=expire_s,
            older_than_s=older_s,
            rewrite_every_s=rewrite_s,
            compact_every_s=compact_s,
            own=request.own_words,
        )
        setting = Setting(
            interval_s=interval_s,
            maintenance=kept,
            deletes_json=deletes,
            gzips_json=gzips,
            appends=append,
            manifest_target_bytes=target,
        )
        if search.allowed(setting) == setting:
            yield setting


def best_of(found: Sequence[Figures], plan: Plan, simulator: SettingSimulator) -> Figures | None:
    """The cheapest within the limits that a writer keeps up with; of the shortest interval if that is preferred."""
    within = [one for one in found if one.keeps_up and not one.broken(plan.limits)]

    def place(one: Figures) -> tuple[float, float]:
        return one.setting.interval_s if plan.request.prefer == "freshest" else 0.0, one.monthly_cost

    commits = map(simulator.with_commits, sorted(within, key=place))
    return next((one for one in commits if one.keeps_up), None)


def compare(workload: Workload) -> Compared:
    """A workload's plan and every setting, their files encoded at each interval."""
    request, begun = workload.request(), process_time()
    simulator = SettingSimulator(request=request)
    plan = make_plan(request, simulator, explains=False)
    planned_s = process_time() - begun
    for interval_s in able_intervals(intervals_of(request.longest_s), request):
        simulator.encode(interval_s)
    if plan.chosen is not None and plan.chosen.setting.retries is None:
        plan = replace(plan, chosen=simulator.figures(plan.chosen.setting))
    search = search_for(plan.case, simulator, request.limits)
    own, others = ([*map(simulator.figures, settings_of(search, request, tried=tried))] for tried in (True, False))
    return Compared(
        workload=workload,
        plan=plan,
        tried=best_of(own, plan, simulator),
        of_all=best_of([*own, *others], plan, simulator),
        simulated=len(own) + len(others),
        cpu_s=(planned_s, process_time() - begun - planned_s),
    )


HEADER = (
    "| workload | settings | plan | USD a month | cheapest that it may try | USD | cheapest of all | USD | CPU s |",
    "|---|--:|---|--:|---|--:|---|--:|--:|",
)


def row_of(compared: Compared) -> str:
    """Its row of the table."""
    found = (compared.plan.chosen, compared.tried, compared.of_all)
    parts = ["none |" if one is None else f"{one.setting.words} | {one.monthly_cost:.2f}" for one in found]
    name = f"{compared.workload.name}{' **missed**' if compared.is_missed else ''}"
    cpu = " / ".join(f"{one:.0f}" for one in compared.cpu_s)
    return f"| {name} | {compared.simulated:,} | {' | '.join(parts)} | {cpu} |"


def main(names: Sequence[str]) -> int:
    """Compares all workloads, or those named, prints the table, and returns the exit code."""
    sys.stdout.write("\n".join(HEADER) + "\n")
    missed = False
    for workload in WORKLOADS:
        if names and workload.name not in names:
            continue
        compared = compare(workload)
        missed |= compared.is_missed
        sys.stdout.write(row_of(compared) + "\n")
        sys.stdout.flush()
    return int(ExitCode.FINDINGS if missed else ExitCode.DONE)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
