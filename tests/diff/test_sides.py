"""The two versions are found in files, in git, or between revisions."""

import subprocess
from pathlib import Path

import pytest

from wasim.diff.sides import Pair, find_pairs
from wasim.errors import WasimError


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`main` has gone on since `change` left it."""
    folder = tmp_path_factory.mktemp("repository")
    git(folder, "init", "-b", "main", ".")
    (folder / "conf").mkdir()
    (folder / "conf" / "a.sql").write_text("one")
    (folder / "b.sql").write_text("b")
    git(folder, "add", "-A")
    git(folder, "commit", "-m", "1")
    git(folder, "checkout", "-b", "change")
    (folder / "conf" / "a.sql").write_text("two")
    (folder / "new.sql").write_text("new")
    (folder / "picture.png").write_bytes(b"\0\1")
    git(folder, "add", "-A")
    git(folder, "commit", "-m", "2")
    git(folder, "checkout", "main")
    (folder / "b.sql").write_text("of main alone")
    git(folder, "commit", "-am", "3")
    git(folder, "checkout", "change")
    return folder


def test_revisions_differ_in_what_the_change_changes(repository: Path) -> None:
    assert list(find_pairs("main", "change", repository)) == [
        Pair(name="conf/a.sql", before="one", after="two"),
        Pair(name="new.sql", before=None, after="new"),
    ]


def test_a_revision_alone_is_compared_with_what_lies_there(repository: Path) -> None:
    path = repository / "conf" / "a.sql"
    path.write_text("three")
    try:
        found = {one.name: one.after for one in find_pairs("HEAD", None, repository / "conf")}
    finally:
        path.write_text("two")
    assert found == {"conf/a.sql": "three"}


def test_a_file_at_a_revision_and_here(repository: Path) -> None:
    assert list(find_pairs("main:conf/a.sql", "conf/a.sql", repository)) == [
        Pair(name="conf/a.sql", before="one", after="two")
    ]
    assert list(find_pairs("main:conf/a.sql", None, repository)) == [Pair(name="conf/a.sql", before="one", after="two")]
    (pair,) = find_pairs("b.sql", "new.sql", repository)
    assert pair.name == "b.sql → new.sql"


@pytest.mark.parametrize(
    ("base", "head", "said"),
    [
        ("nothing", "main", "'nothing' is neither a file nor a revision"),
        ("--upload-pack=x", "main", "is neither a file nor a revision"),
        ("main:no.sql", "b.sql", "main has no file no.sql"),
        ("b.sql", "main", "main: no such file, and b.sql is one"),
        ("main", "b.sql", "main: no such file, and b.sql is one"),
    ],
)
def test_a_side_that_is_neither_is_refused(repository: Path, base: str, head: str, said: str) -> None:
    with pytest.raises(WasimError, match=said):
        list(find_pairs(base, head, repository))
