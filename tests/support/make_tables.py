"""Generates the real tables of which `tests/data/tables` holds a selection: Spark 4.1, Iceberg 1.12, two catalogs.

    python tests/support/make_tables.py    # writes /warehouse, then copies the selection into tests/data/tables

The warehouse stands at the root so that the paths inside the files tell nothing about the machine. Not a test itself:
Java ids and clocks differ at every run, so what is kept is kept.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

from support.paths import DATA
from wasim.iceberg import Kind, kind_by_name, read_manifest_list, read_metadata_json

WAREHOUSE = Path("/warehouse")
SELECTION = DATA / "tables"
PACKAGES = "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0,org.xerial:sqlite-jdbc:3.50.3.0"
# Other tables keep their newest snapshot only: 400 KB of real metadata is enough for a repository.
NEWEST_SNAPSHOTS = {"quickstart_gzip": 2}


def open_spark():
    """A Spark session with the catalogs `jdbc` and `hadoop`, both under the warehouse."""
    os.environ["SPARK_USER"] = "wasim"  # becomes the property `owner` of every table
    scratch = tempfile.mkdtemp()
    iceberg = "org.apache.iceberg.spark"
    settings = {
        "spark.jars.packages": PACKAGES,
        # SET IDENTIFIER FIELDS, WRITE ORDERED BY, tags and branches are grammar of the extensions.
        "spark.sql.extensions": f"{iceberg}.extensions.IcebergSparkSessionExtensions",
        "spark.ui.enabled": "false",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": f"{scratch}/spark",
        "spark.sql.catalog.jdbc": f"{iceberg}.SparkCatalog",
        "spark.sql.catalog.jdbc.type": "jdbc",
        "spark.sql.catalog.jdbc.uri": f"jdbc:sqlite:file:{scratch}/catalog.db",
        "spark.sql.catalog.jdbc.jdbc.schema-version": "V1",
        "spark.sql.catalog.jdbc.warehouse": f"file:{WAREHOUSE}/jdbc",
        "spark.sql.catalog.hadoop": f"{iceberg}.SparkCatalog",
        "spark.sql.catalog.hadoop.type": "hadoop",
        "spark.sql.catalog.hadoop.warehouse": f"file:{WAREHOUSE}/hadoop",
    }
    builder = SparkSession.builder.master("local[1]").appName("wasim")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


class Tables:
    """Makes tables: SQL statements and core-API calls over one session."""

    def __init__(self, spark):
        self.spark = spark
        self.jvm = spark._jvm
        self.iceberg = spark._jvm.org.apache.iceberg

    def sql(self, *statements):
        for statement in statements:
            print("   ", " ".join(statement.split())[:110], flush=True)
            self.spark.sql(statement)

    def load(self, name):
        return self.iceberg.spark.Spark3Util.loadIcebergTable(self.spark._jsparkSession, name)

    def synthetic_file(self, table, number, partition=None, suffix="parquet"):
        """A data-file entry without a file behind it."""
        builder = self.iceberg.DataFiles.builder(table.spec()).withPath(
            f"{table.location()}/data/{number:08d}.{suffix}"
        )
        builder = builder.withFormat(suffix).withFileSizeInBytes(1000 + number).withRecordCount(10 + number % 7)
        if partition is not None:
            builder = builder.withPartitionPath(partition)
        return builder.build()

    def append(self, table, files):
        commit = table.newFastAppend()
        for file in files:
            commit.appendFile(file)
        commit.commit()

    def types(self, name):
        return getattr(self.iceberg.types.Types, name)

    def java_schema(self, fields):
        """A schema of optional (name, Java type) columns."""
        field = self.iceberg.types.Types.NestedField
        columns = self.jvm.java.util.ArrayList()
        for number, (name, java_type) in enumerate(fields, start=1):
            columns.add(field.optional(number, name, java_type))
        return self.iceberg.Schema(columns)

    def catalog(self, name):
        return self.iceberg.spark.Spark3Util.loadIcebergCatalog(self.spark._jsparkSession, name)

    def create(self, catalog, name, schema, spec, properties):
        identifier = self.iceberg.catalog.TableIdentifier.parse(name)
        java_properties = self.jvm.java.util.HashMap()
        for key, value in properties.items():
            java_properties.put(key, value)
        return self.catalog(catalog).createTable(identifier, schema, spec, java_properties)


def make_empty_tables(tables):
    for version in (1, 2, 3):
        tables.sql(
            f"create table jdbc.t.empty_v{version} (id bigint) using iceberg "
            f"tblproperties ('format-version'='{version}')"
        )


def make_quickstart(tables):
    """The quickstart's table: hours of a timestamp, decimal, gzip metadata, a MERGE."""
    name = "jdbc.t.quickstart_gzip"
    tables.sql(
        f"""create table {name} (order_id bigint not null comment 'unique', customer_id bigint,
        order_amount decimal(10,2),
        order_ts timestamp) using iceberg partitioned by (hours(order_ts))
        tblproperties ('write.metadata.compression-codec'='gzip', 'comment'='Größe "in" 円 / 時間')""",
        f"insert into {name} values (1, 1, 3.50, timestamp'2026-01-01 10:00:00')",
        f"""merge into {name} t using (select 1L order_id union select 2L) s on t.order_id = s.order_id
        when matched then update set order_amount = 9.99 when not matched then insert
        (order_id, customer_id, order_amount, order_ts) values (s.order_id, 7, 1.00, timestamp'2025-12-31 23:00:00')""",
        f"alter table {name} set identifier fields order_id",
        f"alter table {name} write ordered by order_ts desc, bucket(8, order_id)",
        f"insert into {name} values (3, null, null, null)",
    )


