"""Waiting for a library's call that cannot be stopped, for so long and no longer."""

from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotDone
from threading import TIMEOUT_MAX, Thread
from typing import TypeVar

Result = TypeVar("Result")

_left: list[Thread] = []


class TookTooLong(Exception):
    """A call had not come to its end. It goes on in a thread, which ends with the process."""


def within(seconds: float, work: Callable[[], Result]) -> Result:
    """What `work` gives, or raises. TookTooLong if it takes longer than so many seconds."""
    done: Future[Result] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # raised where the result is waited for
            done.set_exception(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    try:
        return done.result(min(seconds, TIMEOUT_MAX))
    except NotDone:
        if done.done():
            raise
        raise TookTooLong from None
    finally:
        if not done.done():
            _left.append(thread)


def is_left_running() -> bool:
    """Whether a call that took too long still goes on: libraries would wait for it when the process ends."""
    return any(thread.is_alive() for thread in _left)
