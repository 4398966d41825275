"""Files that options name: pipes, devices, folders and odd names end in one line that a terminal can show, soon."""

import json
import os

import pytest
from support.command_line import run_main
from support.paths import DATA, SCENARIOS
from support.trees import emit_tree

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
    ("diff",),
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
def test_what_cannot_be_written_to_is_one_line_and_stays(verb, kind, odd, capfd):
    ends_in_one_line([*verb, odd[kind]], capfd)
    assert not os.path.isfile(odd[kind])  # noqa: PTH113 - a name too long ends Path.is_file


@pytest.mark.parametrize("verb", ["plan --from-table", "watch"])
def test_a_file_that_is_no_metadata_json_is_no_table(verb, tmp_path, capfd):
    (tmp_path / "notes.txt").write_text("a table?")
    assert "is a file, and no metadata.json" in ends_in_one_line([*verb.split(), str(tmp_path / "notes.txt")], capfd)


@pytest.mark.parametrize(
    "wrong",
    [
        "plann",
        "plan --row-per-second 5",
        "plan --rows-per-second",
        "inspect",
        "inspect t --threads 0",
        "--verson",
        "report a b",
    ],
)
def test_wrong_verbs_options_and_arguments_are_one_line(wrong, capfd):
    assert ends_in_one_line(wrong.split(), capfd).count(". ") <= 2


def test_values_of_any_length_are_cut(capfd):
    flags = "--freshness --monthly-cost --queries-per-hour --provider --catalog --dialect --columns --name"
    for flag in flags.split():
        assert len(ends_in_one_line(["plan", "--rows-per-second", "5", flag, "y" * 10_000], capfd)) < 500
    for flags in (("inspect", "t", "--fail-on"), ("report", "t", "--format"), ("plan", "--emit-scenario")):
        said = ends_in_one_line([*flags, "y" * 10_000], capfd)
        assert "yyy… " in said or "yyy…: " in said
    for path in ("y" * 10_000, "y/" * 5_000):
        assert run_main("plan", "--from-run", path) == 2
        assert len(capfd.readouterr().err) < 2_100


STEERING = "\x1b[2J\x1b]0;x\x07\u202e\u2066\x9b31m"


@pytest.fixture(scope="module")
def steering(tmp_path_factory):
    """A table in whose folder, file names and texts stand characters that steer a terminal."""
    root = emit_tree(tmp_path_factory.mktemp("steering") / f"t{STEERING}", horizon_s=6.0).root
    newest = max((root / "metadata").glob("*.metadata.json"))
    document = json.loads(newest.read_bytes())
    document["table-uuid"] += STEERING
    document["properties"][f"a{STEERING}"] = STEERING
    document["refs"][f"b{STEERING}"] = {"snapshot-id": document["current-snapshot-id"], "type": "tag"}
    document["schemas"][0]["fields"][0]["name"] += STEERING
    for snapshot, key in zip(document["snapshots"], ("operation", "engine-name", "app-id", "x"), strict=False):
        snapshot["summary"][key] = f"append{STEERING}"
    document["snapshots"][0]["manifest-list"] = f"/elsewhere/{STEERING}"
    newest.write_text(json.dumps(document))
    (root / "data").mkdir(exist_ok=True)
    (root / "data" / f"c{STEERING}.parquet").write_bytes(b"PAR1")
    return root, newest


@pytest.mark.parametrize(
    "arguments",
    [
        ("inspect", "TABLE"),
        ("inspect", "TABLE", "--files"),
        ("inspect", "TABLE", "--prometheus"),
        ("inspect", "TABLE", "--forecast", "1d", "--commit-interval", "1s", "--html", "PAGE"),
        ("inspect", "JSON", "--as-file"),
        ("plan", "--from-table", "TABLE"),
    ],
    ids=" ".join,
)
def test_what_steers_a_terminal_is_printed_as_text(arguments, steering, tmp_path, capfd):
    root, newest = steering
    page = tmp_path / "page.html"
    names = {"TABLE": str(root), "JSON": str(newest), "PAGE": str(page)}
    assert run_main(*(names.get(one, one) for one in arguments)) in (0, 1)
    out, err = capfd.readouterr()
    shown = out + err + (page.read_text() if page.exists() else "")
    assert shown
    assert "Traceback" not in err
    assert not set(shown) & set(STEERING.replace("[2J", "").replace("]0;x", "").replace("31m", ""))
