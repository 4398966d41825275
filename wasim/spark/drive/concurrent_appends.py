"""Several writers at once: each in a thread and a Spark session of its own, with its own handle on the one table."""

import threading
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

from wasim.spark import ENGINE_ERRORS, Session, failed_commit
from wasim.spark.drive.batch import append_batch
from wasim.spark.drive.engine import Target
from wasim.spark.drive.pace import Pace
from wasim.workload import Append, Evolve


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
        target, number = self._target, step.number + commit - step.first_commit
        session.works_for(number)
        event_time_s = commit * target.case.commit_interval_s
        target.journal.step(number, "append", event_time_s=event_time_s, rows=step.rows_per_commit)
        try:
            self._append_rows(session, commit)
        except ENGINE_ERRORS as error:
            failure = failed_commit(error)
            if failure is None:
                raise
            target.journal.failed(failure)
        with self._turn:
            self._tried += 1
            target.on_commits(self._tried)

    def _append_rows(self, session: Session, commit: int) -> None:
        append_batch(session, self._target.case, self._target.table, commit)

    def reshape(self, _step: Evolve) -> None:
        """Never asked for: nothing else happens to a table that several append to."""

    def close(self) -> None:
        """Nothing runs between appends."""
        self._over.set()
