"""The quickstart of Iceberg's documents, statement by statement on real Spark: the file tree and schema after each.

The counts come from what the recorder saw, compared with a listing after every statement.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import sleep

import pytest

pytest.importorskip("pyspark")


from wasim.collect import audit, list_table, read_journal
from wasim.iceberg import TableMetadata, read_metadata_json
from wasim.ledger import Action, Kind, Recording
from wasim.spark import ENGINE_ERRORS, JdbcCatalog, Session

NAME = "quickstart.db.orders"
COLUMNS = [
    ("order_id", "bigint"), ("customer_id", "bigint"), ("order_amount", "decimal(10,2)"), ("order_ts", "timestamp"),
]  # fmt: skip
JSON, LIST, MANIFEST, DELETES = Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA_MANIFEST, Kind.DELETE_MANIFEST
APPEND = {JSON: 1, LIST: 1, MANIFEST: 1, Kind.DATA: 1}


class Tree:
    """A recorded table on which statements are run one by one."""

    def __init__(self, session: Session, warehouse: Path) -> None:
        (warehouse / "journal").mkdir()
        self.session, self.root = session, warehouse / "db" / "orders"
        self.journal = session.journal(warehouse / "journal")
        session.add_catalog(JdbcCatalog(name="quickstart", warehouse=warehouse), self.journal)
        self._steps = 0

    def recording(self) -> Recording:
        return read_journal(self.journal.lines(), table_root=self.root).recording

    def after(self, statement: str) -> dict[Kind, int]:
        """Files that the statement added to the tree, by kind, after a look at all of it."""
        self._steps += 1
        self.journal.step(self._steps, "statement")
        self.session.run(statement.replace("TABLE_NAME", NAME))
        events = self.recording().events
        audit(events, list_table(self.root))
        now = events.where(events.step == self._steps)
        files = Counter(kind for kind, action in zip(now.kind, now.action, strict=True) if action == Action.WRITE)
        files.subtract(kind for kind, action in zip(now.kind, now.action, strict=True) if action == Action.DELETE)
        return {kind: count for kind, count in files.items() if count}

    @property
    def operations(self) -> list[str]:
        """What Iceberg calls the snapshots, oldest first."""
        return list(self.recording().reports.snapshot_operation)

    @property
    def metadata(self) -> TableMetadata:
        newest = max((self.root / "metadata").glob("*.metadata.json"), key=lambda path: path.name)
        return read_metadata_json(newest.read_bytes(), source=newest.name)

    def rows(self, query: str) -> list[tuple[object, ...]]:
        return [tuple(row) for row in self.session.spark.sql(query.replace("TABLE_NAME", NAME)).collect()]


@pytest.fixture
def tree(session: Session, tmp_path: Path) -> Iterator[Tree]:
    made = Tree(session, tmp_path)
    yield made
    made.journal.close()


CREATE = (
    "CREATE TABLE TABLE_NAME (order_id BIGINT, customer_id BIGINT, order_amount DECIMAL(10, 2), order_ts TIMESTAMP)"
    " USING iceberg PARTITIONED BY (hours(order_ts))"
)


def test_create_insert_and_merge_leave_the_documents_trees(tree: Tree) -> None:
    assert tree.after(CREATE) == {JSON: 1}
    assert [path.name[:6] for path in tree.root.rglob("*") if path.is_file() and path.suffix != ".crc"] == ["00000-"]
    assert tree.after("INSERT INTO TABLE_NAME VALUES (123, 456, 36.17, TIMESTAMP '2021-01-26 08:10:23')") == APPEND
    merge = (
        "MERGE INTO TABLE_NAME t1 USING (SELECT * FROM VALUES"
        " (123L, 456L, CAST(100.01 AS DECIMAL(10, 2)), TIMESTAMP '2021-01-27 08:10:23'),"
        " (124L, 567L, CAST(200.02 AS DECIMAL(10, 2)), TIMESTAMP '2021-01-28 08:10:23')"
        " AS source(order_id, customer_id, order_amount, order_ts)) t2 ON t1.order_id = t2.order_id"
        " WHEN MATCHED THEN UPDATE SET t1.order_amount = t2.order_amount WHEN NOT MATCHED THEN INSERT *"
    )
    assert tree.after(merge) == {JSON: 1, LIST: 1, MANIFEST: 2, Kind.DATA: 2}
    assert tree.operations == ["append", "overwrite"]
    folders = Counter(path.parent.name for path in tree.root.rglob("*.parquet"))
    assert folders == {"order_ts_hour=2021-01-26-08": 2, "order_ts_hour=2021-01-28-08": 1}
    assert tree.rows("SELECT order_id, CAST(order_amount AS DOUBLE), hour(order_ts) FROM TABLE_NAME ORDER BY 1") == [
        (123, 100.01, 8), (124, 200.02, 8),
    ]  # fmt: skip
    assert tree.rows("SELECT order_id FROM TABLE_NAME WHERE CAST(order_ts AS DATE) = DATE '2021-01-26'") == [(123,)]


def test_a_rollback_is_one_metadata_json(tree: Tree) -> None:
    tree.after(CREATE)
    for number in (1, 2):
        tree.after(f"INSERT INTO TABLE_NAME VALUES ({number}, 1, 1.00, TIMESTAMP '2021-01-26 08:10:23')")
    first = tree.metadata.snapshots[0].snapshot_id
    rollback = f"CALL quickstart.system.rollback_to_snapshot('db.orders', {first})"
    assert tree.after(rollback) == {JSON: 1}
    assert tree.metadata.current_snapshot_id == first
    assert len(tree.metadata.snapshots) == 2
    assert tree.rows("SELECT order_id FROM TABLE_NAME") == [(1,)]
    assert tree.operations == ["append", "append"]


def test_updates_and_compaction_leave_the_documents_trees(tree: Tree) -> None:
    tree.after(CREATE)
    at = "TIMESTAMP '2021-03-26 08:10:23'"
    assert tree.after(f"INSERT INTO TABLE_NAME SELECT id, id, id, {at} FROM range(1, 10000, 1, 1)") == APPEND
    update = "UPDATE TABLE_NAME SET order_amount = 100 WHERE order_id BETWEEN 1 AND 100"
    # copy-on-write: all 9,999 rows again, in one new file
    assert tree.after(update) == {JSON: 1, LIST: 1, MANIFEST: 2, Kind.DATA: 1}
    assert tree.rows("SELECT count(*), sum(record_count) FROM TABLE_NAME.files") == [(1, 9999)]
    assert tree.after("ALTER TABLE TABLE_NAME SET TBLPROPERTIES ('write.update.mode' = 'merge-on-read')") == {JSON: 1}
    assert tree.metadata.properties["write.update.mode"] == "merge-on-read"
    values = ", ".join(f"({number}, {number}, {number}, {at})" for number in (10001, 10002, 10003))
    assert tree.after(f"INSERT INTO TABLE_NAME VALUES {values}") == APPEND
    assert tree.rows("SELECT record_count FROM TABLE_NAME.files ORDER BY 1") == [(3,), (9999,)]
    rewrite = (
        "CALL quickstart.system.rewrite_data_files(table => 'db.orders', options => map('min-input-files', '1',"
        " 'target-file-size-bytes', '134217728'))"
    )
    # beside the new file's manifest, one for each manifest whose files are gone from it
    assert tree.after(rewrite) == {JSON: 1, LIST: 1, MANIFEST: 3, Kind.DATA: 1}
    assert tree.rows("SELECT count(*), sum(record_count) FROM TABLE_NAME.files") == [(1, 10002)]
    # where the document stops: merge-on-read adds the changed rows and says where the old ones stood
    changed = {JSON: 1, LIST: 1, MANIFEST: 1, DELETES: 1, Kind.DATA: 1, Kind.DELETE_FILE: 1}
    assert tree.after(update.replace("= 100 WHERE", "= 200 WHERE")) == changed
    assert tree.operations == ["append", "overwrite", "append", "replace", "overwrite"]
    assert tree.rows("SELECT content, record_count FROM TABLE_NAME.files ORDER BY 1, 2") == [
        (0, 100), (0, 10002), (1, 100),
    ]  # fmt: skip
    assert tree.rows("SELECT count(*), count_if(order_amount = 200) FROM TABLE_NAME") == [(10002, 101)]
    assert len(tree.metadata.schemas) == 1
    assert [(row[0], row[1]) for row in tree.rows("DESCRIBE TABLE_NAME")][:4] == COLUMNS
    assert tree.metadata.format_version == 2


PRODUCTS = "CREATE TABLE TABLE_NAME (order_number BIGINT, product_code STRING) USING iceberg"


def moment(tree: Tree) -> str:
    """The time now, later than all that was committed and earlier than all that comes."""
    sleep(0.005)
    ((now,),) = tree.rows("SELECT CAST(current_timestamp() AS STRING)")
    sleep(0.005)
    return str(now)


def columns_at(tree: Tree, clause: str) -> list[str]:
    return list(tree.session.spark.sql(f"SELECT * FROM {NAME} {clause}").columns)


def test_a_schema_change_makes_no_snapshot(tree: Tree) -> None:
    tree.after(PRODUCTS)
    tree.after("INSERT INTO TABLE_NAME VALUES (1, 'Mars')")
    before = moment(tree)
    assert tree.after("ALTER TABLE TABLE_NAME ADD COLUMN (price DOUBLE)") == {JSON: 1}
    assert len(tree.metadata.snapshots) == 1
    between = moment(tree)
    tree.after("INSERT INTO TABLE_NAME VALUES (2, 'Venus', 100)")
    after = moment(tree)
    for time in (before, between):
        assert columns_at(tree, f"TIMESTAMP AS OF '{time}'") == ["order_number", "product_code"]
        assert tree.rows(f"SELECT * FROM TABLE_NAME TIMESTAMP AS OF '{time}'") == [(1, "Mars")]
    assert tree.rows(f"SELECT * FROM TABLE_NAME TIMESTAMP AS OF '{after}' ORDER BY 1") == [
        (1, "Mars", None), (2, "Venus", 100.0),
    ]  # fmt: skip


def test_time_travel_to_now_shows_the_snapshots_schema(tree: Tree) -> None:
    tree.after(PRODUCTS)
    tree.after("INSERT INTO TABLE_NAME VALUES (2, 'Venus')")
    tree.after("ALTER TABLE TABLE_NAME ADD COLUMN (price DOUBLE)")
    now, snapshot = moment(tree), tree.metadata.current_snapshot_id
    for clause in (f"TIMESTAMP AS OF '{now}'", f"VERSION AS OF {snapshot}"):
        assert columns_at(tree, clause) == ["order_number", "product_code"]
    assert tree.rows("SELECT * FROM TABLE_NAME") == [(2, "Venus", None)]
    assert tree.metadata.current_schema_id == 1
    assert tree.metadata.snapshots[0].schema_id == 0


def test_time_travel_to_before_the_first_snapshot_is_an_error(tree: Tree) -> None:
    tree.after(PRODUCTS)
    with pytest.raises(ENGINE_ERRORS, match="Cannot find a snapshot older than"):
        tree.rows(f"SELECT * FROM TABLE_NAME TIMESTAMP AS OF '{moment(tree)}'")


def test_a_time_and_a_snapshot_together_are_refused(tree: Tree) -> None:
    tree.after(PRODUCTS)
    tree.after("INSERT INTO TABLE_NAME VALUES (1, 'Mars')")
    now, snapshot = moment(tree), tree.metadata.current_snapshot_id
    with pytest.raises(ENGINE_ERRORS, match="PARSE_SYNTAX_ERROR"):
        tree.rows(f"SELECT * FROM TABLE_NAME TIMESTAMP AS OF '{now}' VERSION AS OF {snapshot}")
    both = tree.session.spark.read.option("versionAsOf", snapshot).option("timestampAsOf", now)
    with pytest.raises(ENGINE_ERRORS, match="Cannot specify both version and timestamp"):
        both.table(NAME)
    # Iceberg's own names for the two were taken out of its Spark reader
    own = tree.session.spark.read.format("iceberg").option("snapshot-id", snapshot).option("as-of-timestamp", 1)
    with pytest.raises(ENGINE_ERRORS, match="`snapshot-id` is no longer supported, use Spark built-in `versionAsOf`"):
        own.load(NAME)
