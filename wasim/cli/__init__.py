"""The application: its verbs, in the order of `wasim --help`, and how an error ends the process."""

import errno
import io
import os
import re
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Annotated, Any, NoReturn

import typer

from wasim import __version__
from wasim.cli.bench import bench, profile
from wasim.cli.compare import compare, diff, report
from wasim.cli.inspect import inspect, watch
from wasim.cli.plan import plan
from wasim.cli.simulate import simulate
from wasim.cli.terminal import OutputClosed, echo
from wasim.cli.validate import init, schema, validate
from wasim.errors import ExitCode, WasimError, printable

_ENVIRONMENT_ERRORS = {
    *(errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR),
    *(errno.ENAMETOOLONG, errno.ELOOP, errno.EFBIG, errno.EIO, errno.ENXIO),
}
_WrongFlag = typer.BadParameter.__mro__[1]  # the error that all of typer's own on arguments are
_LONG_WORD = re.compile(r"(\S{79})\S{2,}")
_VERBS: tuple[tuple[Callable[..., None], str], ...] = (
    (init, "wasim init my_stream.yaml"),
    (validate, "wasim validate my_stream.yaml --cases"),
    (simulate, "wasim simulate my_stream.yaml --horizon 365d"),
    (plan, "wasim plan --rows-per-second 500 --metadata-json 5MB"),
    (bench, "wasim bench my_stream.yaml --set workload.rows_per_second=500"),
    (report, "wasim report latest"),
    (inspect, "wasim inspect s3://bucket/warehouse/db/table --s3-region eu-central-1"),
    (watch, "wasim watch warehouse/db/table --every 1m --for 30m"),
    (compare, "wasim compare results/my_stream/20260101T000000Z-0000 latest"),
    (diff, "wasim diff main HEAD --fail-above metadata=1.1"),
    (profile, "wasim profile --writer batch --out my_spark.json"),
    (schema, "wasim schema > schema.json"),
)


WORTH_SAYING_S = 5.0


app = typer.Typer(
    name="wasim",
    help="What a commit interval costs in Apache Iceberg metadata.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for verb, example in _VERBS:
    app.command(epilog=f"Example: {example}")(verb)


def _print_version(wanted: bool) -> None:
    if wanted:
        echo(f"wasim {__version__}")
        raise typer.Exit


@app.callback()
def _wasim(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """What a commit interval costs in Apache Iceberg metadata."""


def main() -> None:
    """Run the command line; a user's mistake ends in its lines on stderr and its exit code."""
    try:
        _run()
    except SystemExit as ended:
        history = sys.modules.get("wasim.years.history")
        if history is not None and (seconds := history.missed_s()) > WORTH_SAYING_S:  # numba is missing
            echo(f'note: {seconds:.0f} s went into stepping; pip install "wasim[fast]" compiles that.', err=True)
        waiting = sys.modules.get("wasim.storage.s3")
        if waiting is None or not waiting.is_left_running():
            raise
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(ended.code if isinstance(ended.code, int) else int(ended.code is not None))


def _say_which_flag(error: Any) -> NoReturn:  # noqa: ANN401 - of typer's types, which are private
    """The line on an option or argument that is wrong, in which a long value is cut; typer would draw a box."""
    if said := _LONG_WORD.sub(r"\1…", error.format_message()):
        more = f" See {error.ctx.command_path} -h." if error.ctx else ""
        echo(f"{said.rstrip('.')}.{more}", err=True)
    sys.exit(int(ExitCode.USER_MISTAKE))


def _run() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # an ASCII terminal gets a question mark, not a traceback
    try:
        code = app(standalone_mode=False)
        if sys.stdout is not None:  # as it is where it was closed
            sys.stdout.flush()
        sys.exit(code)
    except (OutputClosed, BrokenPipeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter tries once more
        sys.exit(int(ExitCode.OUTPUT_CLOSED))
    except WasimError as error:
        echo(str(error), err=True)
        sys.exit(int(error.exit_code))
    except OSError as error:
        if error.errno not in _ENVIRONMENT_ERRORS:
            traceback.print_exc()
            sys.exit(int(ExitCode.BUG))
        where = f"{printable(str(error.filename), 1_000)}: " if error.filename else ""
        echo(f"{where}{error.strerror}. Correct that, then run the same command: finished cases are kept.", err=True)
        sys.exit(int(ExitCode.USER_MISTAKE))
    except Exception as error:  # a bug keeps its traceback, and an exit code that says no more than that
        if isinstance(error, _WrongFlag):
            _say_which_flag(error)
        traceback.print_exc()
        sys.exit(int(ExitCode.BUG))
