"""Tables that Spark wrote: what the doctor says is what Iceberg's own metadata tables and orphan removal say."""

import os
import shutil
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("pyspark")


from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.table_files import State
from wasim.ledger import METADATA_KINDS, Kind
from wasim.spark import JdbcCatalog

MERGE_ON_READ = "'write.delete.mode'='merge-on-read', 'write.update.mode'='merge-on-read'"
SHORT_LOG = "'write.metadata.previous-versions-max'='3'"
TABLES = {
    "mor": (f"'format-version'='2', {MERGE_ON_READ}", "PARTITIONED BY (kind)"),
    "vectors": (f"'format-version'='3', {MERGE_ON_READ}", "PARTITIONED BY (kind)"),
    "first": (f"'format-version'='1', {SHORT_LOG}", "PARTITIONED BY (kind)"),
}
BRANCHED = "doctor.db.vectors"


@dataclass(frozen=True, kw_only=True)
class Lake:
    """A catalog of Spark's, and where it keeps its tables."""

    session: object
    root: Path

    def sql(self, query):
        return [tuple(row) for row in self.session.spark.sql(query).collect()]

    def folder(self, name):
        return self.root / "db" / name

    def files(self, name):
        """All but the checksums that Hadoop leaves beside each."""
        return {path for path in self.folder(name).rglob("*") if path.is_file() and path.suffix != ".crc"}

    def inspect(self, name, **options):
        return inspect_location(str(self.folder(name)), InspectOptions(**options))


@pytest.fixture(scope="module")
def lake(session, tmp_path_factory):
    root = tmp_path_factory.mktemp("lake")
    session.add_catalog(JdbcCatalog(name="doctor", warehouse=root), None)
    made = Lake(session=session, root=root)
    made.sql("CREATE NAMESPACE doctor.db")
    for name, (properties, partitions) in TABLES.items():
        table = f"doctor.db.{name}"
        made.sql(
            f"CREATE TABLE {table} (id bigint, kind string) USING iceberg {partitions} TBLPROPERTIES ({properties})"
        )
        made.sql(f"INSERT INTO {table} SELECT id, IF(id % 2 = 0, 'even', 'odd') FROM range(100)")
        made.sql(f"DELETE FROM {table} WHERE id % 10 = 3")
        made.sql(f"UPDATE {table} SET id = id + 1000 WHERE id < 5")
    made.sql(f"ALTER TABLE {BRANCHED} CREATE TAG kept")
    made.sql(f"ALTER TABLE {BRANCHED} CREATE BRANCH side")
    made.sql(f"INSERT INTO {BRANCHED}.branch_side VALUES (7, 'side')")
    return made


@pytest.mark.parametrize("name", TABLES)
def test_live_data_is_that_of_the_table_files(name, lake):
    inspection = lake.inspect(name)
    files = set(lake.sql(f"SELECT content, file_path, file_size_in_bytes FROM doctor.db.{name}.files"))
    for kind, contents in ((Kind.DATA, {0}), (Kind.DELETE_FILE, {1, 2})):
        live = [size for content, _, size in files if content in contents]
        assert sum(inspection.tree.content.live_sizes(kind)) == sum(live)
        assert inspection.totals.of(kind, State.LIVE).files == len(live)
        assert inspection.totals.of(kind, State.LIVE).bytes == sum(live)
    every = lake.sql(f"SELECT DISTINCT path, length FROM doctor.db.{name}.all_manifests")
    kinds = (Kind.DATA_MANIFEST, Kind.DELETE_MANIFEST)
    assert inspection.totals.of_kinds(kinds, State.LIVE, State.RETAINED).bytes == sum(length for _, length in every)
    live = lake.sql(f"SELECT path, length FROM doctor.db.{name}.manifests")
    assert inspection.totals.of_kinds(kinds, State.LIVE).bytes == sum(length for _, length in live)
    snapshots = lake.sql(f"SELECT count(*) FROM doctor.db.{name}.snapshots")
    assert snapshots == [(len(inspection.tree.index.snapshots),)]


