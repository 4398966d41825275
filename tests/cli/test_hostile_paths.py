"""Files that options name: pipes, devices, folders and odd names end in one line that a terminal can show, soon."""

import os

import pytest
from support.command_line import run_main
from support.paths import DATA, SCENARIOS

READ = (
    ("validate",),
    ("simulate",),
    ("plan",),
    ("plan", "--fleet"),
    ("plan", "--from-run"),
    ("plan", "--from-table"),
    ("plan", "--rows-per-second", "5", "--prices"),
    ("simulate", str(SCENARIOS / "smoke.yaml"), "--prices"),
    ("report",),
    ("compare", "latest"),
    ("fidelity",),
    ("inspect",),
    ("inspect", "--metadata-file", "x"),
)
WRITTEN = (
    ("init",),
    ("inspect", str(DATA / "tables" / "empty_v2"), "--html"),
    ("plan", "--rows-per-second", "5", "--html"),
    ("simulate", str(SCENARIOS / "smoke.yaml"), "--grid"),
    ("simulate", str(SCENARIOS / "smoke.yaml"), "--mode", "exact", "--emit"),
)


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    folder = tmp_path_factory.mktemp("odd")
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    names = {"pipe": "pipe", "folder": "folder", "long": "x" * 300, "line": "a\nb"}
    names["escape"] = "a\x1b[2J\x1b]0;b\x07\u202ec"
    return {"device": "/dev/zero", **{kind: str(folder / name) for kind, name in names.items()}}


def ends_in_one_line(arguments, capfd):
    assert run_main(*arguments) == 2
    out, err = capfd.readouterr()
    assert "Traceback" not in err
    assert err.count("\n") == 1
    assert len(err) < 1_200
    assert not set(out + err) & set("\x1b\x07\u202e")
    return err


@pytest.mark.parametrize("kind", ["device", "pipe", "folder", "long", "escape", "line"])
@pytest.mark.parametrize("verb", READ, ids=" ".join)
def test_what_is_no_file_to_read_is_one_line(verb, kind, odd, capfd):
    ends_in_one_line([*verb, odd[kind]], capfd)


@pytest.mark.parametrize("kind", ["device", "pipe", "long"])
@pytest.mark.parametrize("verb", WRITTEN, ids=" ".join)
def test_what_is_no_file_to_write_is_one_line_and_stays(verb, kind, odd, capfd):
    ends_in_one_line([*verb, odd[kind]], capfd)
    assert not os.path.isfile(odd[kind])  # noqa: PTH113 - a name too long ends Path.is_file


def test_values_of_any_length_are_cut(capfd):
    for flag in ("--freshness", "--monthly-cost", "--queries-per-hour", "--provider", "--columns", "--name"):
        assert len(ends_in_one_line(["plan", "--rows-per-second", "5", flag, "y" * 10_000], capfd)) < 500
