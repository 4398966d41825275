"""Several real writers on one table: whose file is whose, what lost attempts cost, no row lost and none doubled."""

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.contexts import events_of

from wasim.bench.case import carry_out
from wasim.bench.probing import CaseContext
from wasim.core import CORE, DescribedData
from wasim.core.described import content_file_json
from wasim.ledger import Action, FileEvents, Kind, StepRecords
from wasim.ledger.parquet import read_columns
from wasim.runs import CaseRun, RunFolder
from wasim.runs.saved import read_case
from wasim.scenario import Case
from wasim.spark import CATALOG_NAME, Session, drive
from wasim.spark.drive.appends import ConcurrentAppender
from wasim.spark.servers import Servers
from wasim.workload import Append

RunCase = Callable[[Case], tuple[CaseRun, CaseContext]]
MakeCase = Callable[..., Case]
NAME = f"{CATALOG_NAME}.{drive.TABLE_NAME}"
CATALOGS = ("jdbc", pytest.param("hadoop", marks=pytest.mark.slow))
RETRIES = "{columns: [{name: reading, type: double}], properties: {commit.retry.num-retries: '%d', %s}}"
SOON = "commit.retry.min-wait-ms: '1', commit.retry.max-wait-ms: '20'"
ENVIRONMENT = "{warm_up_commits: 0, catalog: %s}"


def rows_of(context: CaseContext) -> tuple[int, int]:
    context.session.spark.sql(f"REFRESH TABLE {NAME}")
    ((count, distinct),) = context.session.spark.sql(f"SELECT count(*), count(DISTINCT event_id) FROM {NAME}").collect()
    return count, distinct


@pytest.mark.parametrize("catalog", CATALOGS)
def test_writers_in_each_others_way_lose_attempts_but_no_rows(
    catalog: str, run_case: RunCase, small_case: MakeCase
) -> None:
    case = small_case(
        writer="{kind: batch, writers: 4}", horizon="16s", table=RETRIES % (30, SOON), environment=ENVIRONMENT % catalog
    )
    run, context = run_case(case)
    assert run.case.label == "4×batch every 1s"
    assert rows_of(context) == (16 * 20, 16 * 20)
    assert list(run.ledger.records_live) == [20 * commit for commit in range(1, 17)]  # in the table's own order
    assert list(run.ledger.snapshots_retained) == list(range(1, 17))
    assert sorted(run.ledger.event_time_s) == list(range(1, 17))
    assert run.contention is not None
    assert run.contention.lost_attempts == int((run.ledger.attempts - 1).sum()) > 0
    assert run.contention.failed == {}
    check_files(run, events_of(context))


def check_files(run: CaseRun, events: FileEvents) -> None:
    """Every commit has the files of its own attempts, and those that were lost are found again as waste."""
    for row, attempts in enumerate(run.ledger.attempts):
        mine = events.where((events.commit == row + 1) & (events.action == Action.WRITE))
        lists = [file for file, kind in zip(mine.file, mine.kind, strict=True) if kind == Kind.MANIFEST_LIST]
        (commit_id,) = {file.split("-", 3)[3].removesuffix(".avro") for file in lists}
        assert sorted(mine.attempt[mine.kind == Kind.MANIFEST_LIST]) == list(range(1, attempts + 1))
        (data,) = mine.file[mine.kind == Kind.DATA]
        manifests = mine.file[mine.kind == Kind.DATA_MANIFEST]
        assert all(commit_id in file for file in manifests)
        assert data
        assert attempts in mine.attempt[mine.kind == Kind.METADATA_JSON]  # the one that counted
        gone = events.where((events.commit == row + 1) & (events.action == Action.DELETE))
        assert len(gone.file[gone.kind == Kind.MANIFEST_LIST]) == attempts - 1
    assert run.contention is not None
    lost_lists = run.ledger.files_written[Kind.MANIFEST_LIST].sum() - len(run.ledger)
    assert lost_lists == run.contention.lost_attempts
    assert run.contention.orphan_bytes[Kind.MANIFEST_LIST] == 0
    json_written = run.totals.files_written[Kind.METADATA_JSON]
    assert json_written - 1 - len(run.ledger) - sum(run.contention.failed.values()) <= run.contention.lost_attempts
    assert run.contention.lost_bytes[Kind.METADATA_JSON] >= run.contention.orphan_bytes[Kind.METADATA_JSON]
    assert np.all(run.ledger.wasted_bytes[run.ledger.attempts == 1] == 0)
    assert np.all(run.ledger.wasted_bytes[run.ledger.attempts > 1] > 0)


def test_a_commit_without_retries_left_fails_alone(run_case: RunCase, small_case: MakeCase) -> None:
    case = small_case(writer="{kind: batch, writers: 4}", horizon="16s", table=RETRIES % (0, SOON))
    run, context = run_case(case)
    assert run.contention is not None
    failed = run.contention.failed_commits
    assert run.contention.failed == {"CommitFailedException": failed}
    assert 0 < failed < 16
    assert len(run.ledger) == 16 - failed
    assert rows_of(context) == ((16 - failed) * 20, (16 - failed) * 20)
    events, steps = events_of(context), read_columns(context.folder.case(context.key) / "steps.parquet", StepRecords)
    assert list(steps.step) == list(range(17))
    lost = events.where(np.isin(events.step, steps.step[steps.error != ""]))
    assert set(lost.commit) == {-1}
    data = lost.where(lost.kind == Kind.DATA)
    assert (data.action == Action.WRITE).sum() == (data.action == Action.DELETE).sum() == failed
    assert run.contention.orphan_bytes[Kind.DATA] == 0
    assert steps.rows_arrived.sum() == (16 - failed) * 20
    assert run.amplification.data > 1  # the files of failed commits were written too
    again = read_case(context.folder.case(context.key))
    assert again.contention == run.contention