def make_evolving_v2(tables):
    """Hadoop catalog, v2: mixed partitions, merges, position deletes, evolution, refs, expiry, statistics."""
    name = "hadoop.t.evolving_v2"
    tables.sql(
        f"""create table {name} (id int, name string, price double, ts timestamp_ntz, d date, tag binary) using iceberg
        partitioned by (days(ts), bucket(4, id), truncate(3, name))
        tblproperties ('write.delete.mode'='merge-on-read', 'write.update.mode'='merge-on-read',
        'commit.manifest.min-count-to-merge'='3', 'write.summary.partition-limit'='10')"""
    )
    for day in range(1, 5):
        tables.sql(
            f"""insert into {name} values ({day}, 'name {day}', {day}.5, timestamp_ntz'2026-01-0{day} 00:00:00', null,
            x'00ff'),
            ({day + 10}, 'ñandú', double('NaN'), timestamp_ntz'2026-01-0{day} 12:00:00', date'1969-12-31', null)"""
        )
    tables.sql(
        f"delete from {name} where id = 12",
        f"alter table {name} create tag `é-1` retain 30 days",
        f"alter table {name} create branch audit with snapshot retention 2 snapshots 3 days",
        f"insert into {name}.branch_audit values (99, 'x', 1.0, timestamp_ntz'2026-02-01 00:00:00', null, null)",
        f"alter table {name} add column note string comment 'tab\there'",
        f"alter table {name} alter column id type bigint",
        f"alter table {name} rename column price to cost",
        f"alter table {name} drop column tag",
        f"alter table {name} add partition field months(d)",
        f"alter table {name} drop partition field name_trunc",
        f"insert into {name} values (5, 'later', 2.5, timestamp_ntz'2026-01-05 00:00:00', date'2026-05-05', 'n')",
        f"update {name} set cost = 0 where id = 5",
        "call hadoop.system.compute_table_stats(table => 't.evolving_v2', columns => array('id', 'name'))",
        "call hadoop.system.compute_partition_stats(table => 't.evolving_v2')",
        "call hadoop.system.rewrite_manifests(table => 't.evolving_v2')",
        "call hadoop.system.expire_snapshots(table => 't.evolving_v2', older_than => now(), retain_last => 3)",
        "call hadoop.system.rewrite_data_files(table => 't.evolving_v2', options => map('rewrite-all','true'))",
    )


def make_v1(tables):
    """v1: a month partition, its removal (a void field), compaction of manifests."""
    name = "jdbc.t.old_v1"
    tables.sql(
        f"""create table {name} (id bigint, d date, flag boolean) using iceberg partitioned by (months(d), flag)
        tblproperties ('format-version'='1', 'commit.manifest.min-count-to-merge'='2')""",
        f"insert into {name} values (1, date'2026-01-01', true), (2, date'2020-01-01', null)",
        f"insert into {name} values (3, null, false)",
        f"alter table {name} drop partition field months(d)",
        f"insert into {name} values (4, date'1960-01-01', true)",
        f"delete from {name} where flag = false",
    )


