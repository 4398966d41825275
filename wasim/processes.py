"""Independent parts of a piece of work, spread over the cores of this machine."""

import os
import signal
from collections.abc import Callable, Hashable, Iterator, MutableMapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from multiprocessing import Manager, active_children
from multiprocessing.managers import SyncManager
from typing import Any, ParamSpec, Protocol, TypeVar

Part = TypeVar("Part")
Result = TypeVar("Result")
Parameters = ParamSpec("Parameters")

_known: dict[Hashable, Any] = {}
_known_to_all = ContextVar[MutableMapping[Hashable, Any]]("_known_to_all", default=_known)


def available_cores() -> int:
    """Cores that this process may run on: its container's, not the machine's."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Mapped(Protocol):
    """A map over processes."""

    def __call__(self, work: Callable[[Part], Result], parts: Sequence[Part], *, together: int = 1) -> Iterator[Result]:
        """What `work`, a function of a module, makes of each part, in their order, as it is done; a process takes
        this many parts `together`.
        """


def cached_by_all(work: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """What that function of a module finds, found once: in this process, or in any of those that share what they find.
    Arguments that can be hashed, and results that can be pickled, are the same in each.
    """

    @wraps(work)
    def cached(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        key = (work.__module__, work.__qualname__, args, *sorted(kwargs.items()))
        if key not in _known:
            found = _known_to_all.get().get(key)
            _known[key] = _known_to_all.get()[key] = work(*args, **kwargs) if found is None else found
        result: Result = _known[key]
        return result

    return cached


@contextmanager
def open_processes(count: int | None, *, shares: bool = False) -> Iterator[Mapped]:
    """A map over processes that stay until the block ends, and keep what they cached; by default one for each core.

    With one process, or one part, the work is done in this one. Errors of the work are raised here, and end the others.
    If it `shares`, what one of them finds by a function that is `cached_by_all`, none of the others computes.
    """
    count = available_cores() if count is None else count
    pool: ProcessPoolExecutor | None = None
    manager: SyncManager | None = None

    def mapped(work: Callable[[Part], Result], parts: Sequence[Part], *, together: int = 1) -> Iterator[Result]:
        nonlocal pool, manager
        if count < 2 or len(parts) < 2:
            return map(work, parts)
        if pool is None:
            manager = Manager() if shares else None
            common = manager.dict(_known) if manager else None
            pool = ProcessPoolExecutor(count, initializer=_begin, initargs=(common,))
        some = [parts[at : at + together] for at in range(0, len(parts), together)]
        return _results_of([pool.submit(_each, work, one) for one in some])

    try:
        yield mapped
    except BaseException:
        for child in active_children() if pool else ():
            child.kill()  # at once: a child that has just begun still has the handlers of this process
        raise
    finally:
        if pool:
            pool.shutdown()
        if manager:
            manager.shutdown()


def _each(work: Callable[[Part], Result], parts: Sequence[Part]) -> list[Result]:
    return list(map(work, parts))


def _results_of(begun: list[Future[list[Result]]]) -> Iterator[Result]:
    """The results in order, none kept longer than it takes. No future is cancelled at an error, as by an executor's own
    map: Python 3.11 prints a traceback of each whose process is ended.
    """
    begun.reverse()
    while begun:
        yield from begun.pop().result()


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


def _begin(common: MutableMapping[Hashable, Any] | None) -> None:
    """A Ctrl-C reaches every process of a terminal: the parent ends the others, without their tracebacks."""
    if common is not None:
        _known_to_all.set(common)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
