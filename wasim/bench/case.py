"""One case carried out: its table made, its steps driven by an engine, its planning probed, its recording audited."""

import json
import re
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from wasim import collect
from wasim.bench.probing import CaseContext, Probing, probe_fresh
from wasim.collect import list_table
from wasim.collect.audit import classify
from wasim.errors import CaseFailed
from wasim.ledger import FileEvents, Kind
from wasim.ledger.vocabulary import DATA_KINDS, MANIFEST_KINDS, METADATA_KINDS
from wasim.runs import CaseRun, make_durable, save_case
from wasim.scenario import Case
from wasim.scenario.settings import SCHEMES_SINCE
from wasim.spark import (
    CATALOG_NAME,
    Catalog,
    HadoopCatalog,
    JdbcCatalog,
    MemoryCatalog,
    PostgresqlCatalog,
    Session,
    drive,
    read_secrets,
)
from wasim.spark.probe import PlanningTable, open_planning_table
from wasim.spark.servers import Servers, below, jdbc_uri
from wasim.storage import S3Options, open_storage, plain_path

_OTHERS = "others"  # the catalog of a job's further tables: Spark's, as the table's, but for the recorder
_TABLE_FOLDER = drive.TABLE_NAME.replace(".", "/")
_OWN: dict[str, type[Catalog]] = {"jdbc": JdbcCatalog, "hadoop": HadoopCatalog, "in_memory": MemoryCatalog}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The catalog of one case's table, for as long as its servers run."""

    catalog: Catalog
    journal: Path  # a folder; what other processes than Spark write for the table is entered there too

    @property
    def table_root(self) -> str:
        """Where the table's files are: a path, or `s3://…`."""
        return f"{self.catalog.location}/{_TABLE_FOLDER}"

    @property
    def table_location(self) -> str:
        """The table's location as its metadata has it."""
        return f"{self.catalog.root}/{_TABLE_FOLDER}"

    def listing(self) -> dict[str, int]:
        """Bytes of every file of the table, by its path below `table_root`, as the store itself lists them."""
        store = self.catalog.store
        if store is None:
            return list_table(Path(self.table_root))
        secrets = {} if store.credentials is None else read_secrets(store.credentials)
        options = S3Options(
            endpoint=store.endpoint,
            region=store.region,
            access_key=secrets.get("access_key_id"),
            secret_key=secrets.get("secret_access_key"),
        )
        place = plain_path(self.table_root)
        listed = open_storage(self.table_root, options).list(place)
        return {file.path.removeprefix(f"{place}/"): file.size_bytes for file in listed}

    def clear(self, session: Session) -> None:
        """Removes what an earlier attempt left in a store that is not local."""
        if self.catalog.store is not None:
            session.remove_objects(self.catalog.store)


@contextmanager
def open_place(case: Case, warehouse: Path, servers: Servers) -> Iterator[Place]:
    """The case's place for the block. `warehouse` is its local folder, in the folder of its run."""
    journal = warehouse / "journal"
    journal.mkdir(parents=True)
    root, run = servers.store(case.environment.store), warehouse.parent.parent
    # as long for every case of a run: locations stand in every metadata file
    store = root and below(root, run.parent.name, run.name, warehouse.name)
    parts: dict[str, Any] = {"warehouse": warehouse, "store": store}
    parts["names_scheme"] = case.table.format_version >= SCHEMES_SINCE
    match case.environment.catalog:
        case "rest":
            with servers.rest_catalog(JdbcCatalog(**parts), journal) as catalog:
                yield Place(catalog=catalog, journal=journal)
        case "postgresql":
            name = re.sub(r"\W", "_", f"{CATALOG_NAME}_{run.name}_{warehouse.name}")
            yield Place(catalog=PostgresqlCatalog(**parts, uri=jdbc_uri(), name=name), journal=journal)
        case other:
            yield Place(catalog=_OWN[other](**parts), journal=journal)


def carry_out(case: Case, context: CaseContext) -> CaseRun:
    """Runs the case from nothing and saves it. CaseFailed, or Spark's own error, if a step or the audit fails."""
    started_s = time.monotonic()
    shutil.rmtree(context.warehouse, ignore_errors=True)
    unfinished = context.folder.unfinished_case(context.key)
    unfinished.mkdir(parents=True)
    with open_place(case, context.warehouse, context.servers) as place:
        place.clear(context.session)
        with _recorded_table(case, context, place) as (target, planning):
            probing = Probing(context=context, catalog=place.catalog, target=target, planning=planning)
            drive.carry_out_steps(context.engine, target, probing.probe)
            journal = collect.read_journal(target.journal.lines(), table_root=place.table_root)
            recording = journal.recording
            requests = journal.requests if place.catalog.store is not None else None
            collect.audit(_on_disk(recording.events, context.engine), place.listing())
            if case.writer.writers > 1 and context.engine.writes_data:
                _check_rows(target, len(recording.reports))
            tables = _tables_of_job(target, place)
            live_bytes, state = _live_bytes(planning), planning.state()
        cold = probe_fresh(case, context, place.catalog, state)
    key, engine, wall_s = context.key, context.engine.name, time.monotonic() - started_s
    finished = CaseRun.of_recording(case, recording, key=key, engine=engine, live_bytes=live_bytes, wall_s=wall_s)
    finished = replace(
        finished,
        probes=(*probing.probes, *cold),
        requests=requests,
        listings=tuple(probing.listings),
        location=place.table_location,
    )
    save_case(finished, recording, unfinished)
    if case.writer.tables > 1:
        (unfinished / "tables.json").write_text(json.dumps(tables, indent=1))
    make_durable(unfinished, context.folder.case(context.key))
    for spent in ("journal", "checkpoint"):  # what they held is in the events
        shutil.rmtree(context.warehouse / spent, ignore_errors=True)
    return finished