def make_identities(tables):
    """Identity partitions of every type that Spark SQL can name, and names that Avro cannot."""
    name = "jdbc.t.identities"
    tables.sql(
        f"""create table {name} (i int, l bigint, s string, dt date, dec decimal(9,2), big decimal(38,10), ts timestamp,
        tn timestamp_ntz, b boolean, f float, do double, `a b` string, `1é-x` int, y date, payload string) using iceberg
        partitioned by (i, l, s, dt, dec, big, ts, tn, b, f, do, `a b`, `1é-x`, years(y))""",
        f"""insert into {name} values (1, 2, 'três', date'2026-03-04', 12.34, -1234567890.0123456789,
        timestamp'2026-01-01 00:00:01.5', timestamp_ntz'1960-01-01 00:00:00', true, 1.5, double('NaN'), 'b c', 3,
        date'1950-06-01', 'p'), ({", ".join(["null"] * 15)})""",
        f"""insert into {name} values (-1, {2**63 - 1}, '', date'0001-01-01', -0.01, 0, timestamp'9999-12-31 23:59:59',
        timestamp_ntz'2026-01-01 00:00:00', false, float('-Infinity'), -0.0, ' ', -3, date'2026-01-01', 'q')""",
    )


def make_api_types(tables):
    """Types that only the Java API can give a column: uuid, fixed, binary, time, nanosecond timestamps; v3 defaults."""
    types, iceberg = tables.types, tables.iceberg
    schema = tables.java_schema(
        [
            ("u", types("UUIDType").get()),
            ("u2", types("UUIDType").get()),
            ("fx", types("FixedType").ofLength(5)),
            ("bin", types("BinaryType").get()),
            ("t", types("TimeType").get()),
            ("tns", types("TimestampNanoType").withoutZone()),
            ("tnz", types("TimestampNanoType").withZone()),
            ("dec", types("DecimalType").of(20, 3)),
            ("dec2", types("DecimalType").of(20, 3)),
        ]
    )
    spec = iceberg.PartitionSpec.builderFor(schema)
    for column in ("u", "u2", "fx", "bin", "t", "tns", "tnz", "dec", "dec2"):
        spec = spec.identity(column)
    table = tables.create("jdbc", "t.api_types_v3", schema, spec.build(), {"format-version": "3"})
    path = (
        "u=f79c3e09-677c-4bbd-a479-3f349cb785e7/u2=00000000-0000-0000-0000-000000000001/fx=0102030405/bin=00ff/t=10/"
        "tns=2026-01-01T00:00:00.123456789/tnz=2026-01-01T00:00:00.123456789+00:00/dec=12.345/dec2=-0.001"
    )
    add_api_partition(tables, table, path)
    update = table.updateSchema()
    literal = iceberg.expressions.Literal
    update.addColumn("with_default", types("StringType").get(), "a doc", literal.of('q"\\\u001f\u007f é'))
    update.addColumn("price", types("DoubleType").get(), None, literal.of(1.0e10))
    update.addColumn("day", types("DateType").get(), None, literal.of("2026-01-01").to(types("DateType").get()))
    update.addColumn("v", types("VariantType").get())
    update.addColumn("unk", types("UnknownType").get())
    update.addColumn("geo", types("GeometryType").crs84())
    update.addColumn("geog", types("GeographyType").crs84())
    update.commit()
    add_api_partition(tables, table, path.replace("dec=12.345", "dec=null"))


def add_api_partition(tables, table, path):
    """One synthetic file whose partition tuple is built by value: paths cannot spell every type."""
    iceberg, jvm = tables.iceberg, tables.jvm
    partition = iceberg.PartitionData(table.spec().partitionType())
    fields = table.spec().partitionType().fields()
    for position, part in enumerate(path.split("/")):
        text = part.split("=", 1)[1]
        java_type = fields.get(position).type()
        if text == "null":
            continue
        if java_type.toString() == "time":
            partition.set(position, jvm.java.lang.Long(45_296_000_000))
        elif java_type.toString() in ("timestamp_ns", "timestamptz_ns"):
            partition.set(position, jvm.java.lang.Long(1_767_225_600_123_456_789 + position))
        elif java_type.toString() in ("binary", "fixed[5]"):
            partition.set(position, jvm.java.nio.ByteBuffer.wrap(bytes.fromhex(text)))
        else:
            partition.set(position, iceberg.types.Conversions.fromPartitionString(java_type, text))
    builder = iceberg.DataFiles.builder(table.spec()).withPath(f"{table.location()}/data/{path}/f.parquet")
    tables.append(
        table,
        [builder.withFormat("parquet").withFileSizeInBytes(7).withRecordCount(1).withPartition(partition).build()],
    )


