"""The folder of one run: where things are, who holds it, and which unfinished one to resume."""

import fcntl
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from wasim.errors import EnvironmentFault, SavedFileError
from wasim.storage import StorageError
from wasim.storage.access import read_regular

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


RESULTS = "results"
LATEST = "latest"
_MISREAD = frozenset("%?#")  # SQLite and Hadoop read these in a path as parts of a URI


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Where the parts of a run are. Holding one means holding its lock."""

    path: Path

    @property
    def summary(self) -> Path:
        """The document of the finished run."""
        return self.path / "summary.json"

    def case(self, key: str) -> Path:
        """The folder of a finished case; it exists only when all of it is there."""
        return self.path / "cases" / key

    def unfinished_case(self, key: str) -> Path:
        """Where a case is put together."""
        return self.path / "cases" / f"{UNFINISHED}{key}"

    def warehouse(self, key: str) -> Path:
        """A case's catalog and table. All keys are equally long, and so are all paths in metadata."""
        return self.path / "warehouse" / key

    def finished(self, keys: Sequence[str]) -> list[str]:
        """The keys of finished cases among `keys`."""
        return [key for key in keys if (self.case(key) / "case.json").exists()]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMarker:
    """What a run set out to do: `run.json`, written first. An unfinished run of the same keys can be resumed."""

    scenario: str
    question: str
    keys: tuple[str, ...]
    overrides: Mapping[str, str] = field(default_factory=dict)  # of the scenario, from the command line


@contextmanager
def open_run_folder(results: Path, marker: RunMarker, *, fresh: bool) -> Iterator[RunFolder]:
    """The newest unfinished run of these very cases that nobody holds, else a new one; locked for the block.

    EnvironmentFault if the folder cannot be made. Two runs at once hold two folders.
    """
    parent = results.absolute() / marker.scenario  # tables hold their location: it must not depend on where one stands
    misread = sorted({letter for letter in str(parent) if letter in _MISREAD or not letter.isprintable()})
    if misread:
        raise EnvironmentFault(
            f"{parent}: holds {', '.join(map(repr, misread))}, which SQLite or Hadoop would read as part of a URI."
            " Give another folder with --out."
        )
    try:
        parent.mkdir(parents=True, exist_ok=True)
        path = None if fresh else _resumable(parent, marker)
        if path is None:
            path = parent / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(2)}"
            (path / "cases").mkdir(parents=True)
            write_atomically(path / "run.json", json.dumps(asdict(marker), indent=1))
    except OSError as error:
        raise EnvironmentFault(
            f"{parent}: no run folder can be made there ({error.strerror}). Give another with --out, or free space."
        ) from error
    with _lock(path) as held:
        if not held:
            raise EnvironmentFault(f"{path}: another run took this folder just now. Run the command again.")
        sweep(path)
        yield RunFolder(path)


def find_run(path: Path) -> Path:
    """The run's folder; `latest` stands for the newest finished run below `results`, or below the folder before it.

    A run is finished when all its cases are, whether or not its report is there. SavedFileError if there is none.
    """
    if path.name != LATEST or path.exists():
        return path
    folder = Path(RESULTS) if path == Path(LATEST) else path.parent
    finished = [run for depth in ("*", "*/*") for run in folder.glob(depth) if _is_finished(run)]
    if not finished:
        raise SavedFileError(f"{folder}: no finished run is in it. Name a run's folder, or run `wasim bench` first.")
    return max(finished, key=lambda run: run.name)  # names begin with the time at which the run did


def _is_finished(path: Path) -> bool:
    keys = _keys(path)
    run = RunFolder(path)
    return run.summary.exists() or (keys is not None and len(run.finished(keys)) == len(keys))


def _resumable(parent: Path, marker: RunMarker) -> Path | None:
    for path in sorted(parent.iterdir(), reverse=True):
        if _keys(path) != list(marker.keys):
            continue
        run = RunFolder(path)  # one with failed cases stays open, and so does one reported before its end
        if not run.summary.exists() or len(run.finished(marker.keys)) < len(marker.keys):
            with _lock(path) as held:
                if held:
                    return path
    return None


def _keys(path: Path) -> list[str] | None:
    """The keys of the run in this folder; None if it holds none, or its marker is damaged: it is left alone then."""
    try:
        keys: list[str] = json.loads(read_regular(path / "run.json"))["keys"]
    except (OSError, StorageError, ValueError, KeyError, TypeError):
        return None
    return keys


@contextmanager
def _lock(path: Path) -> Iterator[bool]:
    with (path / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True  # released when the file closes, and by the kernel when the process dies
