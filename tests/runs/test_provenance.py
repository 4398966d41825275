"""What a run says of the machine that made it."""

from wasim.runs import note_provenance


def test_a_machine_without_git_and_stat_has_a_provenance(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    notes = note_provenance(tmp_path, engine={"name": "sim"}, jars={})
    assert (notes["git_commit"], notes["file_system"]) == ("not in a git checkout", "unknown")
