"""When a commit is due: at once under the virtual clock, at its event time under the real one."""

import time

from wasim.scenario import Case


class Pace:
    """Waits for commits' times, counted from its making."""

    def __init__(self, case: Case) -> None:
        self.is_real = case.clock == "real"
        self._interval_s = case.commit_interval_s
        self._started_s = time.monotonic()

    def wait_for(self, commit: int) -> None:
        """Returns when the commit with this number is due."""
        if self.is_real:
            due_s = self._started_s + commit * self._interval_s
            time.sleep(max(0.0, due_s - time.monotonic()))
