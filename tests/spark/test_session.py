"""The gate to the JVM: Java, jars, and a recorder that sees everything."""

import gc
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from wasim import collect
from wasim.errors import EnvironmentFault
from wasim.ledger import Kind, sum_events, view_by_commit
from wasim.spark import JdbcCatalog, Journal, Session, fetch_jars, find_java, pins, short_lived_jvm
from wasim.spark.pins import REST_SERVER_JARS


def java_saying(folder: Path, version: str) -> Path:
    folder.mkdir(parents=True)
    java = folder / "java"
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    java.chmod(0o755)
    return java


def test_a_java_too_old_is_named_with_the_next_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = java_saying(tmp_path / "bin", "1.8.0_402")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("wasim.spark.java.INSTALLED", ())
    with pytest.raises(EnvironmentFault, match=r"needs Java 17 or 21: .*1\.8\.0_402.*apt-get install") as fault:
        find_java()
    assert str(java) in str(fault.value)
    assert "\n" not in str(fault.value)


def test_no_java_at_all_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("wasim.spark.java.INSTALLED", ())
    with pytest.raises(EnvironmentFault, match=r"no java in JAVA_HOME.*Install Java 17 or 21"):
        find_java()


def test_a_fit_java_is_found_behind_an_unfit_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java_saying(tmp_path / "old" / "bin", "11.0.2")
    fit = java_saying(tmp_path / "path", "21.0.4")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "old"))
    monkeypatch.setenv("PATH", f"{fit.parent}:/bin:/usr/bin")
    assert find_java().executable == fit


def test_an_unreachable_jar_is_one_line_with_its_remedies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tmp_path / "ivysettings.xml"
    settings.write_text(
        '<ivysettings><settings defaultResolver="none"/><resolvers><ibiblio name="none" m2compatible="true"'
        ' root="http://127.0.0.1:9/"/></resolvers></ivysettings>'
    )
    monkeypatch.setenv("WASIM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("WASIM_IVY_SETTINGS", str(settings))
    with pytest.raises(EnvironmentFault, match=r"iceberg-spark-runtime.*could not be fetched.*WASIM_IVY") as fault:
        fetch_jars()
    assert "\n" not in str(fault.value)
    assert not list((tmp_path / "cache" / "jars").iterdir())


def test_a_jar_other_than_the_pinned_one_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WASIM_CACHE", str(tmp_path))
    (tmp_path / "jars").mkdir()
    for jar in pins.PINNED_JARS:
        (tmp_path / "jars" / jar.file_name).write_bytes(b"not a jar")

    def ivy_brings_others(wanted: Sequence[pins.PinnedJar], folder: Path) -> str:
        for jar in wanted:
            (folder / jar.file_name).write_bytes(b"not the pinned jar")
        return ""

    monkeypatch.setattr(pins, "_run_ivy", ivy_brings_others)
    with pytest.raises(EnvironmentFault, match="not the pinned"):
        fetch_jars()


def test_jars_of_one_module_are_fetched_by_their_own_runs():
    wanted = (*pins.PINNED_JARS, *REST_SERVER_JARS)
    rounds = pins._rounds(wanted)
    assert sorted(one.file_name for run in rounds for one in run) == sorted(one.file_name for one in wanted)
    assert all(len({(one.organisation, one.name) for one in run}) == len(run) for run in rounds)
    assert 1 < len(rounds) < len(wanted)


def test_a_cache_that_cannot_be_written_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WASIM_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(EnvironmentFault, match="Set WASIM_CACHE"):
        fetch_jars()


@pytest.fixture
def journal(session: Session, tmp_path: Path) -> Journal:
    (tmp_path / "journal").mkdir()
    return session.journal(tmp_path / "journal")


@pytest.mark.parametrize("catalog_type", ["jdbc", pytest.param("hadoop", marks=pytest.mark.slow)])
def test_every_file_of_every_kind_is_seen(
    catalog_type: str, session: Session, journal: Journal, tmp_path: Path
) -> None:
    session.add_catalog(JdbcCatalog(warehouse=tmp_path), journal)
    session.spark.conf.set("spark.sql.catalog.wasim.type", catalog_type)
    run = session.spark.sql
    journal.step(0, "create-table")
    run(
        "CREATE TABLE wasim.db.t (id bigint, part int) USING iceberg PARTITIONED BY (part) TBLPROPERTIES"
        " ('write.delete.mode' = 'merge-on-read', 'commit.manifest.min-count-to-merge' = '3')"
    )
    for first in (0, 10, 20):
        rows = session.spark.range(first, first + 10).selectExpr("id", "CAST(id % 2 AS INT) AS part")
        rows.writeTo("wasim.db.t").append()
    run("DELETE FROM wasim.db.t WHERE id = 21")
    run("CALL wasim.system.expire_snapshots(table => 'db.t', older_than => TIMESTAMP '2100-01-01', retain_last => 1)")
    journal.close()
    root = tmp_path / "db" / "t"
    recording = collect.read_journal(journal.lines(), table_root=root).recording
    listing = collect.list_table(root)
    collect.audit(recording.events, listing)
    totals = sum_events(recording.events)
    assert totals.files_written[Kind.DELETE_MANIFEST] == 1
    assert totals.files_written[Kind.DELETE_FILE] == 1
    assert totals.files_deleted[Kind.MANIFEST_LIST] == 3
    assert totals.files_deleted[Kind.DATA_MANIFEST] == 3
    assert (totals.files_written[Kind.VERSION_HINT] > 0) == (catalog_type == "hadoop")
    assert sum(totals.on_disk_bytes.values()) == sum(listing.values())
    assert list(view_by_commit(recording).snapshot_operation) == ["append", "append", "append", "delete"]
    session.spark.conf.set("spark.sql.catalog.wasim.type", "jdbc")


def test_a_short_lived_jvm_ends_with_its_block() -> None:
    with short_lived_jvm(()) as gateway:
        pid = int(gateway.jvm.java.lang.ProcessHandle.current().pid())
        kept = gateway.jvm.java.util.ArrayList()
        assert Path(f"/proc/{pid}").exists()
    assert not Path(f"/proc/{pid}").exists()
    started_s = time.monotonic()
    del kept
    gc.collect()
    assert time.monotonic() - started_s < 30  # py4j would wait for ever
