"""Readers over real tables: what they agree on, what they open, what pruning and caches spare them."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from support.pages import page_of

from wasim.bench.probing import CaseContext
from wasim.errors import CaseFailed, EnvironmentFault
from wasim.fit import FitReport
from wasim.ledger import FULL_SCAN
from wasim.ledger.readers import BOUNDARIES
from wasim.runs import CaseRun, Run
from wasim.runs.saved import read_case
from wasim.scenario import Case
from wasim.scenario.parts import Planning
from wasim.spark import JdbcCatalog, Session
from wasim.spark.probe import Predicate, Query, Reader, ScanPlan, check_readers, list_data_files, open_planning_table
from wasim.spark.probe.clickhouse import open_clickhouse
from wasim.spark.probe.opens import OpenWatch
from wasim.spark.probe.readers import PACKAGES, Probed, open_readers

ALL = ("iceberg_java", "iceberg_java_distributed", "pyiceberg", "clickhouse")
HOURS, REGIONS = 8, 3
EVERYTHING = Query(name=FULL_SCAN)
ONE_REGION = Query(
    name="one_region", predicate=Predicate(column="region", comparison="equal", value="r1", sql_type="string")
)
LAST_HOUR = Query(
    name="last_hour",
    predicate=Predicate(
        column="at", comparison="greaterThanOrEqual", value="2026-01-02T03:00:00.000000+00:00", sql_type="timestamp"
    ),
)
LAST_IDS = Query(
    name="last_ids",
    predicate=Predicate(column="id", comparison="greaterThanOrEqual", value=(HOURS - 1) * 9, sql_type="bigint"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    session: Session
    catalog: JdbcCatalog
    name: str

    @property
    def root(self) -> Path:
        return self.catalog.warehouse.joinpath(*self.name.split("."))

    def sql(self, statement: str) -> object:
        return self.session.spark.sql(statement.replace("{}", f"{self.catalog.name}.{self.name}"))

    @contextmanager
    def readers(self, names: Sequence[str], *, caches: bool = False) -> Iterator[dict[tuple[str, str], Reader]]:
        with ExitStack() as stack:
            planning = stack.enter_context(open_planning_table(self.session.jvm, self.catalog, self.name))
            probed = Probed(
                session=self.session,
                catalog=self.catalog,
                table_name=self.name,
                local_root=self.root,
                planning=planning,
                state=planning.state(),
            )
            opened = stack.enter_context(open_readers(Planning(readers=tuple(names), caches=caches), probed))
            yield {(reader.name, reader.variant): reader for reader in opened}

    def plan(self, name: str, query: Query, variant: str = "") -> ScanPlan:
        with self.readers([name]) as readers:
            return once(readers[name, variant], query)


def once(reader: Reader, query: Query) -> ScanPlan:
    return reader.plan(reader.load(), query)


@pytest.fixture(scope="module")
def make_table(session: Session, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Made]:
    """Tables of eight commits, an hour of event time each, from eight in the evening on, in three regions."""
    catalog = JdbcCatalog(warehouse=tmp_path_factory.mktemp("readers"), name="readers")
    session.add_catalog(catalog, None)

    def make(name: str) -> Made:
        made = Made(session=session, catalog=catalog, name=f"db.{name}")
        made.sql(
            "CREATE TABLE {} (id bigint, region string, at timestamp) USING iceberg PARTITIONED BY (region, hours(at)) "
            "TBLPROPERTIES ('commit.manifest-merge.enabled' = 'false')"
        )
        for hour in range(HOURS):
            made.sql(
                f"INSERT INTO {{}} SELECT {hour * 9} + id, concat('r', cast(id % {REGIONS} AS string)), "
                f"timestamp'2026-01-01 20:00:00' + make_interval(0, 0, 0, 0, {hour}, id) FROM range(9)"
            )
        return made

    return make


@pytest.fixture(scope="module")
def table(make_table: Callable[[str], Made]) -> Made:
    return make_table("kept")


@pytest.fixture(scope="module")
def planned(table: Made) -> dict[str, dict[tuple[str, str], ScanPlan]]:
    """What each reader plans, by query."""
    with table.readers(ALL) as readers:
        return {
            query.name: {name: once(reader, query) for name, reader in readers.items()}
            for query in (ONE_REGION, LAST_HOUR, LAST_IDS, EVERYTHING)
        }


def test_readers_agree_on_the_files_of_every_query(planned: dict[str, dict[tuple[str, str], ScanPlan]]) -> None:
    expected = {"one_region": HOURS, "last_hour": REGIONS, "last_ids": REGIONS, EVERYTHING.name: HOURS * REGIONS}
    for query, plans in planned.items():
        found = {name: plan.files for name, plan in plans.items() if "pruning" not in name[1]}
        if query == EVERYTHING.name:  # ClickHouse counts everything from the manifests and names no file
            assert found.pop(("clickhouse", "metadata cache off")) is None
        assert set(found.values()) == {expected[query]}, (query, found)


def test_a_full_scan_opens_every_manifest_once(planned: dict[str, dict[tuple[str, str], ScanPlan]]) -> None:
    opened = {name: plan.manifests_opened for name, plan in planned[EVERYTHING.name].items()}
    assert set(opened.values()) == {HOURS}, opened


def test_the_kernel_sees_the_opens_that_readers_count_themselves(table: Made) -> None:
    with table.readers(["iceberg_java", "pyiceberg"]) as readers, OpenWatch(table.root / "metadata") as watch:
        for reader in readers.values():
            loaded = reader.load()
            watch.opened()
            plan = reader.plan(loaded, LAST_HOUR)
            seen = [name for name in watch.opened() or [] if not name.startswith(("snap-", "."))]
            assert len(seen) == plan.manifests_opened == plan.manifests_scanned == 1
            assert plan.manifests_skipped == HOURS - 1


def test_distributed_planning_ends_with_its_block(table: Made) -> None:
    tracker = table.session.spark.sparkContext.statusTracker()
    before = len(tracker.getJobIdsForGroup("DATA-PLANNING"))
    plan = table.plan("iceberg_java_distributed", LAST_HOUR)
    assert (plan.manifests_scanned, plan.manifests_skipped, plan.files) == (1, HOURS - 1, REGIONS)
    assert len(tracker.getJobIdsForGroup("DATA-PLANNING")) == before + 1
    assert table.session.spark.conf.get("spark.sql.iceberg.data-planning-mode", "unset") == "unset"


def test_a_manifest_cache_spares_the_opens_and_not_the_scan(table: Made) -> None:
    with table.readers(["iceberg_java"], caches=True) as readers:
        cached = readers["iceberg_java", "manifest cache on"]
        first, second = once(cached, EVERYTHING), once(cached, EVERYTHING)
        uncached = once(readers["iceberg_java", ""], EVERYTHING)
    assert (first.manifests_opened, second.manifests_opened, uncached.manifests_opened) == (HOURS, 0, HOURS)
    assert first.manifests_scanned == second.manifests_scanned == uncached.manifests_scanned == HOURS


def test_clickhouse_opens_manifests_unless_its_cache_has_them(table: Made) -> None:
    with table.readers(["clickhouse"], caches=True) as readers:
        for query in (EVERYTHING, ONE_REGION):
            for variant in ("metadata cache off", "metadata cache on"):
                once(readers["clickhouse", variant], query)
        off = once(readers["clickhouse", "metadata cache off"], ONE_REGION)
        on = once(readers["clickhouse", "metadata cache on"], ONE_REGION)
    assert (off.manifests_opened, on.manifests_opened) == (HOURS, 0)
    assert off.files == on.files == HOURS


def test_without_pruning_clickhouse_reads_every_file(table: Made) -> None:
    with table.readers(["clickhouse"]) as readers:
        pruned = once(readers["clickhouse", "metadata cache off"], ONE_REGION)
        whole = once(readers["clickhouse", "metadata cache off, pruning off"], ONE_REGION)
    assert (pruned.files, pruned.files_skipped) == (HOURS, HOURS * (REGIONS - 1))
    assert (whole.files, whole.files_skipped) == (HOURS * REGIONS, 0)
    assert whole.manifests_opened == pruned.manifests_opened == HOURS


def test_clickhouses_explain_opens_no_manifest_and_proves_nothing(table: Made) -> None:
    with open_clickhouse(table.root) as clickhouse:
        off = "SETTINGS use_iceberg_metadata_files_cache = 0"
        explained = clickhouse.ask(f"EXPLAIN SELECT * FROM {clickhouse.table} WHERE region = 'r1' {off}")
        counted = clickhouse.ask(f"SELECT count() FROM {clickhouse.table} {off}")
    assert explained.rows
    assert not [name for name in explained.opened or [] if name.endswith(".avro") and not name.startswith("snap-")]
    assert counted.rows == [[str(HOURS * 9)]]


def test_what_clickhouse_refuses_is_one_line_and_it_goes_on(table: Made) -> None:
    with open_clickhouse(table.root) as clickhouse:
        with pytest.raises(CaseFailed, match=r"^ClickHouse: Code: \d+"):
            clickhouse.ask("SELECT nonsense")
        assert clickhouse.ask("SELECT 1").rows == [["1"]]
        with pytest.raises(CaseFailed, match="PATH_ACCESS_DENIED"):
            clickhouse.ask(f"SELECT count() FROM icebergLocal('{table.root.parent / 'other'}')")


def test_what_pyiceberg_does_not_plan_is_one_line(table: Made) -> None:
    made = replace(table, name="db.equality")
    made.sql("CREATE TABLE {} (id bigint) USING iceberg TBLPROPERTIES ('format-version' = '2')")
    made.sql("INSERT INTO {} VALUES (1)")
    java, gateway = (
        made.session.iceberg_table(f"{made.catalog.name}.{made.name}"),
        made.session.spark.sparkContext._gateway,
    )
    field_ids = gateway.new_array(gateway.jvm.int, 1)
    field_ids[0] = 1
    deletes = gateway.jvm.org.apache.iceberg.FileMetadata.deleteFileBuilder(java.spec()).ofEqualityDeletes(field_ids)
    deletes = deletes.withPath(f"{java.location()}/data/deletes.parquet").withFileSizeInBytes(1).withRecordCount(1)
    java.newRowDelta().addDeletes(deletes.build()).commit()
    assert made.plan("iceberg_java", EVERYTHING).files == 1
    with pytest.raises(CaseFailed, match=r"^pyiceberg cannot plan this table: .+ Take it out of planning.readers\.$"):
        made.plan("pyiceberg", EVERYTHING)


def test_rewritten_manifests_are_skipped_where_before_only_entries_were(make_table: Callable[[str], Made]) -> None:
    table = make_table("rewritten")
    assert table.plan("iceberg_java", LAST_HOUR).manifests_scanned == 1
    before = table.plan("iceberg_java", ONE_REGION)
    assert (before.manifests_scanned, before.manifests_skipped) == (HOURS, 0)
    assert (before.files, before.files_skipped) == (HOURS, HOURS * (REGIONS - 1))
    table.sql("ALTER TABLE {} SET TBLPROPERTIES ('commit.manifest.target-size-bytes' = '15000')")
    table.session.spark.sql(f"CALL readers.system.rewrite_manifests('{table.name}')")
    after = table.plan("iceberg_java", ONE_REGION)
    assert after.manifests_skipped is not None
    assert after.manifests_skipped > 0
    assert after.manifests_scanned + after.manifests_skipped < HOURS
    assert after.files == HOURS
    assert after.files_skipped < before.files_skipped
    with table.readers(["clickhouse"]) as readers:
        clickhouse = readers["clickhouse", "metadata cache off"]
        region, hours = once(clickhouse, ONE_REGION), once(clickhouse, LAST_HOUR)
    assert (region.manifests_opened, region.manifests_skipped) == (after.manifests_scanned, after.manifests_skipped)
    # clustered by region first, and by hour only within: what was in one manifest is in one of each region
    last_hour = table.plan("iceberg_java", LAST_HOUR)
    assert (last_hour.manifests_scanned, last_hour.files) == (REGIONS, REGIONS)
    assert (hours.manifests_opened, hours.files) == (REGIONS, REGIONS)


def test_a_date_of_a_timestamp_is_pruned_through_its_hours(table: Made) -> None:
    # rows, for a count would be answered from the manifests, without a scan
    rows = table.sql("SELECT id FROM {} WHERE CAST(at AS DATE) = DATE'2026-01-02'")
    assert len(rows.collect()) == 4 * 9
    scan = _batch_scan(rows._jdf.queryExecution().executedPlan())
    pushed = scan.scan().description()
    # 2026-01-02 and 2026-01-03, in microseconds since 1970
    assert "at >= 1767312000000000" in pushed
    assert "at < 1767398400000000" in pushed
    metrics = {key: scan.metrics().apply(key).value() for key in ("scannedDataManifests", "skippedDataManifests")}
    assert metrics == {"scannedDataManifests": 4, "skippedDataManifests": 4}


def _batch_scan(plan: object) -> object:
    """The leaf that reads the table, below whatever adaptive execution put around it."""
    while True:
        if plan.nodeName() == "AdaptiveSparkPlan":
            plan = plan.executedPlan()
        elif plan.nodeName().endswith("QueryStage"):
            plan = plan.plan()
        elif plan.children().isEmpty():
            return plan
        else:
            plan = plan.children().head()


def test_a_listing_finds_unreferenced_files_in_every_directory(table: Made) -> None:
    directories = 1 + REGIONS + REGIONS * HOURS  # data, each region, each hour of it
    assert list_data_files([table.root / "data"]) == (directories, HOURS * REGIONS)
    written = next((table.root / "data").rglob("*.parquet"))
    stray = Path(shutil.copy(written, written.with_name("stray.parquet")))
    assert list_data_files([table.root / "data"]) == (directories, HOURS * REGIONS + 1)
    stray.unlink()


@pytest.mark.slow  # of each reader alone: the tests above
def test_a_case_is_probed_by_every_reader_it_names(
    small_case: Callable[..., Case], run_case: Callable[[Case], tuple[CaseRun, CaseContext]]
) -> None:
    planning = f"{{readers: [{', '.join(ALL)}], caches: true, rounds: 1, rounds_at_end: 2, checkpoints: [1.0]}}"
    case, context = run_case(small_case(planning=planning))
    full = [probe for probe in case.probes if probe.query == FULL_SCAN]
    warm = {(probe.reader, probe.variant) for probe in full if probe.temperature == "warm"}
    assert warm == {
        ("iceberg_java", ""),
        ("iceberg_java", "manifest cache on"),
        ("iceberg_java_distributed", ""),
        ("pyiceberg", ""),
        ("clickhouse", "metadata cache off"),
        ("clickhouse", "metadata cache on"),
    }
    assert {probe.reader for probe in full if probe.temperature == "cold"} == set(ALL) - {"iceberg_java_distributed"}
    for probe in full:
        cached = probe.variant.endswith("cache on")
        assert probe.manifests_opened == (0 if cached else case.ledger.live_manifests[-1])
        assert len(probe.load_ms) == (0 if probe.reader == "clickhouse" else len(probe.planning_ms))
    assert {probe.variant for probe in case.probes if len(probe.execution_ms)} == {""}
    (listing,) = case.listings
    assert (listing.list_calls, listing.files) == (1, case.ledger.live_entries[-1])
    assert len(listing.scan_ms) == 2
    saved = read_case(context.folder.case(context.key))
    assert [probe.variant for probe in saved.probes] == [probe.variant for probe in case.probes]
    assert [one.files for one in saved.listings] == [listing.files]
    run = Run(folder=context.folder.path, scenario="s", question="q?", provenance={}, cases=(saved,), failures={})
    page = page_of(run, FitReport(costs=(), latencies=(), held_out=(), sustainable=()))
    for reader in ALL:
        assert BOUNDARIES[reader].planning[:40].replace("'", "&#39;") in page


def test_a_reader_not_installed_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    check_readers(ALL)
    monkeypatch.setitem(PACKAGES, "clickhouse", "surely_not_installed")
    with pytest.raises(EnvironmentFault, match=r"clickhouse, which needs the package surely_not_installed.*readers"):
        check_readers(ALL)
