"""Appends on real Spark: one DataFrame append per commit, or one streaming query for a run of commits."""

import threading
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any

from wasim.errors import CaseFailed
from wasim.scenario import Case
from wasim.spark import ENGINE_ERRORS, Session, failed_commit
from wasim.spark.drive.changes import merge_rows, upserted_rows
from wasim.spark.drive.engine import Appender, Pace, Target
from wasim.spark.drive.rows import EPOCH_US, places_of, select_list
from wasim.workload import Append, Evolve


def append_batch(session: Session, case: Case, table: str, commit: int) -> None:
    """One commit's rows appended by one DataFrame write, to a table that stays as it is."""
    selected = select_list(case, case.table, places_of(case.table))
    arriving_rows(session, case, commit).selectExpr(*selected).writeTo(table).append()


def arriving_rows(session: Session, case: Case, commit: int) -> Any:
    """The numbers of one commit's rows, as the column `value`, in as many partitions as it has files."""
    first = (commit - 1) * case.rows_per_commit
    return session.spark.range(first, first + case.rows_per_commit, 1, case.workload.files_per_commit).toDF("value")


POLL_S = 0.25  # how often a stream that is under way is asked for progress; the commits do not wait for it


def open_appender(target: Target) -> Appender:
    """The appender that the case's writer asks for."""
    if target.case.writer.writers > 1:
        return ConcurrentAppender(target)
    if target.case.writer.kind == "batch":
        return BatchAppender(target)
    return ForeachBatchAppender(target) if target.case.writer.sink == "foreach_batch" else TableSinkAppender(target)


def _commit_batch(target: Target, step: Append, commit: int, values: Any) -> None:
    """One commit of the writer whose rows have these numbers: an append, or for upserts a MERGE INTO; an append to
    each of the other tables before, so that a step takes as long as all of them.
    """

    def append_to(table: str) -> None:
        values.selectExpr(*select_list(target.case, step.table, target.places)).writeTo(table).append()

    for table in target.others:
        append_to(table)
    if step.operation(commit) == "upsert":
        rows = upserted_rows(target, step, commit, values)
        # maintenance commits in another session than a stream's, and Spark keeps a table for half a minute as it saw it
        rows.sparkSession.catalog.refreshTable(target.table)
        merge_rows(rows, target.table, f"{step.table.key_column}")
    else:
        append_to(target.table)


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
            target.begin(step, commit, step.operation(commit))
            _commit_batch(target, step, commit, arriving_rows(target.session, target.case, commit))
            target.on_commits(commit)

    def reshape(self, _step: Evolve) -> None:
        """Each commit looks the table up."""

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
        target.begin(step, step.first_commit, step.operation(last), is_run=True)
        self._run_until(step)
        if self._query is None:
            self._query = self._start(self._rows(), step)
        while not self._held_back(POLL_S):
            target.on_commits(self._commits())
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
        )

    def _writer(self, rows: Any) -> Any:
        writer = rows.writeStream.option("checkpointLocation", str(self._target.checkpoint))
        if self._target.case.clock == "real":
            interval_ms = round(self._target.case.commit_interval_s * 1000)
            writer = writer.trigger(processingTime=f"{interval_ms} milliseconds")
        return writer

    def _run_until(self, step: Append) -> None:
        raise NotImplementedError

    def _held_back(self, timeout_s: float) -> bool:
        raise NotImplementedError

    def _commits(self) -> int:
        raise NotImplementedError

    def _start(self, rows: Any, step: Append) -> Any:
        raise NotImplementedError

    def reshape(self, _step: Evolve) -> None:
        """Ends the query, which was planned for the table as it was; the next append starts it from its checkpoint."""
        self.close()

    def close(self) -> None:
        """Stops the query. Held back as it is after its last commit, no further commit can begin."""
        if self._query is not None:
            self._query.stop()
            self._query = None


