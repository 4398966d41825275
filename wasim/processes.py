"""Independent parts of a piece of work, spread over the cores of this machine."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children
from typing import Protocol, TypeVar

Part = TypeVar("Part")
Result = TypeVar("Result")


def available_cores() -> int:
    """Cores that this process may run on: its container's, not the machine's."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Mapped(Protocol):
    """A map over processes."""

    def __call__(self, work: Callable[[Part], Result], parts: Sequence[Part], *, together: int = 1) -> Iterator[Result]:
        """What `work`, a function of a module, makes of each part, in their order, as it is done; a process takes
        this many parts `together`.
        """


@contextmanager
def open_processes(count: int | None = None) -> Iterator[Mapped]:
    """A map over processes that stay until the block ends, and keep what they cached; by default one for each core.

    With one process, or one part, the work is done in this one. Errors of the work are raised here, and end the others.
    """
    count = available_cores() if count is None else count
    pool: ProcessPoolExecutor | None = None

    def mapped(work: Callable[[Part], Result], parts: Sequence[Part], *, together: int = 1) -> Iterator[Result]:
        nonlocal pool
        if count < 2 or len(parts) < 2:
            return map(work, parts)
        pool = pool or ProcessPoolExecutor(count, initializer=_leave_interrupts_to_parent)
        return pool.map(work, parts, chunksize=together)

    try:
        yield mapped
    except BaseException:
        for child in active_children() if pool else ():
            child.kill()  # at once: a child that has just begun still has the handlers of this process
        raise
    finally:
        if pool:
            pool.shutdown()


def map_in_processes(
    work: Callable[[Part], Result], parts: Sequence[Part], *, processes: int | None = None
) -> Iterator[Result]:
    """What `work`, a function of a module, makes of each part, in their order, as it is done.

    By default there is a process for each core; with one process, or one part, the work is done in this one. Errors of
    `work` are raised here, and end the others.
    """
    count = min(available_cores() if processes is None else processes, len(parts))
    with open_processes(count) as mapped:
        yield from mapped(work, parts)


def _leave_interrupts_to_parent() -> None:
    """A Ctrl-C reaches every process of a terminal: the parent ends the others, without their tracebacks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