def make_nested_v3(tables):
    """v3: nested columns, deletion vectors, row lineage through MERGE and UPDATE."""
    name = "hadoop.t.nested_v3"
    tables.sql(
        f"""create table {name} (id bigint not null, day date,
        who struct<name: string not null, at: struct<x: float, y: float>>, tags array<string>,
        counts map<string, bigint>, keyed map<int, struct<a: int, b: array<int>>>, v variant) using iceberg
        partitioned by (day, who.name) tblproperties ('format-version'='3', 'write.delete.mode'='merge-on-read',
        'write.update.mode'='merge-on-read', 'write.merge.mode'='merge-on-read')"""
    )
    row = "named_struct('name', 'n', 'at', named_struct('x', float(1), 'y', float('NaN')))"
    rest = "array('a', null), map('k', 1L), map(1, named_struct('a', 1, 'b', array(1, 2))), parse_json('{\"a\":1}')"
    tables.sql(
        f"insert into {name} select id, date'2026-01-01', {row}, {rest} from range(20)",
        f"insert into {name} select id + 100, date'2026-01-02', {row}, {rest} from range(5)",
        f"delete from {name} where id = 3",
        f"delete from {name} where id = 4",
        f"update {name} set day = date'2026-01-03' where id = 101",
    )


def make_equality_deletes(tables):
    """What Flink writes: row deltas with equality deletes, through the core API; equal ids in two manifests."""
    tables.sql("create table hadoop.t.equality_v2 (id bigint, k string) using iceberg partitioned by (bucket(2, id))")
    table = tables.load("hadoop.t.equality_v2")
    for number in range(2):
        ids = tables.spark.sparkContext._gateway.new_array(tables.jvm.int, 2)
        ids[0], ids[1] = 1, 2
        deletes = tables.iceberg.FileMetadata.deleteFileBuilder(table.spec()).ofEqualityDeletes(ids)
        deletes = deletes.withPath(f"{table.location()}/data/eq-{number}.parquet").withFormat("parquet")
        deletes = deletes.withPartitionPath(f"id_bucket={number}").withFileSizeInBytes(500).withRecordCount(3).build()
        delta = (
            table.newRowDelta().addRows(tables.synthetic_file(table, number, f"id_bucket={number}")).addDeletes(deletes)
        )
        delta.set("flink.job-id", "0" * 32).commit()


def make_dropped_source(tables):
    """A partition whose source column is gone: what rewrites its manifest types it as unknown."""
    name = "jdbc.t.dropped_source"
    tables.sql(
        f"create table {name} (id bigint, k string) using iceberg partitioned by (k)",
        f"insert into {name} values (1, 'a'), (2, 'a'), (3, 'b')",
        f"alter table {name} drop partition field k",
        f"insert into {name} values (4, 'c')",
        f"alter table {name} drop column k",
        f"insert into {name} values (5)",
        f"delete from {name} where id = 1",
    )


def make_upgraded(tables):
    """One table through all format versions: a v3 list over manifests of v1, v2 and v3."""
    name = "jdbc.t.upgraded"
    tables.sql(
        f"create table {name} (id bigint, k int) using iceberg partitioned by (bucket(3, k)) "
        "tblproperties ('format-version'='1', 'write.delete.mode'='merge-on-read')",
        f"insert into {name} values (1, 1), (2, 1)",
        f"alter table {name} set tblproperties ('format-version'='2')",
        f"insert into {name} values (3, 2), (4, 2)",
        f"delete from {name} where id = 3",
        f"alter table {name} set tblproperties ('format-version'='3')",
        f"insert into {name} values (5, 3)",
        f"delete from {name} where id = 4",
    )


