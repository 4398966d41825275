"""The application: its verbs, in the order of `wasim --help`, and what a fault ends in."""

import errno
import io
import signal
import sys
import traceback

import typer

from wasim.cli.bench import bench
from wasim.cli.compare import compare
from wasim.cli.fidelity import fidelity
from wasim.cli.profile import profile
from wasim.cli.report import report
from wasim.cli.schema import schema
from wasim.cli.simulate import simulate
from wasim.cli.validate import validate
from wasim.errors import ExitCode, WasimError

_MACHINES_FAULT = {errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR}
_VERBS = (validate, schema, bench, simulate, profile, fidelity, report, compare)

app = typer.Typer(
    name="wasim",
    help="What a commit interval costs in Apache Iceberg metadata.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for verb in _VERBS:
    app.command()(verb)


@app.callback()
def _wasim() -> None:
    """What a commit interval costs in Apache Iceberg metadata."""


def main() -> None:
    """Run the command line; a user's mistake ends in its lines on stderr and its exit code."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # an ASCII terminal gets a question mark, not a traceback
    try:
        app()
    except WasimError as error:
        typer.echo(str(error), err=True)
        sys.exit(int(error.exit_code))
    except OSError as error:
        if error.errno not in _MACHINES_FAULT:
            traceback.print_exc()
            sys.exit(int(ExitCode.BUG))
        where = f"{error.filename}: " if error.filename else ""
        typer.echo(f"{where}{error.strerror}. Mend that, then run the same command: finished cases are kept.", err=True)
        sys.exit(int(ExitCode.USER_MISTAKE))
    except Exception:  # a bug keeps its traceback, and an exit code that says no more than that
        traceback.print_exc()
        sys.exit(int(ExitCode.BUG))
