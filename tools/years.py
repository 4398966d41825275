"""Sums over long horizons, compared with exact simulation and timed: `python -m tools.years`.

Scenarios are drawn by a seed over everything that the language can say of a table that one writer maintains; each is
simulated commit by commit, and summed. With `--writers` each is written by one of the writers' profiles; `--statements`
draws tables whose rows change, alone; `--full-files` tables whose files reach their target sizes, over hours and days,
with statements and compaction as users have them. `--year` times a year of drawn scenarios; `--speed` one of the given
scenarios, and of a table larger than any.
"""

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from wasim.errors import WasimError
from wasim.grid import grid_schema, plan_grid, simulate_grid
from wasim.iceberg.properties import (
    DEFAULT_WRITE_METRICS_MODE,
    MANIFEST_MIN_MERGE_COUNT,
    MANIFEST_TARGET_SIZE_BYTES,
    METADATA_COMPRESSION,
    METADATA_DELETE_AFTER_COMMIT_ENABLED,
    METADATA_PREVIOUS_VERSIONS_MAX,
    WRITE_TARGET_FILE_SIZE_BYTES,
)
from wasim.ledger import METADATA_KINDS, Kind, Summed, Totals, sum_events
from wasim.processes import map_in_processes
from wasim.scenario import Case, LoadedScenario, load_scenario
from wasim.simulation.case import exact_needs
from wasim.twin import Site, shipped_profile, simulate_table
from wasim.twin.profile import OF_KINDS, SHIPPED
from wasim.twin.supported import check_supported
from wasim.units import YEAR_S
from wasim.years import simulate_years

