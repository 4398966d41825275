"""Under which circumstances a run was made: versions, jars, machine. Names no user, no host and no address."""

import json
import os
import platform
import subprocess
import sys
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from wasim import __version__
from wasim.ledger.vocabulary import SCHEMA_VERSION
from wasim.processes import available_cores
from wasim.runs.folder import write_atomically

_PACKAGES = ("pyspark", "py4j", "pyarrow", "numpy", "scipy", "fastavro", "pydantic", "ruamel.yaml", "matplotlib")


def key_versions(jars: Mapping[str, str]) -> dict[str, str]:
    """What decides a case's bytes, and so is part of its key: versions, and the SHA-256 of each jar by name."""
    return {"wasim": __version__, "ledger_schema": str(SCHEMA_VERSION), **_versions(["pyspark"]), **jars}


def note_provenance(folder: Path, *, engine: Mapping[str, str], jars: Mapping[str, str]) -> dict[str, Any]:
    """Everything that a reader needs to judge, or repeat, a run's figures, written to `provenance.json` in its folder.

    `engine` says what carried out the steps (name, Java, master …); `jars` holds the SHA-256 of each jar by file name.
    """
    here = str(Path(__file__).parent)
    notes = {
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "engine": dict(engine),
        "wasim": __version__,
        "git_commit": _said("git", "-C", here, "describe", "--always", "--dirty", "--abbrev=12")
        or "not in a git checkout",
        "ledger_schema": SCHEMA_VERSION,
        "python": sys.version.split()[0],
        "packages": _versions(_PACKAGES),
        "zlib": zlib.ZLIB_RUNTIME_VERSION,
        "jars": dict(jars),
        "cpu": _cpu(),
        "cores": available_cores(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "file_system": _said("stat", "-f", "-c", "%T", str(folder)) or "unknown",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }
    write_atomically(folder / "provenance.json", json.dumps(notes, indent=1))
    return notes


def _versions(packages: Iterable[str]) -> dict[str, str]:
    """Versions of those that are installed: simulating needs neither Spark nor its timing."""
    found = {}
    for name in packages:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def _cpu() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _said(*command: str) -> str:
    """What a program prints; nothing where it fails or is not installed."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""
