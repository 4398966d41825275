"""Cases in which Flink upserts, and the rows that they leave."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from support.synthetic import synthetic_case
from wasim.scenario import Case
from wasim.scenario.changes import Maintenance
from wasim.scenario.parts import Columns, PartitionField, Workload, Writer
from wasim.twin.row_sets import RowSet
from wasim.twin.statements import upserted_rows
from wasim.workload import Append, plan_steps

REGION = Columns(name="region", type="string", length=6, values=3)
MERGING = {"commit.manifest.min-count-to-merge": "4"}


def upserting_case(
    *,
    commits: int = 8,
    version: int = 2,
    partitioned: bool = False,
    subtasks: int = 2,
    distribution: str = "none",
    maintenance: dict[str, object] | None = None,
    properties: dict[str, str] | None = None,
    **upsert: object,
) -> Case:
    case = synthetic_case(horizon_s=float(commits), properties=properties or {})
    key = ("event_id", "region") if partitioned else ("event_id",)
    given = {"share": 0.5, "mode": "equality-deletes", "key": key, **upsert}
    table = {
        "format_version": version,
        "columns": (*case.table.columns, REGION),
        "partition_by": (PartitionField(column="region", transform="identity"),) if partitioned else (),
    }
    return replace(
        case,
        table=case.table.model_copy(update=table),
        workload=Workload(rows_per_second=40, files_per_commit=subtasks, distribution_mode=distribution),
        writer=Writer.model_validate({"kind": "streaming", "upsert": given}),
        maintenance=Maintenance.model_validate(maintenance or {}),
    )


def rows_of_commits(case: Case) -> Iterator[tuple[int, RowSet]]:
    for step in plan_steps(case):
        if isinstance(step, Append):
            yield from rows_of_step(case, step)


def rows_of_step(case: Case, step: Append) -> Iterator[tuple[int, RowSet]]:
    for commit in range(step.first_commit, step.first_commit + step.commits):
        yield commit, upserted_rows(case, step, commit)


def rows_expected(case: Case) -> Counter[tuple[int, int]]:
    newest: dict[int, int] = {}
    for _, rows in rows_of_commits(case):
        newest |= dict(zip(rows.numbers.tolist(), rows.versions.tolist(), strict=True))
    return Counter(newest.items())