class TableSinkAppender(_StreamAppender):
    """Spark's streaming table sink: FastAppend, or MergeAppend when the case asks. The journal holds it back."""

    def _run_until(self, step: Append) -> None:
        self._target.journal.run_until(step.first_commit + step.commits - 1)

    def _commits(self) -> int:
        return self._target.journal.streamed()

    def _held_back(self, timeout_s: float) -> bool:
        return self._target.journal.await_pause(timeout_s)

    def _start(self, rows: Any, step: Append) -> Any:
        rows = rows.selectExpr(*select_list(self._target.case, step.table, self._target.places))
        # the rows hold no null, but Spark cannot know
        writer = self._writer(rows).format("iceberg").outputMode("append").option("check-nullability", "false")
        if self._target.case.merges:
            writer = writer.option("use-merge-append-for-streaming", "true")
        return writer.toTable(self._target.table)


class _Ended(Exception):
    """The query is to end before this batch."""


class ForeachBatchAppender(_StreamAppender):
    """A batch commit inside `foreachBatch`: Iceberg's MergeAppend. Held back where the next batch would begin."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._turn = threading.Condition()
        self._step: Append | None = None  # under way; no commit after its last may be made
        self._done = 0
        self._closing = False

    def _run_until(self, step: Append) -> None:
        with self._turn:
            self._step = step
            self._turn.notify_all()

    def _last(self) -> int:
        return self._step.first_commit + self._step.commits - 1 if self._step else 0

    def _held_back(self, timeout_s: float) -> bool:
        with self._turn:
            return self._turn.wait_for(lambda: self._done >= self._last(), timeout_s)

    def _commits(self) -> int:
        return self._done

    def _start(self, rows: Any, step: Append) -> Any:
        self._closing = False
        return self._writer(rows).foreachBatch(self._batch).start()

    def _batch(self, batch: Any, epoch: int) -> None:
        commit = epoch + 1
        with self._turn:
            self._turn.wait_for(lambda: self._closing or commit <= self._last())
        if self._closing:  # to return would tell Spark that the batch is done
            raise _Ended
        # a query that was ended may give its last batch once more
        if commit > self._done and self._step is not None:
            _commit_batch(self._target, self._step, commit, batch)
            with self._turn:
                self._done = commit
                self._turn.notify_all()

    def close(self) -> None:
        """Ends the batch that waits without a commit, then stops the query."""
        with self._turn:
            self._closing = True
            self._turn.notify_all()
        super().close()


class ConcurrentAppender:
    """Commit n is made by writer n mod k, each as BatchAppender would, all at once.

    A commit that fails for good, its retries exhausted, is entered into the journal; its rows are left out, and its
    writer goes on with its next one.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._pace = Pace(target.case)
        self._sessions = [target.session.sibling() for _ in range(target.case.writer.writers)]
        self._turn = threading.Lock()
        self._over = threading.Event()
        self._tried = 0

    def append(self, step: Append) -> None:
        """Carries out the step; returns when every writer is done with its share."""
        self._target.journal.together()
        try:
            with ThreadPoolExecutor(len(self._sessions)) as pool:
                shares = [pool.submit(self._write, writer, step) for writer in range(len(self._sessions))]
                try:
                    wait(shares, return_when=FIRST_EXCEPTION)
                finally:
                    if not all(share.done() for share in shares):  # one raised, or we were interrupted
                        self._over.set()
        finally:
            self._target.journal.apart()
        for share in shares:
            share.result()

    def _write(self, writer: int, step: Append) -> None:
        for commit in range(step.first_commit, step.first_commit + step.commits):
            if self._over.is_set():
                return
            if commit % len(self._sessions) == writer:
                self._pace.wait_for(commit)
                self._commit(self._sessions[writer], step, commit)

    def _commit(self, session: Session, step: Append, commit: int) -> None:
        target = self._target
        session.works_for(step.number + commit - step.first_commit)
        target.begin(step, commit, "append")
        try:
            append_batch(session, target.case, target.table, commit)
        except ENGINE_ERRORS as error:
            failure = failed_commit(error)
            if failure is None:
                raise
            target.journal.failed(failure)
        with self._turn:
            self._tried += 1
            target.on_commits(self._tried)

    def reshape(self, _step: Evolve) -> None:
        """Never asked for: nothing else happens to a table that several append to."""

    def close(self) -> None:
        """Nothing runs between appends."""
        self._over.set()
