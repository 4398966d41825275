"""Mistakes and mishaps that a user can act on; each says what, where and what to do, and carries an exit code."""

import re
from enum import IntEnum

# Control, format and direction characters, halves of pairs, and tags, which no terminal shows
_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f"
)
_UNPRINTABLE, _UNPRINTABLE_OR_LAID_OUT = re.compile(f"[{_HIDDEN}]+"), re.compile(f"[{_HIDDEN}\t\n]+")
_MOST_QUOTED, _MOST_OF_LINE = 80, 2_000


def printable(text: str, most: int = 400) -> str:
    """Text from a file as one line of a terminal may show it: no control or direction characters, and bounded."""
    shown = _UNPRINTABLE_OR_LAID_OUT.sub("\N{REPLACEMENT CHARACTER}", text[: most + 1])
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def printable_lines(text: str) -> str:
    """The same for text of any length that is laid out in lines."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def quoted(text: str) -> str:
    """A value that somebody gave, in quotes, cut at some 80 letters."""
    return repr(text if len(text) <= _MOST_QUOTED else f"{text[: _MOST_QUOTED - 1]}…")


class ExitCode(IntEnum):
    """What the process tells its caller."""

    DONE = 0
    FINDINGS = 1
    USER_MISTAKE = 2
    CASE_FAILED = 3
    BUG = 70  # a traceback came with it
    INTERRUPTED = 130
    OUTPUT_CLOSED = 141  # as a shell says it of a program that wrote what nobody read


class WasimError(Exception):
    """A user's mistake or an unusable machine: printed without a traceback, a line for each text that it is given."""

    exit_code: ExitCode = ExitCode.USER_MISTAKE

    def __str__(self) -> str:
        """What is printed, whatever names of files and values stand in it."""
        return "\n".join(map(_one_line, map(str, self.args)))


def _one_line(text: str) -> str:
    """An error's line: what it is about stands at its beginning, and the remedy at its end."""
    shown = _UNPRINTABLE_OR_LAID_OUT.sub("\N{REPLACEMENT CHARACTER}", text)
    return shown if len(shown) <= _MOST_OF_LINE else f"{shown[: _MOST_OF_LINE // 2]} … {shown[-_MOST_OF_LINE // 2 :]}"


class ScenarioError(WasimError):
    """A scenario that cannot be run; one line per fault, each `file:line:column: field …` with its remedy."""


class EnvironmentFault(WasimError):
    """The machine lacks something wasim needs: Java, a jar, disk space, a permission, a port."""


class SavedFileError(WasimError):
    """A file that wasim saved earlier is missing, damaged or of an unknown schema version."""


class CaseFailed(WasimError):
    """One case could not be carried out; other cases go on."""

    exit_code = ExitCode.CASE_FAILED


class AuditMismatch(CaseFailed):
    """Bytes written minus bytes deleted differ from what a listing shows on disk."""


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