@pytest.mark.parametrize("name", ["first", "vectors"])
def test_orphans_are_those_that_orphan_removal_would_remove(name, lake):
    root = lake.folder(name)
    data = next(path for path in (root / "data").rglob("*.parquet"))
    shutil.copy(data, data.with_name("left-behind.parquet"))
    manifest_list = next((root / "metadata").glob("snap-*"))
    shutil.copy(manifest_list, manifest_list.with_name("snap-7-1-11111111-2222-3333-4444-555555555555.avro"))
    for path in root.rglob("*"):
        os.utime(path, (0, 0))
    shutil.copy(data, data.with_name("under-way.parquet"))
    rows = lake.sql(f"CALL doctor.system.remove_orphan_files(table => 'db.{name}', dry_run => true)")
    expected = {path.removeprefix("file:").removeprefix(str(root)).lstrip("/") for (path,) in rows}
    inspection = lake.inspect(name)
    assert {file.key for file in inspection.tree.files if file.state is State.ORPHAN} == expected
    assert len(expected) >= 2
    assert inspection.totals.of(Kind.DATA, State.YOUNG).files == 1


@pytest.mark.parametrize("name", ["mor", "forked"])
def test_expiry_deletes_what_it_was_said_to_free(name, lake):
    if name == "forked":
        fork(lake)
    frees = {one.name: one.frees for one in lake.inspect(name).remedies}["expire_snapshots to the current one"]
    ((data, positions, equalities, manifests, lists, _),) = lake.sql(
        f"CALL doctor.system.expire_snapshots(table => 'db.{name}', older_than => TIMESTAMP '2100-01-01',"
        " retain_last => 1)"
    )
    found = {kind: amount.files for kind, amount in frees.items()}
    assert found.get(Kind.DATA, 0) == data
    assert found.get(Kind.DELETE_FILE, 0) == positions + equalities
    assert found.get(Kind.DATA_MANIFEST, 0) + found.get(Kind.DELETE_MANIFEST, 0) == manifests
    assert found.get(Kind.MANIFEST_LIST, 0) == lists > 0


def fork(lake):
    """A table whose files some go with main's snapshots while others stay for a branch, an old branch and a tag."""
    table = "doctor.db.forked"
    lake.sql(f"CREATE TABLE {table} (id bigint) USING iceberg")
    lake.sql(f"INSERT INTO {table} VALUES (1)")
    lake.sql(f"ALTER TABLE {table} CREATE BRANCH side WITH SNAPSHOT RETENTION 2 SNAPSHOTS")
    lake.sql(f"ALTER TABLE {table} CREATE BRANCH old RETAIN 1 DAYS")
    for branch in ("side", "old", "side"):
        lake.sql(f"INSERT INTO {table}.branch_{branch} VALUES (2)")
        lake.sql(f"INSERT OVERWRITE {table} VALUES (3)")
    lake.sql(f"ALTER TABLE {table} CREATE TAG kept")
    lake.sql(f"INSERT OVERWRITE {table} VALUES (4)")
    lake.sql(f"INSERT OVERWRITE {table} VALUES (5)")


def test_a_table_that_is_written_meanwhile_is_never_called_broken(lake):
    lake.sql("CREATE TABLE doctor.db.busy (id bigint) USING iceberg")
    lake.sql("INSERT INTO doctor.db.busy VALUES (0)")

    def write():
        for number in range(5):
            lake.sql(f"INSERT INTO doctor.db.busy VALUES ({number})")
        lake.sql("CALL doctor.system.expire_snapshots(table => 'db.busy', older_than => now(), retain_last => 1)")

    writer = threading.Thread(target=write)
    writer.start()
    seen = []
    while writer.is_alive() or not seen:
        inspection = lake.inspect("busy")
        seen.append(len(inspection.tree.index.snapshots))
        named = {finding.name for finding in inspection.findings}
        assert named <= {"vanished", "absent_logged", "under_way"}, inspection.findings
        assert inspection.totals.of_kinds(METADATA_KINDS, State.ORPHAN).files == 0
    writer.join()
    assert len(set(seen)) > 1
    assert len(lake.inspect("busy").tree.index.snapshots) == 1