MOST_EXACT_S, MOST_EXACT_BYTES = 200.0, 12e9  # of exact simulation: draws that would take more are left out
A_GRID = 1_000  # cases that are simulated in blocks, as by --grid
A_YEARS = 1_000  # commits that a scenario is drawn for of which a year is timed
GOAL_S, SHOWN = 2.0, 10  # of processor time for a year; of drawn scenarios, the slowest
GOAL_COUNTS, GOAL_ALL, GOAL_KIND = 0.01, 0.01, 0.02
WRITERS = tuple(name for name in SHIPPED if name not in OF_KINDS)
COMPARED = (*METADATA_KINDS, Kind.DATA, Kind.DELETE_FILE)
_INTERVALS = ("1s", "2s", "5s", "30s", "2m", "7m")
_PROPERTIES: dict[str, tuple[str, ...]] = {
    MANIFEST_MIN_MERGE_COUNT: ("10", "40"),
    MANIFEST_TARGET_SIZE_BYTES: ("200000", "1000000"),
    METADATA_PREVIOUS_VERSIONS_MAX: ("5", "30"),
    METADATA_DELETE_AFTER_COMMIT_ENABLED: ("true",),
    METADATA_COMPRESSION: ("gzip",),
    DEFAULT_WRITE_METRICS_MODE: ("none", "counts"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnComparison:
    """One drawn case: exact totals, those in sums, and the band that these state."""

    case: Case
    exact: Totals
    summed: Totals
    band: dict[Kind, float]

    def error(self, kind: Kind, *, files: bool = False) -> float:
        """How far the sums lie from exact simulation, relatively; zero where the kind is not written."""
        wanted, found = (
            (one.files_written[kind], one.written_bytes[kind])[not files] for one in (self.exact, self.summed)
        )
        return found / wanted - 1 if wanted else float(found > 0)

    @property
    def kinds(self) -> list[Kind]:
        """Kinds that either writes."""
        return [kind for kind in COMPARED if self.exact.files_written[kind] or self.summed.files_written[kind]]

    @property
    def error_of_all(self) -> float:
        """The error of all metadata together."""
        return self.summed.metadata_bytes / self.exact.metadata_bytes - 1


def drawn_cases(
    seed: int, commits: int | None, most_exact_s: float = MOST_EXACT_S, writers: Sequence[str] = ()
) -> Iterator[Case]:
    """Cases without end, each over this many commits; none whose exact simulation would take longer. Without a number
    of commits their files reach the target size.

    They are Spark's and, by equality deletes, Flink's, or each of one of these `writers`, by their profiles.
    """
    random = Random(seed)  # noqa: S311 - no secret
    with tempfile.TemporaryDirectory(prefix="wasim-years-") as folder:
        path = Path(folder) / "drawn.yaml"
        while True:
            scenario = _with_full_files(random) if commits is None else _drawn(random)
            if writers:
                scenario["writer"] = {"kind": "batch", "profile": random.choice(writers)}
            path.write_text(json.dumps(scenario))  # JSON is YAML
            try:
                case = load_scenario(path).cases()[0]
                if commits is not None:
                    case = replace(case, horizon_s=commits * case.commit_interval_s)
                check_supported(case, shipped_profile(case))
            except WasimError:
                continue
            needs = exact_needs(case)
            if needs.seconds <= most_exact_s and needs.memory_bytes <= MOST_EXACT_BYTES:
                yield case


def _drawn(random: Random) -> dict[str, Any]:
    interval = random.choice(_INTERVALS)
    scenario: dict[str, Any] = {
        "name": "drawn",
        "question": "Do the sums come to what every commit comes to?",
        "table": {
            "columns": [_column(random, number) for number in range(random.randint(1, 12))],
            "format_version": random.choice([1, 2, 2, 2, 3]),
            "properties": {key: random.choice(some) for key, some in _PROPERTIES.items() if random.random() < 0.2},
        },
        "workload": {"rows_per_second": 40 / _seconds(interval), "files_per_commit": random.randint(1, 4)},
        "writer": random.choice(["streaming", "batch", {"kind": "streaming", "append": "merge"}]),
        "commit_interval": interval,
        "horizon": f"{int(40 * _seconds(interval))}s",
        "seed": random.randrange(1000),
    }
    if random.random() < 0.5:
        by_values = list(_of_few_values(scenario["table"]["columns"]))
        scenario["table"]["partition_by"] = random.sample(_PARTITIONS + by_values, random.choice([1, 1, 2]))
        if any(field in by_values for field in scenario["table"]["partition_by"]) and random.random() < 0.4:
            scenario["workload"]["partitions_per_commit"] = random.choice([1, 2, 5])
    if random.random() < 0.7:
        scenario["maintenance"] = _maintenance(random, _seconds(interval))
    if random.random() < 0.3:
        _add_statements(random, scenario, _seconds(interval))
    elif random.random() < 0.1:
        upsert = {"share": random.choice([0.2, 0.5]), "mode": "equality-deletes"}
        scenario["writer"] = {"kind": "streaming", "upsert": upsert}
    return scenario


def _add_statements(random: Random, scenario: dict[str, Any], interval_s: float) -> None:
    """Statements that change rows, by period or as the writer's own commits."""
    mode, localities = random.choice(["copy-on-write", "merge-on-read"]), ["scattered", "newest", "oldest"]
    kind = random.choice(["update", "delete", "merge", "overwrite", "upsert"])
    if kind == "upsert":
        upsert = {"share": random.choice([0.1, 0.5]), "mode": mode, "locality": random.choice(localities[:2])}
        scenario["writer"] = {"kind": "batch", "upsert": upsert}
        return
    change: dict[str, Any] = {"every": f"{random.choice([0.4, 2.5, 3, 10, 40]) * interval_s:g}s"}
    change |= random.choice([{"share": random.choice([0.002, 0.01, 0.1])}, {"rows": random.choice([5, 30, 300])}])
    if kind == "overwrite":
        change["kind"] = random.choice(["static", "dynamic"])
    else:
        change |= {"mode": mode, "locality": random.choice(localities)}
    scenario["changes"] = {kind: change}


_PARTITIONS = [
    {"column": "event_time", "transform": "day"},
    {"column": "event_time", "transform": "hour"},
    {"column": "event_id", "transform": "bucket[4]"},
]


def _of_few_values(columns: list[dict[str, Any]]) -> Iterator[dict[str, str]]:
    """Partitions by texts of few values, and by the bucket of a number."""
    for column in columns:
        if "values" in column:
            yield from ({"column": column["name"], "transform": by} for by in ("identity", "truncate[2]", "bucket[6]"))
        elif column["type"] in {"int", "long", "date"}:
            yield {"column": column["name"], "transform": "bucket[3]"}


def _with_full_files(random: Random) -> dict[str, Any]:
    """A table of small files by its properties: few rows fill them."""
    target = random.choice([1, 2, 5, 16]) << 20
    scenario: dict[str, Any] = {
        "name": "drawn",
        "question": "Do the sums hold where files reach their target size?",
        "table": {
            "columns": [
                {"name": "v", "type": "double", "count": random.choice([3, 12, 40])},
                {"name": "s", "type": "string", "length": random.choice([8, 24]), "values": 1000},
            ],
            "format_version": random.choice([2, 2, 3]),
            "properties": {WRITE_TARGET_FILE_SIZE_BYTES: str(target)},
            "partition_by": random.choice([[], _PARTITIONS[:1], _PARTITIONS[1:2], _PARTITIONS[::2], _PARTITIONS[2:]]),
        },
        "workload": {"rows_per_second": random.choice([1, 3, 10, 30]), "files_per_commit": random.choice([1, 2, 4])},
        "writer": random.choice(["streaming", "batch"]),
        "commit_interval": random.choice(["1m", "5m", "15m", "1h"]),
        "horizon": random.choice(["26h", "50h", "98h"]),
        "seed": random.randrange(1000),
        "maintenance": {},
    }
    if random.random() < 0.9:
        every, size = random.choice(["1h", "1h", "6h", "24h"]), random.choice([target, target, 5 << 20])
        scenario["maintenance"]["rewrite_data_files"] = {"every": every, "target_file_size_bytes": size}
    if random.random() < 0.4:
        scenario["maintenance"]["expire_snapshots"] = {"every": "6h", "older_than": "3h"}
    if random.random() < 0.3:
        scenario["maintenance"]["rewrite_manifests"] = {"every": "6h"}
    if random.random() < 0.7:
        change: dict[str, Any] = {
            "every": random.choice(["1h", "2h", "6h", "24h"]),
            "mode": random.choice(["copy-on-write", "merge-on-read"]),
            "locality": random.choice(["scattered", "scattered", "newest", "oldest"]),
        }
        change |= random.choice([{"rows": random.choice([10, 200, 3000])}, {"share": random.choice([0.001, 0.01])}])
        scenario["changes"] = {random.choice(["update", "delete", "delete", "merge"]): change}
    return scenario


def _seconds(interval: str) -> float:
    return float(interval[:-1]) * {"s": 1, "m": 60}[interval[-1]]


def _column(random: Random, number: int) -> dict[str, Any]:
    if random.random() < 0.4:
        column = {"name": f"c{number}", "type": "string", "length": random.choice([4, 15, 40])}
        return column | ({"values": random.choice([3, 50])} if random.random() < 0.5 else {})
    return {"name": f"c{number}", "type": random.choice(["int", "long", "double", "date", "timestamp"])}


def _maintenance(random: Random, interval_s: float) -> dict[str, Any]:
    def after(commits: int) -> str:
        return f"{commits * interval_s:g}s"

    choices: dict[str, list[dict[str, Any]]] = {
        "expire_snapshots": [
            {"every": after(random.choice([20, 70])), "older_than": after(random.choice([10, 50]))},
            {"when_snapshots": random.choice([15, 60]), "older_than": after(5), "retain_last": random.choice([1, 6])},
        ],
        "rewrite_manifests": [{"every": after(random.choice([25, 90]))}, {"when_manifests": random.choice([12, 50])}],
        "rewrite_data_files": [
            {"every": after(random.choice([30, 80])), "target_file_size_bytes": random.choice([30_000, 2**29])},
            {"when_small_files": random.choice([20, 60])},
        ],
        "remove_orphan_files": [{"every": after(60), "older_than": after(20)}],
    }
    kinds = random.sample(list(choices), random.randint(1, 3))
    return {kind: random.choice(choices[kind]) for kind in kinds}


def compare(case: Case) -> DrawnComparison | None:
    """The case simulated commit by commit, and summed; None where exact simulation refuses it on its way."""
    profile = shipped_profile(case)
    try:
        simulated = simulate_table(case, profile, np.random.default_rng(case.seed), most_rows_computed=1)
    except WasimError:
        return None
    summed = simulate_years(case, profile, Site())
    exact = sum_events(simulated.recording.events)
    return DrawnComparison(case=case, exact=exact, summed=summed.totals, band=summed.band)


def fidelity(drawn: Sequence[Case], head: str) -> Iterator[str]:
    """The comparison of drawn cases as Markdown, line by line; at the end the shares that meet the goals."""
    yield f"| case ({head}) | worst count | all metadata | worst kind | in its band |"
    yield "|---|--:|--:|--:|--:|"
    met = dict.fromkeys(("counts within 1 %", "metadata in all within 1 %", "each kind within 2 %"), 0)
    cases = held = stated = 0
    for one in filter(None, map_in_processes(compare, drawn)):
        cases += 1
        counts = max(abs(one.error(kind, files=True)) for kind in one.kinds)
        metadata = [kind for kind in one.kinds if kind in METADATA_KINDS]
        worst = max(metadata, key=lambda kind: abs(one.error(kind)))
        inside = [abs(one.error(kind)) <= one.band[kind] for kind in one.kinds]
        held, stated = held + sum(inside), stated + len(inside)
        for name, is_met in zip(
            met,
            (counts <= GOAL_COUNTS, abs(one.error_of_all) <= GOAL_ALL, abs(one.error(worst)) <= GOAL_KIND),
            strict=True,
        ):
            met[name] += is_met
        yield (
            f"| {_named(one.case)} | {counts:.2%} | {one.error_of_all:+.2%} | {worst} {one.error(worst):+.2%}"
            f" | {sum(inside)} of {len(inside)} |"
        )
    yield ""
    yield "; ".join(f"{name}: {count} of {cases}" for name, count in met.items())
    yield f"the stated band holds the exact figure in {held} of {stated} ({held / stated:.0%})"


def _named(case: Case) -> str:
    """What of a drawn case decides how its metadata grows."""
    kept = [
        f"{name} {'by count' if getattr(upkeep, 'every', None) is None else 'by period'}"
        for name, upkeep in case.maintenance
        if upkeep is not None
    ]
    partitions = "+".join(field.transform for field in case.table.partition_by)
    changes = [name for name, change in case.changes if change is not None]
    parts = [f"v{case.table.format_version}", case.writer_name, partitions, *changes, *kept]
    return ", ".join(part for part in parts if part)


def drawn_years(seed: int, scenarios: int) -> Iterator[str]:
    """How much processor time a year of each drawn scenario takes, the slowest ones first, as Markdown."""
    drawn = [replace(case, horizon_s=YEAR_S) for case in islice(drawn_cases(seed, A_YEARS), scenarios)]
    timed = sorted(zip(map_in_processes(_cpu_of, drawn), drawn, strict=True), key=lambda one: -one[0])
    yield f"| a year of (seed {seed}) | every | CPU |"
    yield "|---|--:|--:|"
    for seconds, case in timed[:SHOWN]:
        yield f"| {_named(case)} | {case.commit_interval_s:g}s | {seconds:.1f} s |"
    all_s = [one for one, _ in timed]
    within = sum(one <= GOAL_S for one in all_s)
    yield ""
    yield f"half of {len(drawn)} take {np.median(all_s):.2f} s or less; {within} take {GOAL_S:g} s or less"


def _cpu_of(case: Case) -> float:
    begun = time.process_time()
    _summed(case)
    return time.process_time() - begun


def speed(files: list[Path]) -> Iterator[str]:
    """How long a year of each scenario, and of a large table, takes on all cores, as Markdown."""
    yield "| a year of | cases | wall | CPU | most memory of a process so far |"
    yield "|---|--:|--:|--:|--:|"
    named: dict[str, Callable[[], LoadedScenario]] = {file.stem: partial(load_scenario, file) for file in files}
    for name, load in (named | {"a large table": _large}).items():
        wall_s, cpu_s = time.monotonic(), _cpu_s()
        cases = [replace(case, horizon_s=YEAR_S) for case in load().cases()]
        if len(cases) > A_GRID:
            simulate_grid(plan_grid(cases), grid_schema(cases))
        else:
            list(map_in_processes(_summed, cases))
        memory = max(resource.getrusage(who).ru_maxrss for who in _PROCESSES) / 1024
        yield (
            f"| {name} | {len(cases):,} | {time.monotonic() - wall_s:.1f} s | {_cpu_s() - cpu_s:.1f} s"
            f" | {memory:.0f} MB |"
        )


_PROCESSES = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN


def _cpu_s() -> float:
    """Processor time of this process and those that it started and that have ended, in seconds."""
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, _PROCESSES))