@contextmanager
def _recorded_table(case: Case, context: CaseContext, place: Place) -> Iterator[tuple[drive.Target, PlanningTable]]:
    session, catalog = context.session, place.catalog
    journal = session.journal(place.journal)
    others = replace(catalog, name=_OTHERS)
    if case.writer.tables > 1:
        session.add_catalog(others, None)
    # What Spark's own writer does to its files is part of what it costs; core is there to be quick
    session.add_catalog(catalog, journal, sets_permissions=context.engine.writes_data)
    target = drive.Target(
        session=session,
        case=case,
        table=f"{catalog.name}.{drive.TABLE_NAME}",
        location=place.table_location,
        journal=journal,
        checkpoint=context.warehouse / "checkpoint",
        on_commits=context.on_commits,
        # their names are as long as the table's, which each metadata file repeats
        others=tuple(f"{others.name}.db.t{number:05d}" for number in range(2, case.writer.tables + 1)),
    )
    with open_planning_table(session.jvm, catalog, drive.TABLE_NAME) as planning:
        if isinstance(catalog, PostgresqlCatalog):
            planning.forget()  # a database outlives attempts that failed
        try:
            yield target, planning
        finally:
            journal.close()


def warm_up(case: Case, context: CaseContext) -> None:
    """Commits like the case's to a table that is thrown away, so that no case pays for a JVM that is still cold."""
    shutil.rmtree(context.warehouse, ignore_errors=True)  # a run killed as it warmed up leaves its own there
    short = replace(case, horizon_s=case.environment.warm_up_commits * case.commit_interval_s, clock="virtual")
    with open_place(short, context.warehouse, context.servers) as place:
        place.clear(context.session)
        with _recorded_table(short, context, place) as (target, planning):
            drive.carry_out_steps(context.engine, target, lambda probe: None)
            planning.forget()
        place.clear(context.session)
    shutil.rmtree(context.warehouse)


def _check_rows(target: drive.Target, commits: int) -> None:
    """CaseFailed unless the table itself holds the rows and snapshots of this many commits, each row once."""
    spark, rows = target.session.spark, commits * target.case.rows_per_commit
    spark.catalog.refreshTable(target.table)
    ((*found,),) = spark.table(target.table).selectExpr("count(*)", "count(DISTINCT event_id)").collect()
    snapshots = spark.table(f"{target.table}.snapshots").count()
    if (*found, snapshots) != (rows, rows, commits):
        raise CaseFailed(
            f"The table holds {found[0]} rows, {found[1]} of them different, in {snapshots} snapshots, but {commits}"
            f" commits of {rows} rows in all were reported. Rows were lost or doubled among the writers."
        )


def _tables_of_job(target: drive.Target, place: Place) -> list[dict[str, Any]]:
    """Each of a job's several tables: rows, snapshots, files and bytes on disk by kind. CaseFailed unless all have the
    same counts.
    """
    found, spark = list[dict[str, Any]](), target.session.spark
    for table in (target.table, *target.others) if target.others else ():
        files, size = Counter[Kind](), Counter[Kind]()
        for file, file_bytes in list_table(Path(place.table_root).with_name(table.rpartition(".")[2])).items():
            files[classify(file)] += 1
            size[classify(file)] += file_bytes
        spark.catalog.refreshTable(table)  # the stream committed in another session
        counts = {"rows": spark.table(table).count(), "snapshots": spark.table(f"{table}.snapshots").count()}
        found.append({"table": table, "bytes": size, "counts": counts | {"files": files}})
        if found[0]["counts"] != found[-1]["counts"]:
            raise CaseFailed(f"The tables of the job differ: {found[0]}, but {found[-1]}.")
    return found


def _on_disk(events: FileEvents, engine: drive.Engine) -> FileEvents:
    """The events whose files a listing must show. Data that was never written must not turn up there either."""
    return events if engine.writes_data else events.where(np.isin(events.kind, METADATA_KINDS))


def _live_bytes(planning: PlanningTable) -> dict[Kind, int]:
    """Bytes reachable from the current snapshot, and the current metadata.json, by kind."""
    table = planning.load()
    kinds = (Kind.METADATA_JSON, Kind.MANIFEST_LIST, *MANIFEST_KINDS, *DATA_KINDS)
    json_bytes = planning.state().metadata_json_bytes
    live = json_bytes, *planning.live_manifests(table), *planning.live_files(table)
    return dict.fromkeys(Kind, 0) | dict(zip(kinds, live, strict=True))
