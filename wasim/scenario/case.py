"""One point of a sweep, complete: everything an engine needs to know, and the key that names it."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from math import ceil, floor
from pathlib import Path

from wasim.iceberg.properties import MERGE_MODE, MODE_KEYS, TableProperties
from wasim.rules.trigger import commits_of
from wasim.scenario.changes import Changes, Delete, Evolution, ExpireSnapshots, Maintenance, Merge, Update
from wasim.scenario.parts import EQUALITY_DELETES, Environment, Planning, Table, Workload, Writer
from wasim.scenario.rests import Rests
from wasim.scenario.values import Part
from wasim.units import DAY_S, format_duration


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A table, a workload, a writer, one commit interval. `swept` holds what distinguishes it from its siblings."""

    scenario: str
    table: Table
    workload: Workload
    writer: Writer
    changes: Changes = field(default_factory=Changes)
    maintenance: Maintenance = field(default_factory=Maintenance)
    evolution: tuple[Evolution, ...] = ()
    environment: Environment
    planning: Planning
    commit_interval_s: float
    horizon_s: float
    clock: str
    seed: int
    repetition: int
    swept: dict[str, str]
    own_expiry: ExpireSnapshots | None = None  # the writer's, with each of its commits and at no other time
    raced_in: str | None = None  # of predictions: the catalog whose times and rules commits have, not the environment's
    rests: Rests | None = None  # of a case whose commits are those with rows of one that rests: what real time is

    @property
    def commits(self) -> int:
        """N = H / Δ, whole commits only."""
        return whole_commits(horizon_s=self.horizon_s, commit_interval_s=self.commit_interval_s)

    @property
    def catalog(self) -> str:
        """The catalog whose times and rules commits have."""
        return self.raced_in or self.environment.catalog

    @property
    def rows_per_commit(self) -> int:
        """Rows that arrive within one commit interval, at least one."""
        return rows_within(commit_interval_s=self.commit_interval_s, rows_per_second=self.workload.rows_per_second)

    @property
    def replaced_rows_per_commit(self) -> int:
        """Rows of each commit but the first that replace earlier ones: none unless the writer upserts."""
        return round(self.writer.upsert.share * self.rows_per_commit) if self.writer.upsert else 0

    @property
    def rotating_place(self) -> int | None:
        """The place of the column that `partitions_per_commit` walks through; None where that is not given."""
        rotating = self.table.rotating_column if self.workload.partitions_per_commit is not None else None
        return None if rotating is None else self.table.all_columns.index(rotating)

    @property
    def key_columns(self) -> tuple[str, ...]:
        """Columns by which a writer of equality deletes knows rows again; none for all other writers."""
        upsert = self.writer.upsert
        return upsert.key if upsert is not None and upsert.mode == EQUALITY_DELETES else ()

    @property
    def commits_made(self) -> int:
        """Commits that the writer makes within the horizon: all, but for intervals without rows that end in none."""
        return sum(commits for _, commits, _ in self.appends(1, self.commits))

    def appends(self, first: int, through: int) -> Iterator[tuple[int, int, bool]]:
        """The writer's commits from one to another, both with it: the first of each run, how many, and whether they
        bring rows; a commit without any is a run of its own. Intervals that end in no commit are in none.
        """
        active = self.workload.active
        if active is None:
            yield first, through - first + 1, True
            return
        times_us = [microseconds(one) for one in (active.every, active.lasts, self.commit_interval_s)]
        yield from commits_of(first, through, times_us, self.writer.idle_commit_every)

    @property
    def expires_itself(self) -> bool:
        """Whether the writer's own expiry is the one that counts."""
        return self.own_expiry is not None and self.maintenance.expire_snapshots == self.own_expiry

    @property
    def ends_s(self) -> float:
        """The event time that the case ends at, whether rows come then or not."""
        return self.horizon_s if self.rests is None else self.rests.intervals * self.commit_interval_s

    def without_rests(self) -> "Case":
        """The case of its commits with rows, as if they followed each other; `rests` tells when they come."""
        active = self.workload.active
        if active is None:
            return self
        every_us, lasts_us, interval_us = (
            microseconds(one) for one in (active.every, active.lasts, self.commit_interval_s)
        )
        rests = Rests(
            every_us=every_us,
            lasts_us=lasts_us,
            interval_us=interval_us,
            intervals=self.commits,
            idle_every=self.writer.idle_commit_every,
        )
        workload = self.workload.model_copy(update={"active": None})
        return replace(self, workload=workload, horizon_s=rests.commits * self.commit_interval_s, rests=rests)

    def commits_by(self, event_time_s: float) -> int:
        """Commits that the writer has made by this event time."""
        return min(self.commits, multiples_within(event_time_s, of=self.commit_interval_s))

    def rows_through(self, commit: int) -> int:
        """Different rows that the writer has brought once its commit with this number, from 1, is made; 0 before."""
        return max(0, commit * self.rows_per_commit - max(0, commit - 1) * self.replaced_rows_per_commit)

    def over(self, horizon_s: float) -> "Case":
        """The case over another horizon, cut to whole commits."""
        return replace(self, horizon_s=covered_s(horizon_s=horizon_s, commit_interval_s=self.commit_interval_s))

    @property
    def all_properties(self) -> tuple[Mapping[str, str], ...]:
        """All properties that the table ever is given: those that it begins with, then each evolution's."""
        return self.table.properties, *(one.set_properties or {} for one in self.evolution)

    @property
    def only_appends(self) -> bool:
        """Whether appends are all that happens to the table."""
        return not (self.changes_rows or self.evolution or self.has_maintenance)

    @property
    def is_appends_of_one_writer(self) -> bool:
        """Whether one writer's appends are all that happens to the table, which is what the cost equations are of."""
        return self.only_appends and self.writer.writers == 1

    @property
    def has_changes(self) -> bool:
        """Whether statements change rows, apart from the writer's commits."""
        return any(change is not None for _, change in self.changes)

    @property
    def changes_rows(self) -> bool:
        """Whether statements or the writer itself change rows that are there."""
        return self.has_changes or self.writer.upsert is not None

    @property
    def change_modes(self) -> dict[str, str]:
        """How rows are changed, as properties of the table, defaults included."""
        modes: dict[str, str] = {
            MODE_KEYS[name]: change.mode for name, change in self.changes if isinstance(change, Update | Delete | Merge)
        }
        upsert = None if self.key_columns else self.writer.upsert
        return modes | ({MERGE_MODE: upsert.mode} if upsert else {})

    @property
    def has_maintenance(self) -> bool:
        """Whether anything keeps the table in order."""
        return any(job is not None for _, job in self.maintenance)

    @property
    def merges(self) -> bool:
        """Whether commits are Iceberg's MergeAppend; else FastAppend. Spark's own default unless the scenario says."""
        return (self.writer.append or self.writer.default_append) == "merge"

    @property
    def merging_s(self) -> float:
        """How long appends that merge take to gather as many manifests as they merge; 0 where none do."""
        if not (self.merges or self.key_columns):
            return 0.0
        return TableProperties.read(self.table.properties).merged_from * self.commit_interval_s

    def cycle_s(self, horizon_s: float) -> float:
        """The time in which each job, statement and merge that comes within a horizon comes once; 0 where none does."""
        jobs = (job for part in (self.maintenance, self.changes) for _, job in part if job is not None)
        periods_s = [job.every or job.counted[1] * self.commit_interval_s for job in jobs]
        return max((one for one in (*periods_s, self.merging_s) if one <= horizon_s), default=0.0)

    def full_cycle_s(self, horizon_s: float) -> float:
        """The same in whole days, one at least: a cycle whose length is no multiple of a job's has more of it, or less,
        whenever it ends.
        """
        return ceil(max(DAY_S, self.commit_interval_s, self.cycle_s(horizon_s)) / DAY_S) * DAY_S

    def cycle_since_s(self, least_s: float) -> float:
        """The event time at which the last full cycle before the end begins; where the case is shorter, so many seconds
        before the end at least.
        """
        full_s, ends_s = self.full_cycle_s(self.ends_s), self.ends_s
        return ends_s - full_s if full_s <= ends_s else max(0.0, ends_s - max(least_s, self.cycle_s(ends_s)))

    @property
    def label(self) -> str:
        """What a person calls this case: `streaming every 5s`, then whatever else was swept."""
        others = [self._swept(field, value) for field, value in self.swept.items() if not _in_label_already(field)]
        repeated = [f"#{self.repetition + 1}"] if self.repetition else []
        return " ".join([f"{self.writer_name} every {format_duration(self.commit_interval_s)}", *others, *repeated])

    def _swept(self, field: str, value: str) -> str:
        """`commit_interval=1m`; of changes and maintenance what there is, and the period or count that brings it, as
        `expire_snapshots/2m + rewrite_manifests/50 manifests`.
        """
        if field not in ("changes", "maintenance"):
            return f"{_brief(field)}={value}"
        named = []
        for name, given in getattr(self, field):
            if given is not None and given.every is not None:
                named.append(f"{name}/{format_duration(given.every)}")
            elif given is not None:
                counted, least = given.counted
                named.append(f"{name}/{least} {counted.replace('_', ' ')}")
        return " + ".join(named) or f"no {field}"

    @property
    def writer_name(self) -> str:
        """`streaming`, `streaming-foreach`, `batch`, `4×batch` or a profile's name, with `+merge` where it is not the
        writer's default; `mine-batch` is the profile mine of a batch writer.
        """
        kind = self.writer.kind
        name = Path(self.writer.profile).stem if self.writer.profile else kind
        name += f"-{kind}" if kind == "batch" and kind not in name else ""
        name += "-foreach" if self.writer.sink == "foreach_batch" else ""
        name += "-upsert" if self.writer.upsert else ""
        name = name if self.writer.writers == 1 else f"{self.writer.writers}×{name}"
        return name if self.writer.append in (None, self.writer.default_append) else f"{name}+{self.writer.append}"

    def document(self) -> dict[str, object]:
        """The case as plain JSON values, for saving and hashing."""
        raced_in = {} if self.raced_in is None else {"raced_in": self.raced_in}
        return {name: _plain(name, getattr(self, name)) for name in _SAVED} | raced_in

    def key(self, versions: dict[str, str]) -> str:
        """Twelve hex digits of a hash of the inputs and the versions that produce the bytes."""
        text = json.dumps([self.document(), versions], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


_SLACK = 1e-4  # of a commit interval


def whole_commits(*, horizon_s: float, commit_interval_s: float) -> int:
    """Commits within a horizon; a little slack for intervals that are no binary fraction."""
    return floor(horizon_s / commit_interval_s + _SLACK)


def multiples_within(time_s: float, *, of: float) -> int:
    """How many multiples of a period there are from it up to a time; both in seconds, compared in microseconds."""
    return microseconds(time_s) // microseconds(of)


def microseconds(seconds: float) -> int:
    """Whole microseconds, at least one: what times are compared in, so that 0.7 s × 10 is 7 s."""
    return max(1, round(seconds * 1e6))


def covered_s(*, horizon_s: float, commit_interval_s: float) -> float:
    """The horizon cut to whole commits."""
    covered = commit_interval_s * whole_commits(horizon_s=horizon_s, commit_interval_s=commit_interval_s)
    return covered if horizon_s - covered > _SLACK * commit_interval_s else horizon_s


def rows_within(*, commit_interval_s: float, rows_per_second: float) -> int:
    """Rows that arrive within one commit interval, at least one."""
    return max(1, round(rows_per_second * commit_interval_s))


def case_from_document(document: dict[str, object]) -> Case:
    """The case that `Case.document` described; pydantic's ValidationError if it is not one."""
    made = {name: _PARTS[name].model_validate(value) if name in _PARTS else value for name, value in document.items()}
    made["evolution"] = tuple(Evolution.model_validate(one) for one in document["evolution"])  # type: ignore[attr-defined]
    return Case(**made)  # type: ignore[arg-type]


def _plain(name: str, value: object) -> object:
    """A field of a case as JSON; of what may happen to the table only what is given."""
    if isinstance(value, tuple):
        return [_plain(name, one) for one in value]
    happens = name in ("changes", "maintenance", "evolution")
    return value.model_dump(mode="json", exclude_none=happens) if isinstance(value, Part) else value


def _in_label_already(field: str) -> bool:
    part, _, name = field.partition(".")
    named = ("", "kind", "profile", "sink", "append", "writers", "upsert")
    return field == "commit_interval" or (part == "writer" and name in named)


def _brief(field: str) -> str:
    """A swept field without the parts that say where it stands: `table.columns.payload.count` → `payload.count`."""
    for part in _UNSAID:
        field = field.removeprefix(part)
    return field


_UNSAID = (
    "table.", "changes.", "maintenance.", "columns.", "partition_by.", "properties.", "workload.", "planning.",
    "environment.", "spark.", "writer.",
)  # fmt: skip
_SAVED = tuple(one.name for one in fields(Case) if one.name not in ("own_expiry", "raced_in", "rests"))
_PARTS = {one.name: one.type for one in fields(Case) if isinstance(one.type, type) and issubclass(one.type, Part)}
