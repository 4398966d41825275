"""Appends on real Spark: one DataFrame append per commit, or one streaming query for a run of commits."""

import threading
from typing import Any

from wasim.drive.engine import Appender, Target
from wasim.drive.pace import Pace
from wasim.drive.rows import EPOCH_US, select_list
from wasim.errors import CaseFailed
from wasim.scenario import Case
from wasim.spark import Session
from wasim.workload import Append

POLL_S = 0.25  # how often a stream that is under way is asked for progress; the commits do not wait for it


def open_appender(target: Target) -> Appender:
    """The appender that the case's writer asks for."""
    if target.case.writer.kind == "batch":
        return BatchAppender(target)
    return ForeachBatchAppender(target) if target.case.writer.sink == "foreach_batch" else TableSinkAppender(target)


def append_batch(session: Session, case: Case, table: str, commit: int) -> None:
    """One commit's rows appended by one DataFrame write."""
    rows_per_commit = case.rows_per_commit
    first = (commit - 1) * rows_per_commit
    rows = session.spark.range(first, first + rows_per_commit, 1, case.workload.files_per_commit).toDF("value")
    rows.selectExpr(*select_list(case)).writeTo(table).append()


class BatchAppender:
    """One `df.writeTo(table).append()` per commit: Iceberg's MergeAppend."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._pace = Pace(target.case)

    def append(self, step: Append) -> None:
        """Carries out the step, commit by commit; under the real clock each waits for its time."""
        target = self._target
        for commit in range(step.first_commit, step.first_commit + step.commits):
            self._pace.wait_for(commit)
            target.journal.step(commit, "append")
            append_batch(target.session, target.case, target.table, commit)
            target.on_commits(commit)

    def close(self) -> None:
        """Nothing runs between appends."""


class _StreamAppender:
    """One streaming query from `rate-micro-batch` for all steps; the sinks differ in how they hold it back between."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._query: Any = None

    def append(self, step: Append) -> None:
        """Lets the stream run through the step's last commit, where it is held back."""
        target, last = self._target, step.first_commit + step.commits - 1
        target.journal.step(step.first_commit, "append")
        self._run_until(last)
        if self._query is None:
            self._query = self._start(self._rows())
        while not self._held_back(POLL_S):
            target.on_commits(target.journal.commits())
            if not self._query.isActive:
                error = self._query.exception()
                raise error or CaseFailed("The stream ended before its last commit, without an error.")
        target.on_commits(last)

    def _rows(self) -> Any:
        case = self._target.case
        return (
            self._target.session.spark.readStream.format("rate-micro-batch")
            .option("rowsPerBatch", case.rows_per_commit)
            .option("numPartitions", case.workload.files_per_commit)
            .option("startTimestamp", EPOCH_US // 1000)
            .option("advanceMillisPerBatch", max(1, round(case.commit_interval_s * 1000)))
            .load()
            .selectExpr(*select_list(case))
        )

    def _writer(self, rows: Any) -> Any:
        writer = rows.writeStream.option("checkpointLocation", str(self._target.checkpoint))
        if self._target.case.clock == "real":
            interval_ms = round(self._target.case.commit_interval_s * 1000)
            writer = writer.trigger(processingTime=f"{interval_ms} milliseconds")
        return writer

    def _run_until(self, commit: int) -> None:
        raise NotImplementedError

    def _held_back(self, timeout_s: float) -> bool:
        raise NotImplementedError

    def _start(self, rows: Any) -> Any:
        raise NotImplementedError

    def close(self) -> None:
        """Stops the query. Held back as it is after its last commit, no further commit can begin."""
        if self._query is not None:
            self._query.stop()
            self._query = None


class TableSinkAppender(_StreamAppender):
    """Spark's streaming table sink: FastAppend, or MergeAppend when the case asks. The journal holds it back."""

    def _run_until(self, commit: int) -> None:
        self._target.journal.run_until(commit)

    def _held_back(self, timeout_s: float) -> bool:
        return self._target.journal.await_pause(timeout_s)

    def _start(self, rows: Any) -> Any:
        writer = self._writer(rows).format("iceberg").outputMode("append")
        if self._target.case.merges:
            writer = writer.option("use-merge-append-for-streaming", "true")
        return writer.toTable(self._target.table)


class ForeachBatchAppender(_StreamAppender):
    """A batch append inside `foreachBatch`: Iceberg's MergeAppend. Held back where the next batch would begin."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._turn = threading.Condition()
        self._last = 0  # the last commit that may be made
        self._done = 0
        self._closing = False

    def _run_until(self, commit: int) -> None:
        with self._turn:
            self._last = commit
            self._turn.notify_all()

    def _held_back(self, timeout_s: float) -> bool:
        with self._turn:
            return self._turn.wait_for(lambda: self._done >= self._last, timeout_s)

    def _start(self, rows: Any) -> Any:
        return self._writer(rows).foreachBatch(self._batch).start()

    def _batch(self, batch: Any, _epoch: int) -> None:
        with self._turn:
            self._turn.wait_for(lambda: self._closing or self._done < self._last)
        if not self._closing:
            batch.writeTo(self._target.table).append()
            with self._turn:
                self._done += 1
                self._turn.notify_all()

    def close(self) -> None:
        """Lets the batch that waits end without a commit, then stops the query."""
        with self._turn:
            self._closing = True
            self._turn.notify_all()
        super().close()
