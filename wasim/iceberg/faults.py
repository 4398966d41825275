"""The one error that reading or writing Iceberg's files raises."""

import re

from wasim.errors import WasimError

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]+")


def printable(text: str, most: int = 400) -> str:
    """Text from a file as a terminal may be given it: no control or direction characters, and bounded."""
    shown = _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text[: most + 1])
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


class IcebergFileError(WasimError):
    """A file that Iceberg would not have written, or one too large to trust: which file, and what is wrong with it."""

    def __init__(self, source: str, problem: str) -> None:
        """The error about a file, named as the user knows it."""
        self.source = printable(source, 1_000)
        self.problem = printable(problem)
        super().__init__(f"{self.source}: {self.problem}")

    def __reduce__(self) -> tuple[type["IcebergFileError"], tuple[str, str]]:
        """How it is pickled: an exception knows only its text."""
        return type(self), (self.source, self.problem)


class UnsupportedFile(IcebergFileError):
    """A sound file that wasim does not read: of a newer format version, of a view, encrypted."""
