"""Mistakes and mishaps that a user can act on; each says what, where and what to do, and carries an exit code."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What the process tells its caller."""

    DONE = 0
    FINDINGS = 1
    USER_MISTAKE = 2
    CASE_FAILED = 3
    BUG = 70  # a traceback came with it
    INTERRUPTED = 130


class WasimError(Exception):
    """A user's mistake or an unusable machine: printed as it stands, without a traceback."""

    exit_code: ExitCode = ExitCode.USER_MISTAKE


class ScenarioError(WasimError):
    """A scenario that cannot be run; one line per fault, each `file:line:column: field …` with its remedy."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


class EnvironmentFault(WasimError):
    """The machine lacks something wasim needs: Java, a jar, disk space, a permission, a port."""


class SavedFileError(WasimError):
    """A file that wasim saved earlier is missing, damaged or of an unknown schema version."""


class CaseFailed(WasimError):
    """One case could not be carried out; other cases go on."""

    exit_code = ExitCode.CASE_FAILED


class AuditMismatch(CaseFailed):
    """Bytes written minus bytes deleted differ from what a listing shows on disk."""
