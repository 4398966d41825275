"""Independent parts of a piece of work, spread over the cores of this machine."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import active_children
from typing import TypeVar

Part = TypeVar("Part")
Result = TypeVar("Result")


def map_in_processes(
    work: Callable[[Part], Result], parts: Sequence[Part], *, processes: int | None = None
) -> Iterator[Result]:
    """What `work`, a function of a module, makes of each part, in their order, as it is done.

    By default there is a process for each core; with one process, or one part, the work is done in this one. Errors of
    `work` are raised here, and end the others.
    """
    count = min(os.cpu_count() or 1 if processes is None else processes, len(parts))
    if count < 2:
        yield from map(work, parts)
        return
    with ProcessPoolExecutor(count, initializer=_leave_interrupts_to_parent) as pool:
        try:
            yield from pool.map(work, parts)
        except BaseException:
            for child in active_children():
                child.terminate()
            raise


def _leave_interrupts_to_parent() -> None:
    """A Ctrl-C reaches every process of a terminal: the parent ends the others, without their tracebacks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
