"""One commit's rows, and their append by one DataFrame write."""

from typing import Any

from wasim.scenario import Case
from wasim.spark import Session
from wasim.spark.drive.rows import select_list


def append_batch(session: Session, case: Case, table: str, commit: int) -> None:
    """One commit's rows appended by one DataFrame write."""
    arriving_rows(session, case, commit).selectExpr(*select_list(case, case.table)).writeTo(table).append()


def arriving_rows(session: Session, case: Case, commit: int) -> Any:
    """The numbers of one commit's rows, as the column `value`, in as many partitions as it has files."""
    first = (commit - 1) * case.rows_per_commit
    return session.spark.range(first, first + case.rows_per_commit, 1, case.workload.files_per_commit).toDF("value")
