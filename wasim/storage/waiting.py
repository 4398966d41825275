"""Waiting for a library's call that cannot be stopped, for so long and no longer."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotDone
from threading import Thread
from typing import TypeVar

Result = TypeVar("Result")

_LOOK_EVERY_S = 0.05

_left: list[Thread] = []


class TookTooLong(Exception):
    """A call had not come to its end. It goes on in a thread, which ends with the process."""


class TookTooMuch(Exception):
    """A call had not come to its end when its `is_over` said that it went too far; it goes on too."""


def within(seconds: float, work: Callable[[], Result], is_over: Callable[[], bool] = lambda: False) -> Result:
    """What `work` gives, or raises. TookTooLong after so many seconds, TookTooMuch once it `is_over`."""
    done: Future[Result] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # raised where the result is waited for
            done.set_exception(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    ends_at_s = time.monotonic() + seconds
    try:
        while True:
            try:
                return done.result(min(_LOOK_EVERY_S, max(0.0, ends_at_s - time.monotonic())))
            except NotDone:
                if done.done():
                    raise
            if is_over():
                raise TookTooMuch
            if time.monotonic() >= ends_at_s:
                raise TookTooLong
    finally:
        if not done.done():
            _left.append(thread)


def is_left_running() -> bool:
    """Whether a call that took too long still goes on: libraries would wait for it when the process ends."""
    return any(thread.is_alive() for thread in _left)