def _summed(case: Case) -> Summed:
    return simulate_years(case, shipped_profile(case), Site())


def _large() -> LoadedScenario:
    with tempfile.TemporaryDirectory(prefix="wasim-years-") as folder:
        path = Path(folder) / "large.yaml"
        path.write_text(json.dumps(_LARGE))
        return load_scenario(path)


# 400 columns, 50,000 rows a second, some 1,000 partitions in each of a year's 31.5 million commits
_LARGE = {
    "name": "large",
    "question": "Does a year's cost depend on rows, columns, partitions or commits?",
    "table": {
        "columns": [
            {"name": "reading", "type": "double", "count": 300},
            {"name": "device", "type": "string", "length": 16, "values": 1000, "count": 60},
            {"name": "number", "type": "long", "count": 38},
        ],
        "partition_by": [
            {"column": "event_time", "transform": "day"},
            {"column": "event_id", "transform": "bucket[1000]"},
        ],
    },
    "workload": {"rows_per_second": 50_000},
    "writer": "streaming",
    "commit_interval": "1s",
    "horizon": "1d",
    "maintenance": {"rewrite_data_files": {"every": "1h"}, "expire_snapshots": {"every": "1d", "older_than": "5d"}},
}


def main() -> None:
    """Prints one of the tables."""
    parser = argparse.ArgumentParser(prog="python -m tools.years", description=__doc__)
    parser.add_argument("--scenarios", type=int, default=40)
    parser.add_argument("--commits", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--writers", action="store_true", help="draw cases of every writer's profile, not Spark's alone"
    )
    parser.add_argument(
        "--statements", action="store_true", help="draw tables whose rows are updated, deleted or merged, alone"
    )
    parser.add_argument(
        "--full-files", action="store_true", help="draw tables whose files reach their target sizes, over days"
    )
    parser.add_argument("--year", action="store_true", help="time a year of drawn scenarios instead")
    parser.add_argument("--speed", nargs="*", type=Path, metavar="FILE", help="time a year of these scenarios instead")
    given = parser.parse_args()
    if given.speed is not None:
        lines = speed(given.speed)
    elif given.year:
        lines = drawn_years(given.seed, given.scenarios)
    else:
        commits = None if given.full_files else given.commits
        cases = drawn_cases(given.seed, commits, MOST_EXACT_S, WRITERS if given.writers else ())
        if given.statements:
            cases = (case for case in cases if case.changes_rows and not case.key_columns)
        head = f"seed {given.seed}, " + (f"{commits:,} commits each" if commits else "over days")
        lines = fidelity(list(islice(cases, given.scenarios)), head)
    for line in lines:
        print(line, flush=True)  # each takes a while


if __name__ == "__main__":
    main()
