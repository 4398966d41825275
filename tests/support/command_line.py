"""The command line as a shell sees it: its exit code, or the document that it prints."""

import json
import subprocess
import sys

import pytest

from wasim import cli


def run_main(*arguments: str) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["wasim", *arguments])
        with pytest.raises(SystemExit) as end:
            cli.main()
    return int(end.value.code or 0)


def document_of(*arguments: object) -> dict[str, object]:
    """What a command prints with --json, in a process of its own, as it must be where it starts a Spark session: that
    ends with the command, and with it the session of the tests would.
    """
    command = [sys.executable, "-m", "wasim", *map(str, arguments), "--json"]
    document: dict[str, object] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return document
