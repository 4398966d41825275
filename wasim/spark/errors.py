"""The one line of a Spark or Java error that says what went wrong."""

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException

from wasim.errors import CaseFailed
from wasim.ledger.vocabulary import COMMIT_FAILED

# what carrying out a case may end with that is the case's fault, or its table's, and not a bug of ours
ENGINE_ERRORS = (CaseFailed, Py4JError, PySparkException, OSError)

# how Iceberg says that a commit did not come about, or that it cannot tell; the last is a catalog's database
_FAILED_COMMITS = (COMMIT_FAILED, "CommitStateUnknownException", "UncheckedSQLException")


def raise_interrupt_before(error: BaseException) -> None:
    """KeyboardInterrupt if one came before the error, which is then what leaving a call of the JVM half done led to."""
    before: BaseException | None = error
    while before is not None:
        if isinstance(before, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        before = before.__context__


def failed_commit(error: BaseException) -> str | None:
    """Iceberg's word for the way in which a commit failed; None when `error` is something else."""
    cause = error.java_exception if isinstance(error, Py4JJavaError) else getattr(error, "_origin", None)
    while cause is not None:
        name = str(cause.getClass().getSimpleName())
        if name in _FAILED_COMMITS:
            return name
        cause = cause.getCause()
    return None


def essential_line(error: BaseException) -> str:
    """The innermost cause of `error`, in one line of at most 300 characters."""
    if isinstance(error, CaseFailed):
        text = str(error)
    elif isinstance(error, Py4JJavaError):
        cause = error.java_exception
        while cause.getCause() is not None:
            cause = cause.getCause()
        text = str(cause.toString())
    else:
        deepest = error
        while deepest.__cause__ is not None:
            deepest = deepest.__cause__
        text = f"{type(deepest).__name__}: {deepest}"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:300]
