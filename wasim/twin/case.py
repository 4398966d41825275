"""One case carried out on engine `sim`, exactly: every metadata file encoded as the real writer would have."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid5

import numpy as np

from wasim.contention import LOCAL, arrivals_of, conflict_rule, footprint_at, provider_of, race_of, times_of
from wasim.errors import WasimError
from wasim.iceberg import DataFileEntry
from wasim.iceberg.parquet_manifests import PARQUET_SINCE
from wasim.iceberg.properties import TableProperties
from wasim.ledger import Action, Kind, Recording, view_by_commit
from wasim.ledger.contention import lost_files
from wasim.ledger.vocabulary import CREATE_TABLE
from wasim.scenario import Case
from wasim.twin.bounds import MOST_ROWS_COMPUTED
from wasim.twin.commits import Moment
from wasim.twin.concurrent_appends import ConcurrentAppends
from wasim.twin.creation import Site, evolve_table, evolved_files, new_table
from wasim.twin.data_files import DataFiles, FileNumbers, data_files_of
from wasim.twin.event_log import EventLog
from wasim.twin.flink import Subtasks, commit_append, commit_row_delta
from wasim.twin.identifiers import draw_uuid, trino_query
from wasim.twin.maintenance import is_due, maintain
from wasim.twin.profile import WriterProfile, as_written, expiry_within
from wasim.twin.recipe_steps import RecipeSteps, distinct_values
from wasim.twin.scanning import live_files, scan_tasks
from wasim.twin.snapshot_updates import append_files, write_and_commit
from wasim.twin.statements import Statement, change_rows, upsert, upserted_rows
from wasim.twin.supported import check_supported
from wasim.twin.table import SimulatedTable
from wasim.workload import Append, ChangeRows, CreateTable, Evolve, Maintain, Probe, plan_steps

PACE_SPREAD = 0.2  # standard deviation of the time between commits, as a share; 0.15 … 0.25 on an idle machine
FIRST_COMMITS = 3  # that show what an attempt reads and writes
MAKE_SNAPSHOTS = frozenset({"rewrite_data_files", "rewrite_manifests", "update", "delete", "merge", "overwrite"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """A simulated case: its recording, and the bytes reachable from the last snapshot and its metadata.json.

    `table` is the table as it is at the end, `files` what is known of its files.
    """

    recording: Recording
    live_bytes: dict[Kind, int]
    table: SimulatedTable
    files: DataFiles


def simulate_case(
    case: Case, profile: WriterProfile, rng: np.random.Generator, *, site: Site | None = None, emit: Path | None = None
) -> Recording:
    """The recording of a case: `simulate_table` without what is live at the end."""
    return simulate_table(case, profile, rng, site=site, emit=emit).recording


def simulate_table(
    case: Case,
    profile: WriterProfile,
    rng: np.random.Generator,
    *,
    site: Site | None = None,
    emit: Path | None = None,
    most_rows_computed: int = MOST_ROWS_COMPUTED,
) -> Simulated:
    """A case simulated: what each commit writes and deletes, and reports, and what is live at the end.

    Bounds of files of more than `most_rows_computed` rows are drawn. Who only wants sizes need not compute any row.
    With `emit`, the metadata tree is written below that folder, which becomes the table's location; data files stay
    absent. WasimError names a step or property that the simulator does not model.
    """
    case = as_written(case, profile)
    check_supported(case, profile)
    chosen = (site or Site()) if emit is None else _site_of_emitted(case, site or Site(), emit)
    files = data_files_of(case, profile, most_rows_computed=most_rows_computed)
    case, profile = raced(case, profile, chosen)
    writer = CaseWriter(case=case, profile=profile, files=files, site=chosen, rng=rng, log=EventLog(folder=emit))
    for step in plan_steps(case):
        match step:
            case CreateTable():
                writer.create(step)
            case Append() if case.writer.writers > 1:
                writer.append_concurrently(step)
            case Append():
                writer.append(step)
            case Probe():
                pass  # Planning is measured, not simulated.
            case Maintain():
                expires_itself = step.operation == "expire_snapshots" and writer.steps.expiry is not None
                if not expires_itself and is_due(writer.table, step):
                    writer.operate(step)
            case _:
                writer.operate(step)
    recording = writer.log.recording()
    live_bytes = _live_bytes(recording, writer.table)
    return Simulated(recording=recording, live_bytes=live_bytes, table=writer.table, files=writer.files)


def _site_of_emitted(case: Case, site: Site, emit: Path) -> Site:
    if case.table.format_version >= PARQUET_SINCE:
        raise WasimError(
            "--emit writes no tables of format version 4, whose manifests are known by their sizes alone. Take it"
            " out, or give table.format_version 3."
        )
    return replace(site, location=str(emit.absolute()))


def raced(case: Case, profile: WriterProfile, site: Site) -> tuple[Case, WriterProfile]:
    """The case and its profile with the arrivals and the times with which its several writers race at the site.

    In a provider's store, and in a catalog that only predictions have, the times follow from what the first commits of
    one writer read and write. WasimError for an unknown provider.
    """
    if case.writer.writers == 1:
        return case, profile
    provider = provider_of(case, site.provider)
    arriving = case.writer.model_copy(update={"arrivals": arrivals_of(case, provider)})
    measured = {one.catalog for one in profile.together}  # on local files
    if provider not in {None, LOCAL} or (case.raced_in is not None and case.raced_in not in measured):
        first = simulate_table(
            replace(
                case,
                writer=case.writer.model_copy(update={"writers": 1}),
                horizon_s=min(case.horizon_s, FIRST_COMMITS * case.commit_interval_s),
            ),
            profile,
            np.random.default_rng(case.seed),
            site=site,
        )
        footprint = footprint_at(view_by_commit(first.recording), 1.0)
        profile = replace(profile, together=(times_of(case, provider or LOCAL, footprint),))
    return replace(case, writer=arriving), profile


def _live_bytes(recording: Recording, table: SimulatedTable) -> dict[Kind, int]:
    live = dict.fromkeys(Kind, 0)
    events = recording.events.where(~lost_files(recording))
    for kind in (Kind.METADATA_JSON, Kind.MANIFEST_LIST):
        written = events.bytes[(events.kind == kind) & (events.action == Action.WRITE)]
        live[kind] = int(written[-1]) if len(written) else 0
    for manifest in table.manifests:
        live[manifest.kind] += manifest.file.manifest_length
    files = {
        entry.file.file_path: (manifest.content_kind, entry.file.file_size_bytes)
        for manifest in table.manifests
        for entry in manifest.live
    }
    for kind, size in files.values():
        live[kind] += size
    return live


class CaseWriter:
    """Carries out a case's steps: draws each commit's files and hands them to the table."""

    def __init__(
        self,
        *,
        case: Case,
        profile: WriterProfile,
        files: DataFiles,
        site: Site,
        rng: np.random.Generator,
        log: EventLog,
    ) -> None:
        self.case, self.profile, self.site, self.rng, self.log = case, profile, site, rng, log
        self.files = files
        self.table = new_table(case, profile, files, site=site, log=log, rng=rng)
        self.query_id = draw_uuid(rng)
        self.subtasks = Subtasks(
            files=files,
            locations=self.table.rules.locations,
            query_id=self.query_id,
            counts=[0] * case.workload.files_per_commit,
        )
        self.steps = RecipeSteps(recipe=profile.recipe, expiry=expiry_within(case, profile.recipe.expiry))
        self.task_id = 0
        self.draws_commit_uuid = any("{commit_uuid}" in text for text in profile.summary.values())
        self.wall_ms = round(site.started_s * 1000)
        self.application_ms = self.wall_ms - int(rng.integers(1_000, 60_000))

    def create(self, step: CreateTable) -> None:
        """CREATE TABLE."""
        at_s = self.site.started_s
        self.log.enter_step(step.number, CREATE_TABLE, event_time_s=0.0, rows_arrived=0, at_s=at_s)
        self.log.begin(step.number, CREATE_TABLE, at_s, commits=False)
        self.table.create()

    def append(self, step: Append) -> None:
        """The commits of one writer."""
        streams = self.case.writer.kind == "streaming"
        named = step.operation(step.first_commit + step.commits - 1 if streams else step.first_commit)
        at_s = self.wall_ms / 1000
        event_time_s = step.first_commit * self.case.commit_interval_s
        rows = step.commits * step.rows_per_commit
        self.log.enter_step(step.number, named, event_time_s=event_time_s, rows_arrived=rows, at_s=at_s)
        for offset in range(step.commits):
            commit = step.first_commit + offset
            operation = named if streams else step.operation(commit)
            self._commit(step, commit, operation, step.number + offset)

    def append_concurrently(self, step: Append) -> None:
        """The commits of several concurrent writers, with the attempts that they lose."""
        case, queries, started_s = self.case, dict[int, str](), self.wall_ms / 1000

        def draw(commit: int, at_s: float) -> Sequence[DataFileEntry]:
            self.wall_ms, self.query_id = round(at_s * 1000), draw_uuid(self.rng)
            queries[commit] = self.query_id
            return self._draw(commit)

        def moment(commit: int, at_s: float) -> Moment:
            self.wall_ms, self.query_id = round(at_s * 1000), queries[commit]
            return self.moment(commit * case.commit_interval_s, commit)

        attempts = race_of(case, self.profile.together, step, passed_s=started_s - self.site.started_s, rng=self.rng)
        ConcurrentAppends(
            table=self.table,
            step=step,
            rule=conflict_rule(case.catalog),
            started_s=started_s,
            commit_interval_s=case.commit_interval_s,
            draw=draw,
            moment=moment,
        ).append(attempts)
        self.wall_ms = round((started_s + max(attempt.swap_s for attempt in attempts)) * 1000)

    def _commit(self, step: Append, commit: int, operation: str, number: int) -> None:
        event_time_s = commit * self.case.commit_interval_s
        self.pass_time(event_time_s)
        self.log.begin(number, operation, self.wall_ms / 1000, commits=True)
        self.table.within = self.steps.within
        self._write(step, commit, event_time_s)
        self.table.within = None  # of maintenance, which is not the writer's
        self.steps.finish(self.table)
        if self.steps.recipe.statistics is not None:
            self.log.begin(number, operation, self.wall_ms / 1000, commits=False)
            values = distinct_values(self.files, self.table.totals.records)
            self.steps.add_statistics(self.table, values, self.moment(event_time_s, commit))

    def _write(self, step: Append, commit: int, event_time_s: float) -> None:
        if not step.rows_per_commit:
            append_files(self.table, (), self.moment(event_time_s, commit))
            return
        if self.case.key_columns:
            moment = self.moment(event_time_s, commit)
            rows = upserted_rows(self.case, step, commit)
            commit_row_delta(self.table, self.subtasks.write(rows, self.rng), moment)
            return
        if step.operation(commit) == "upsert":
            moment = self.moment(event_time_s, commit)
            changes = upsert(self._statement(moment), step, commit)
            write_and_commit(self.table, changes, moment)
            self.files.forget(changes.removed)
            return
        if not self.profile.keeps_names and commit > 1:
            self.query_id = draw_uuid(self.rng)  # a job of its own for every commit
        commit_files = commit_append if self.profile.upserts == "equality-deletes" else append_files
        commit_files(self.table, self._draw(commit), self.moment(event_time_s, commit))

    def _draw(self, commit: int) -> list[DataFileEntry]:
        numbers = FileNumbers(
            locations=self.table.rules.locations,
            query_id=self.query_id,
            epoch=commit - 1 if self.profile.keeps_names else 0,
            first_task_id=self.task_id,
            wall_ms=self.wall_ms,
        )
        self.task_id += self.case.workload.files_per_commit
        return self.files.draw(commit, numbers, self.rng)

    def operate(self, step: Maintain | Evolve | ChangeRows) -> None:
        """Maintenance, evolution, or a change of rows."""
        self.pass_time(step.event_time_s)
        rows = step.rows_arrived if isinstance(step, ChangeRows) else 0
        at_s = self.wall_ms / 1000
        self.log.enter_step(step.number, step.operation, event_time_s=step.event_time_s, rows_arrived=rows, at_s=at_s)
        moments = self._moments(step)
        match step:
            case Maintain():
                maintain(self.table, self.files, step, moments, first_task_id=self.task_id)
            case Evolve():
                evolve_table(self.table, step, next(moments))
                base = self.table.json.base
                self.files = evolved_files(self.files, step, base.current_schema(), base.default_spec())
            case ChangeRows():
                moment = next(moments)
                changes = change_rows(self._statement(moment), step)
                if changes is not None:
                    write_and_commit(self.table, changes, moment)
                    self.files.forget(changes.removed)

    def _moments(self, step: Maintain | Evolve | ChangeRows) -> Iterator[Moment]:
        """When each commit of a step happens; its events are logged from then on."""
        commits = step.operation in MAKE_SNAPSHOTS
        while True:
            self.log.begin(step.number, step.operation, self.wall_ms / 1000, commits=commits)
            yield self.moment(step.event_time_s, self.table.commits + 1)
            self.pass_time(step.event_time_s)

    def _statement(self, moment: Moment) -> Statement:
        live = live_files(self.table)
        task_id = self.task_id + scan_tasks(live)
        self.task_id = task_id + self.case.workload.files_per_commit
        return Statement(
            locations=self.table.rules.locations,
            properties=TableProperties.read(self.table.json.base.properties),
            live=live,
            files=self.files,
            rng=self.rng,
            task_id=task_id,
            wall_ms=moment.timestamp_ms,
        )

    def moment(self, event_time_s: float, commit: int) -> Moment:
        """When a commit happens, and what of its summary says when and by whom."""
        texts = {
            "query_id": self.query_id,
            "epoch": str(commit - 1),
            "trino_query": trino_query(self.wall_ms, commit),
            "wall_ms": str(self.wall_ms),
            "checkpoint": str(commit),
            "application_ms": str(self.application_ms),
            "job_hex": self.query_id.replace("-", ""),
            "operator_hex": uuid5(UUID(self.query_id), "operator").hex,
            "commit_uuid": draw_uuid(self.rng) if self.draws_commit_uuid else "",
            "control_offset": str(3 * commit * (2 + self.case.workload.files_per_commit) - 5),
            "event_time_iso": f"{datetime.fromtimestamp(self.wall_ms // 1000, UTC):%FT%T}.{self.wall_ms % 1000:03}Z",
        }
        updated_ms = self.wall_ms + int(self.rng.integers(2))
        return Moment(event_time_s=event_time_s, timestamp_ms=self.wall_ms, updated_ms=updated_ms, texts=texts)

    def pass_time(self, event_time_s: float) -> None:
        """Moves the wall clock to the next commit: back to back under the virtual clock, else to its event time.

        Commits come at any millisecond; deflate, under gzip, would notice if ours came at whole seconds.
        """
        pace_ms = self.profile.pace_s * 1000 * max(0.2, 1 + PACE_SPREAD * float(self.rng.standard_normal()))
        if self.case.clock == "virtual":
            self.wall_ms += max(1, round(pace_ms))
        else:
            self.wall_ms = max(self.wall_ms + 1, round((self.site.started_s + event_time_s) * 1000 + pace_ms))
