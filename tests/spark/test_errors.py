"""What ended a case: an error, or an interrupt that led to one."""

import pytest
from py4j.protocol import Py4JNetworkError

from wasim.spark import raise_interrupt_before


def ended_by(first: BaseException) -> Py4JNetworkError:
    """The error of a call that closes something while another error passes."""
    try:
        try:
            raise first
        finally:
            raise Py4JNetworkError("Answer from Java side is empty")
    except Py4JNetworkError as error:
        return error


def test_an_error_after_an_interrupt_is_the_interrupt() -> None:
    with pytest.raises(KeyboardInterrupt):
        raise_interrupt_before(ended_by(KeyboardInterrupt()))


def test_an_error_after_another_is_an_error() -> None:
    raise_interrupt_before(ended_by(OSError("disk full")))
