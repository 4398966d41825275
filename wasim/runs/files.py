"""Files that are whole or absent: written under another name, synced, then renamed."""

import os
import shutil
import tempfile
from pathlib import Path

from wasim.errors import EnvironmentFault

UNFINISHED = ".unfinished-"  # anything so named is swept when a run starts


def write_atomically(path: Path, content: str | bytes) -> None:
    """Writes `content` to `path` so that a reader, or a power cut, sees the old file or the new one.

    EnvironmentFault if it cannot be written, or is there and no regular file: a rename would replace a device.
    """
    data = content.encode(errors="replace") if isinstance(content, str) else content
    try:
        if path.exists() and not path.is_file():
            raise EnvironmentFault(f"{path}: is no regular file. Name another.")
        _write(path, data)
    except OSError as error:
        raise EnvironmentFault(
            f"{path}: cannot be written: {error.strerror or error}. Correct that, or name another; then run the same"
            " command: what is finished is kept."
        ) from error


def _write(path: Path, data: bytes) -> None:
    descriptor, unfinished = tempfile.mkstemp(prefix=UNFINISHED, dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(unfinished).chmod(0o644)  # mkstemp's 0600 would hide results from colleagues
        Path(unfinished).replace(path)
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise
    _sync(path.parent)


def make_durable(unfinished: Path, target: Path) -> None:
    """Renames the folder `unfinished` to `target` once all that is in it has reached the disk."""
    for path in sorted(unfinished.rglob("*")):
        _sync(path)
    _sync(unfinished)
    unfinished.replace(target)
    _sync(target.parent)


def sweep(folder: Path) -> None:
    """Removes what killed runs left unfinished under `folder`."""
    for stray in list(folder.glob(f"**/{UNFINISHED}*")):
        if stray.is_dir():
            shutil.rmtree(stray, ignore_errors=True)
        else:
            stray.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