def replace_table(lake, name):
    """A table that was replaced, so that other schemas and specs are left, and whose log lacks a branch's snapshots."""
    table = f"doctor.db.{name}"
    lake.sql(f"CREATE TABLE {table} (id bigint, kind string) USING iceberg PARTITIONED BY (kind)")
    for number in range(5):
        lake.sql(f"INSERT INTO {table} SELECT id, IF(id % 2 = 0, 'even', 'odd') FROM range({10**number})")
    lake.sql(f"REPLACE TABLE {table} USING iceberg AS SELECT id AS other FROM {table} LIMIT 3")
    lake.sql(f"ALTER TABLE {table} CREATE BRANCH side")
    for number in range(3):
        lake.sql(f"INSERT INTO {table} VALUES ({number})")
        lake.sql(f"INSERT INTO {table}.branch_side VALUES ({number})")


def test_an_expiry_frees_as_said_of_a_replaced_table(lake):
    replace_table(lake, "replaced")
    before = lake.inspect("replaced", table="doctor.db.replaced")
    metadata = before.tree.opened.metadata
    assert len(metadata.snapshot_log) < len(metadata.snapshots)
    expiry, cleaning = (one for one in before.remedies if "expire" in one.name and not one.is_alternative)
    lake.sql(expiry.sql)
    left = lake.inspect("replaced").parts.bytes
    gone = {part: size - left[part] for part, size in before.parts.bytes.items()}
    assert gone["snapshots"] + gone["snapshot-log"] == pytest.approx(expiry.json_bytes_saved, rel=0.01)
    assert gone["schemas"] + gone["partition-specs"] == pytest.approx(cleaning.json_bytes_saved, rel=0.05)
    assert gone["snapshots"] > 0 < gone["partition-specs"]


STATEMENTS = {
    "rewrite_manifests": "",
    "expire_snapshots": ", older_than => now(), retain_last => 1",
    "remove_orphan_files": "",
}


@pytest.mark.parametrize("procedure", STATEMENTS)
def test_statements_that_an_absent_list_fails_are_not_given(procedure, lake):
    name = f"lost_{procedure}"
    table = f"doctor.db.{name}"
    log = "TBLPROPERTIES ('write.metadata.previous-versions-max'='1')"  # other versions are left over
    lake.sql(f"CREATE TABLE {table} (id bigint) USING iceberg {log}")
    for number in range(4):
        lake.sql(f"INSERT INTO {table} VALUES ({number})")
    lists = [path for (path,) in lake.sql(f"SELECT manifest_list FROM {table}.snapshots ORDER BY committed_at")]
    Path(lists[1].removeprefix("file:")).unlink()
    before = lake.files(name)
    for path in before:
        os.utime(path, (0, 0))
    (remedy,) = (one for one in lake.inspect(name).remedies if one.name.partition(" ")[0] == procedure)
    call = f"CALL doctor.system.{procedure}(table => 'db.{name}'{STATEMENTS[procedure]})"
    if remedy.sql:
        lake.sql(call)
        return
    assert Path(lists[1]).name in remedy.note
    with pytest.raises(Exception, match=f"does not exist.*{Path(lists[1]).name}"):
        lake.sql(call)
    assert before <= lake.files(name)
    is_half_done = lake.sql(f"SELECT count(*) FROM {table}.snapshots") == [(1,)]
    assert is_half_done == ("half-way" in remedy.note)


def test_a_lost_list_makes_no_more_deletable_than_spark_deletes(lake):
    table = "doctor.db.restored"
    lake.sql(f"CREATE TABLE {table} (id bigint) USING iceberg TBLPROPERTIES ({SHORT_LOG})")
    for number in range(6):
        lake.sql(f"INSERT INTO {table} VALUES ({number})")
    root = lake.folder("restored")
    shutil.copy(next((root / "data").rglob("*.parquet")), root / "data" / "left-behind.parquet")
    for path in lake.files("restored"):
        os.utime(path, (0, 0))
    newest = lake.sql(f"SELECT manifest_list FROM {table}.snapshots ORDER BY committed_at")[2][0].removeprefix("file:")
    aside = lake.root / Path(newest).name
    shutil.move(newest, aside)
    without = deletable(lake, "restored")
    shutil.move(aside, newest)
    whole = deletable(lake, "restored")
    before = lake.files("restored")
    lake.sql("CALL doctor.system.remove_orphan_files(table => 'db.restored')")
    assert before - lake.files("restored") == whole
    assert without < whole
    assert whole - without == {root / "data" / "left-behind.parquet"}


def deletable(lake, name):
    return {lake.folder(name) / one.key for one in lake.inspect(name).tree.files if one.state is State.ORPHAN}