def test_a_reader_of_one_snapshot_sees_the_same_rows(
    session: Session, run_case: RunCase, small_case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[Any, ...]] = []
    newest: list[int] = []
    over = threading.Event()

    def read() -> None:
        reader = session.sibling().spark
        ((pinned,),) = reader.sql(f"SELECT snapshot_id FROM {NAME}.snapshots ORDER BY committed_at LIMIT 1").collect()
        rows = f"SELECT count(*), sum(event_id), sum(reading) FROM {NAME} VERSION AS OF {pinned}"
        while not over.is_set():
            seen.append(tuple(reader.sql(rows).first()))
            reader.sql(f"REFRESH TABLE {NAME}")
            newest.append(reader.table(NAME).count())

    readers: list[threading.Thread] = []
    append = ConcurrentAppender.append

    def observed(self: Any, step: Any) -> None:
        if step.first_commit > 1:
            readers.append(threading.Thread(target=read))
            readers[0].start()
        append(self, step)
        if readers:
            over.set()
            readers[0].join()

    monkeypatch.setattr(ConcurrentAppender, "append", observed)
    planning = "{rounds: 1, rounds_at_end: 1, cold: false, execution: false, checkpoints: [0.08, 1.0]}"
    run_case(small_case(writer="{kind: batch, writers: 3}", horizon="12s", planning=planning))
    assert len(seen) >= 2
    assert {row[0] for row in seen} == {20}
    assert len(set(seen)) == 1
    assert newest[-1] > newest[0] >= 20


class DescribedConcurrently(ConcurrentAppender):
    """Writers that commit described data files in Iceberg's own library: many times the conflicts of Spark's jobs."""

    def __init__(self, target: drive.Target) -> None:
        super().__init__(target)
        alone = replace(target.case, writer=target.case.writer.model_copy(update={"writers": 1}))
        self._source = DescribedData(alone, target.session.application_id)
        self._lines: dict[int, str] = {}
        self._tables: dict[int, Any] = {}

    def append(self, step: Append) -> None:
        self._tables = {id(session): session.iceberg_table(self._target.table) for session in self._sessions}
        location, types = self._target.iceberg_table().location(), self._source.partition_types
        for commit in range(step.first_commit, step.first_commit + step.commits):
            described = self._source.describe(commit, location)
            files = [content_file_json(file, types) for file in described.files]
            self._lines[commit] = json.dumps({"summary": dict(described.summary), "files": files})
        super().append(step)

    def _append_rows(self, session: Session, commit: int) -> None:
        table = self._tables[id(session)]
        session.commit_appends(table, self._lines[commit], merges=False, journal=self._target.journal)


def together(target: drive.Target) -> drive.EngineSession:
    return drive.EngineSession(appender=DescribedConcurrently(target), operate=lambda step: None)


@pytest.mark.slow
# In the Hadoop catalog a writer that finds the version locked waits five seconds, out of the others' way: few are lost.
@pytest.mark.parametrize(("catalog", "commits"), [("jdbc", 160), ("hadoop", 1_600), ("in_memory", 160), ("rest", 160)])
def test_two_hundred_conflicts_cost_attempts_but_no_snapshot_or_row(
    catalog: str, commits: int, session: Session, servers: Servers, small_case: MakeCase, tmp_path: Path
) -> None:
    case = small_case(
        writer="{kind: batch, writers: 8}",
        horizon=f"{commits}s",
        table=RETRIES % (1000, SOON),
        environment=ENVIRONMENT % catalog,
    )
    engine = replace(CORE, check=lambda case: None, open=together)
    folder = RunFolder(tmp_path / "run")
    (folder.path / "cases").mkdir(parents=True)
    context = CaseContext(
        session=session, folder=folder, key="conflicts", machine={}, on_commits=lambda commits: None, servers=servers,
        engine=engine,
    )  # fmt: skip
    run = carry_out(case, context)
    assert run.contention is not None
    print(f"{catalog}: {run.contention.lost_attempts} attempts of {run.contention.attempts} lost in {run.wall_s:.0f} s")
    assert run.contention.lost_attempts >= 200
    assert run.contention.failed == {}
    assert list(run.ledger.records_live) == [20 * commit for commit in range(1, commits + 1)]
    check_files(run, events_of(context))


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        ({"writer": "{kind: streaming, writers: 2}"}, "the writer is streaming"),
        ({"writer": "{kind: batch, writers: 2}", "changes": "{delete: {every: 2s, rows: 1}}"}, "Take changes out"),
        ({"writer": "{kind: batch, writers: 2, upsert: {share: 0.5}}"}, "Take writer.upsert out"),
        ({"writer": "{kind: batch, writers: 0}"}, "writer.writers"),
    ],
)
def test_what_several_writers_cannot_do_is_refused_by_name(
    lines: dict[str, str], named: str, small_case: MakeCase
) -> None:
    with pytest.raises(Exception, match=named):
        small_case(**lines)
