"""The two versions to compare: files, files in git (`REV:path`), or all that changed since a revision."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wasim.errors import WasimError, quoted
from wasim.storage.access import read_regular
from wasim.units import format_bytes

MOST_BYTES = 4 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A file before and after; None where it did not exist. `name` is its path, or both paths."""

    name: str
    before: str | None
    after: str | None


def find_pairs(base: str, head: str | None, repository: Path) -> Iterator[Pair]:
    """The files that both sides name: one each, or, of revisions, those that differ between them.

    Without `head` it is what lies in the folder now. WasimError for a side that is neither a file nor in git.
    """
    if _is_file(base, repository):
        head = head or base.partition(":")[2] or base
        if not _is_file(head, repository):
            raise WasimError(f"{head}: no such file, and {base} is one. Give a file, or REV:path.")
        before, after = (side.partition(":")[2] or side for side in (base, head))
        yield Pair(
            name=(after if before == after else f"{before} → {after}"),
            before=_text(base, repository),
            after=_text(head, repository),
        )
        return
    if head is not None and _is_file(head, repository):
        raise WasimError(f"{base}: no such file, and {head} is one. Give a file, or REV:path.")
    yield from _changed(_revision(base, repository), head and _revision(head, repository), repository)


def _is_file(side: str, repository: Path) -> bool:
    return ":" in side or (repository / side).is_file()


def _text(side: str, repository: Path) -> str:
    path = repository / side
    if path.is_file():
        text = _present(path)
        if text is None:
            raise WasimError(f"{side}: is no text file of at most {format_bytes(MOST_BYTES)}. Give another.")
        return text
    revision, _, name = side.partition(":")
    text = _file_at(_revision(revision, repository), name, repository)
    if text is None:
        raise WasimError(f"{side}: {revision} has no file {name}. Give a path from the repository's root.")
    return text


def _revision(name: str, repository: Path) -> str:
    found = _git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if found is None:
        where = repository.absolute()
        raise WasimError(f"{quoted(name)} is neither a file nor a revision of git in {where}. Give one, or REV:path.")
    return found.strip()


def _changed(base: str, head: str | None, repository: Path) -> Iterator[Pair]:
    """Files that differ between where the second revision left the first and the second, as a pull request has it."""
    fork = _git(repository, "merge-base", base, head or "HEAD")
    start = base if fork is None else fork.strip()
    root = Path((_git(repository, "rev-parse", "--show-toplevel") or ".").strip())
    sides = (start,) if head is None else (start, head)
    names = _git(repository, "diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", *sides) or ""
    for name in filter(None, names.split("\0")):
        before = _file_at(start, name, repository)
        after = _present(root / name) if head is None else _file_at(head, name, repository)
        if before is not None or after is not None:
            yield Pair(name=name, before=before, after=after)


def _present(path: Path) -> str | None:
    """A file's text; None where there is none, or where it is no text."""
    try:
        return read_regular(path, most_bytes=MOST_BYTES).decode()
    except (OSError, WasimError, UnicodeDecodeError):
        return None


def _file_at(revision: str, name: str, repository: Path) -> str | None:
    """A file's text; None where there is none, or where it is no text."""
    text = _git(repository, "cat-file", "blob", f"{revision}:{name}")
    return None if text is None or "\0" in text else text


def _git(repository: Path, *arguments: str) -> str | None:
    """What git prints; None where it fails. WasimError where git is missing."""
    try:
        done = subprocess.run(["git", "-C", str(repository), *arguments], capture_output=True, check=False)
    except FileNotFoundError:
        raise WasimError("git is not installed, and a revision was named. Install it, or name two files.") from None
    return done.stdout.decode("utf-8", errors="replace") if done.returncode == 0 else None
