"""What is said while a bench runs: bars with the time left on a terminal, a line per case anywhere else."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TaskID, TextColumn
from rich.table import Column
from rich.text import Text

from wasim.scenario import Case
from wasim.units import format_duration


class _TimeLeft(ProgressColumn):
    """How long a task will still take, or how long it took."""

    def render(self, task: Task) -> Text:
        if task.finished:
            return Text(f"took {format_duration(round(task.finished_time or 0) or 1)}")
        left_s = task.time_remaining
        return Text("" if left_s is None else f"{format_duration(round(left_s) or 1)} left")


class BenchProgress:
    """Progress over the cases that are to be carried out, by key. To be used in a with-block."""

    def __init__(self, console: Console, cases: Mapping[str, Case]) -> None:
        self._console, self._cases = console, cases
        self._all_commits = sum(case.commits for case in cases.values())
        self._finished_cases = self._finished_commits = 0
        self._began_s = time.monotonic()
        self._bars = Progress(
            # with these widths 80 columns hold the count and the time, however long a label is
            TextColumn("{task.description}", markup=False, table_column=Column(max_width=40, no_wrap=True)),
            BarColumn(bar_width=12),
            MofNCompleteColumn(),
            _TimeLeft(),
            console=console,
            disable=not cases or not console.is_terminal,
        )
        self._whole = self._bars.add_task("all cases", total=self._all_commits, visible=len(cases) > 1)
        self._tasks: dict[str, TaskID] = {
            key: self._bars.add_task(case.label, total=case.commits, start=False) for key, case in cases.items()
        }

    def __enter__(self) -> "BenchProgress":
        self._bars.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._bars.stop()

    def say(self, line: str, style: str = "") -> None:
        """Prints a line above the bars."""
        self._console.print(line, style=style, markup=False, highlight=False, soft_wrap=True)

    @contextmanager
    def case(self, key: str) -> Iterator[Callable[[int], None]]:
        """The time in which a case is carried out; gives what takes the number of its commits so far."""
        began_s, task, commits = time.monotonic(), self._tasks[key], self._cases[key].commits
        self._bars.start_task(task)

        def take(done: int) -> None:
            self._bars.update(task, completed=done)
            self._bars.update(self._whole, completed=self._finished_commits + done)

        try:
            yield take
        finally:
            self._finished_cases += 1
            self._finished_commits += commits
        if not self._console.is_terminal:
            took = format_duration(round(time.monotonic() - began_s) or 1)
            self.say(f"{self._cases[key].label}: {commits:,} commits in {took}. {self._rest()}")

    def _rest(self) -> str:
        """The number of cases done, and the time that the others may take: as long per commit as these."""
        done = f"{self._finished_cases} of {len(self._cases)} cases done"
        left = self._all_commits - self._finished_commits
        if not left:
            return f"{done}."
        per_commit_s = (time.monotonic() - self._began_s) / self._finished_commits
        return f"{done}, about {format_duration(round(left * per_commit_s) or 1)} left."