def make_wide(tables):
    """Enough columns that metric maps come in the order of hash tables, Java's and after rewrite_manifests Scala's."""
    columns = ", ".join(f"c{number} {'double' if number % 3 else 'string'}" for number in range(90))
    tables.sql(
        f"create table hadoop.t.wide_v2 ({columns}) using iceberg",
        f"insert into hadoop.t.wide_v2 select {', '.join(['1'] * 90)}",
        f"insert into hadoop.t.wide_v2 select {', '.join(['2'] * 90)}",
        "call hadoop.system.rewrite_manifests(table => 't.wide_v2')",
    )


def make_codecs(tables):
    """Every manifest codec and level that a table property can name."""
    for codec, level in (("gzip", "1"), ("uncompressed", None), ("snappy", None), ("zstd", None)):
        name = f"jdbc.t.manifest_{codec}"
        extra = f", 'write.manifest.compression-level'='{level}'" if level else ""
        tables.sql(
            f"create table {name} (id int) using iceberg "
            f"tblproperties ('write.manifest.compression-codec'='{codec}'{extra})"
        )
        table = tables.load(name)
        tables.append(table, [tables.synthetic_file(table, number) for number in range(3)])


def make_blocks(tables):
    """More than one Avro block: 900 entries in a manifest, 500 manifests in a list."""
    tables.sql("create table hadoop.t.blocks (id bigint, day date) using iceberg partitioned by (day)")
    table = tables.load("hadoop.t.blocks")
    tables.append(table, [tables.synthetic_file(table, n, f"day=2026-01-{n % 28 + 1:02d}") for n in range(900)])
    for number in range(500):
        tables.append(table, [tables.synthetic_file(table, number, "day=2026-02-01")])


RECIPES = (
    make_empty_tables,
    make_dropped_source,
    make_upgraded,
    make_wide,
    make_quickstart,
    make_evolving_v2,
    make_v1,
    make_identities,
    make_api_types,
    make_nested_v3,
    make_equality_deletes,
    make_codecs,
    make_blocks,
)


def select_tables():
    """Copies into `tests/data/tables` what the newest metadata.json of each table reaches, and little more."""
    shutil.rmtree(SELECTION, ignore_errors=True)
    for table in sorted(path.parent for path in WAREHOUSE.glob("*/t/*/metadata")):
        chosen = biggest_of_each_kind(table) if table.name == "blocks" else reachable(table)
        for path in chosen:
            target = SELECTION / table.name / "metadata" / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def biggest_of_each_kind(table):
    """The manifest and the manifest list with most blocks."""
    files = list(table.glob("metadata/*.avro"))
    return [
        max((path for path in files if path.name.startswith("snap-") is is_list), key=size) for is_list in (True, False)
    ]


def size(path):
    return path.stat().st_size


def reachable(table):
    """The newest metadata.json, the lists of its newest snapshots and their manifests, statistics, the version hint."""
    folder = table / "metadata"
    newest = max(folder.glob("*.metadata.json"), key=lambda path: (path.stat().st_mtime_ns, path.name))
    chosen = {newest, *folder.glob("*.stats"), *folder.glob("version-hint.text")}
    metadata = read_metadata_json(newest.read_bytes(), source=newest.name)
    for snapshot in metadata.snapshots[-NEWEST_SNAPSHOTS.get(table.name, 1) :]:
        listing = folder / Path(snapshot.manifest_list).name
        chosen.add(listing)
        for manifest in read_manifest_list(listing.read_bytes(), source=listing.name).manifests:
            chosen.add(folder / Path(manifest.manifest_path).name)
    # Of the tables that only vary the manifest's codec, the manifest is enough.
    is_codec = table.name.startswith("manifest_")
    return sorted(path for path in chosen if not is_codec or kind_by_name(path.name) is Kind.DATA_MANIFEST)


def main(wanted):
    shutil.rmtree(WAREHOUSE, ignore_errors=True)
    WAREHOUSE.mkdir()
    spark = open_spark()
    spark.sparkContext.setLogLevel("ERROR")
    spark.sql("create namespace if not exists jdbc.t")
    spark.sql("create namespace if not exists hadoop.t")
    tables = Tables(spark)
    for recipe in RECIPES:
        if not wanted or recipe.__name__.removeprefix("make_") in wanted:
            print(recipe.__name__, flush=True)
            recipe(tables)
    spark.stop()
    if not wanted:
        select_tables()


if __name__ == "__main__":
    main(sys.argv[1:])
