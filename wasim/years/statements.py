"""What statements that change rows make of a table, on average: files taken out, written again, or deleted from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil, exp, floor, inf

from wasim.twin.snapshot_updates import APPLICATION_KEY
from wasim.twin.statements import merge_counts
from wasim.twin.summary import CommitCounts, FileCounts
from wasim.twin.writing_tasks import DELETED_ROW_BYTES, LEAST_TASK_BYTES
from wasim.years.arrivals import whole
from wasim.years.flows import DATA, DELETES, Flow
from wasim.years.machine.tables import SEEN
from wasim.years.packing import Run
from wasim.years.position_deletes import PositionDeletes
from wasim.years.state import TableState
from wasim.years.touched import (
    NEGLIGIBLE,
    PARTIAL,
    SETTLED,
    SLACK,
    SMALL,
    Class,
    Hits,
    Place,
    TouchedFiles,
    drawn,
    three,
)

# Two strides, every n-th row of the table each, have a file in common here and there, or else several at a time: of a
# manifest of deletes of which an upsert would hit more than `IN_STEP` entries, as many times as many go together, once
# it touches fewer than a third of all files.
# Without that manifests of deletes are 20 % too many over 200 commits that each replace 30 rows of 600.
SPARSE, IN_STEP = 1 / 3, 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What a statement is called in its snapshot, and what a MERGE counts."""

    operation: str = "overwrite"
    is_merge: bool = False
    updated: float = 0.0
    inserted: float = 0.0
    files: float | None = None  # that it writes, where that does not follow from the files that it touches
    more: Mapping[str, str] = field(default_factory=dict)

    def summary(self, *, copied: float) -> Mapping[str, str]:
        """What the summary says apart from counters."""
        if not self.is_merge:
            return self.more
        return merge_counts(copied=max(0, whole(copied)), updated=whole(self.updated), inserted=whole(self.inserted))


@dataclass(slots=True, kw_only=True)
class Statements(TouchedFiles):
    """Carries statements out on a table."""

    deletes: PositionDeletes

    # -- copy-on-write --------------------------------------------------------------------------------------------

    def rewrite(self, state: TableState, hits: Hits, written: float, named: Named) -> None:
        """The files that were hit go, and `written` rows are written in their place."""
        flows, classes = state.flows, self.classes(state)
        removed_records = sum(one.records * share for one, share in zip(classes, hits.row_shares, strict=True))
        is_new = (
            named.files is not None
        )  # rows of its own, of INSERT OVERWRITE; all else keeps ids, in format version 3
        removed_bytes = sum(
            self._bytes(state, one, is_new=is_new or number == SMALL) * share
            for number, (one, share) in enumerate(zip(classes, hits.row_shares, strict=True))
        )
        made, squares = named.files, state.left.squares
        if made is None:
            made = self._made(state, hits, written, named.updated + named.inserted)
        created = self._out_of_manifests(state, hits)
        self._out_of_partitions(state, hits)
        for number in range(3):
            state.left.dead[number] *= 1 - hits.row_shares[number]
            state.left.held[number] *= 1 - hits.shares[number]
        stays = self._share_in_closed(hits, classes) if named.files is None else (0.0, 0.0)
        made_bytes = self._add(state, made, written, hits.place, is_new=is_new, stays=stays)
        if made > 1 and self.workload.is_partitioned:  # files that were hit end in one partition or another
            of_arrived = classes[SMALL].live ** 2 / max(classes[SMALL].files, 1.0)
            of_hit = squares - hits.squares_left + hits.shares[SMALL] * of_arrived
            # of pairs of rows in files apart, those in one partition: few, where a file holds most rows of each
            apart, live = squares + of_arrived, sum(one.live for one in classes)
            pairs = max(0.0, live**2 / state.files.partitions - apart) / max(live**2 - apart, 1.0)
            together = (written**2 - of_hit) * pairs
            state.left.squares += max(0.0, of_hit + together - written**2 / made)
        replaced = state.merge(state.data) + created
        flows[Flow.REMOVED_FILES + DATA] += hits.count
        flows[Flow.REMOVED_FILES + DATA + 1] += removed_bytes
        flows[Flow.ROWS] += written - removed_records
        operation = named.operation
        if (made > NEGLIGIBLE) != (hits.count > NEGLIGIBLE):
            operation = "append" if made > NEGLIGIBLE else "delete"
        self._note(
            state,
            operation,
            CommitCounts(
                manifests_created=whole(created + (made > NEGLIGIBLE)),
                manifests_kept=whole(max(0.0, state.manifests - created - 1)),
                manifests_replaced=whole(replaced),
                added=FileCounts(files=whole(made), records=whole(written), bytes=whole(made_bytes)),
                removed=FileCounts(files=whole(hits.count), records=whole(removed_records), bytes=whole(removed_bytes)),
                changed_partitions=max(1, whole(self._partitions(state, hits, max(hits.count, made)))),
            ),
            named.summary(copied=written - named.updated - named.inserted),
        )

    # -- merge-on-read --------------------------------------------------------------------------------------------

    def delete_by_position(self, state: TableState, hits: Hits, written: float, named: Named) -> None:
        """Delete files take the touched rows out, data files bring `written` rows."""
        flows, deletes, left = state.flows, self.deletes, state.left
        classes = self.classes(state)
        by_partition = deletes.by_partition and not deletes.uses_vectors
        again = [0.0] * 3 if by_partition else self._named_before(state, hits, classes)
        held = sum(left.held)
        earlier = [  # positions that the delete files which are replaced hold
            dead * hit_again / files if files > NEGLIGIBLE else 0.0
            for dead, hit_again, files in zip(left.dead, again, left.held, strict=True)
        ]
        positions = added_bytes = 0.0
        for number, (hit, touched) in enumerate(zip(hits.files, hits.rows, strict=True)):
            if hit <= NEGLIGIBLE:
                continue
            own = touched + earlier[number]
            positions += own
            each = classes[number].records / classes[number].files
            added_bytes += hit * deletes.content_bytes(
                own / hit, each if hits.place == "scattered" else own / hit, scattered=hits.place == "scattered"
            )
            left.dead[number] += touched
            left.held[number] += hit - again[number]
        entries = self._partitions(state, hits, hits.count) if by_partition else hits.count
        if by_partition:
            positions = hits.touched
            added_bytes = entries * deletes.content_bytes(positions / max(entries, 1.0), positions, scattered=True)
        tasks = self._tasks(state, written, hits.touched)
        files = min(float(tasks), entries) if deletes.uses_vectors else entries
        written_bytes = added_bytes + (deletes.around_bytes * files + deletes.vector_footer_bytes * entries) * (
            deletes.uses_vectors
        )
        self._take_over(state, sum(again), held, hits)
        self._list_deletes(state, entries, SEEN if written else 0.0)
        state.newest_deletes = state.commits, entries, written_bytes
        made = self._made(state, hits, written, written, hits.touched)
        made_bytes = self._add(state, made, written, hits.place, is_delta=True)
        if made > NEGLIGIBLE or hits.count > NEGLIGIBLE:
            replaced = state.merge(state.data) + state.merge(state.deletes)
        else:
            replaced = 0.0
        flows[Flow.ROWS] += written
        removed_bytes = self._removed_deletes(state, files, written_bytes, sum(again), held)
        flows[Flow.POSITION_DELETES] += positions - sum(earlier)
        operation = named.operation if made > NEGLIGIBLE or named.operation == "delete" else "delete"
        kind = {"vectors": whole(entries)} if deletes.uses_vectors else {"position_files": whole(entries)}
        gone = {"vectors": whole(sum(again))} if deletes.uses_vectors else {"position_files": whole(sum(again))}
        self._note(
            state,
            operation,
            CommitCounts(
                manifests_created=1 + (made > NEGLIGIBLE),
                manifests_kept=whole(max(0.0, state.manifests - 2)),
                manifests_replaced=whole(replaced),
                added=FileCounts(
                    files=whole(made),
                    records=whole(written),
                    bytes=whole(made_bytes + added_bytes),
                    position_deletes=whole(positions),
                    **kind,
                ),
                removed=FileCounts(bytes=whole(removed_bytes), position_deletes=whole(sum(earlier)), **gone),
                changed_partitions=max(1, whole(self._partitions(state, hits, max(hits.count, made)))),
            ),
            named.summary(copied=0.0),
        )

    def _named_before(self, state: TableState, hits: Hits, classes: list[Class]) -> list[float]:
        """Of the files that were hit, those that a delete file names already, by class."""
        left, again = state.left, []
        for number, (hit, one) in enumerate(zip(hits.files, classes, strict=True)):
            if hits.place == "scattered":
                again.append(hit * min(1.0, left.held[number] / one.files) if one.files > NEGLIGIBLE else 0.0)
            elif number == SMALL:
                again.append(min(left.held[number], self._hit_again(state, hits, one)))
            else:
                again.append(min(left.held[number], max(0.0, hit - left.edge_files)))
        return again

    def _hit_again(self, state: TableState, hits: Hits, one: Class) -> float:
        """Of the files as they arrived, those that statements before hit too."""
        hit = hits.files[SMALL]
        if hits.place == "newest":
            return max(0.0, hit - max(0.0, one.files - state.left.small_seen))
        return self.arrived_files(state, one, hits.rows[SMALL], hits.place)[1] if hit > NEGLIGIBLE else 0.0

    def _take_over(self, state: TableState, again: float, named: float, hits: Hits) -> None:
        """Takes `again` of the `named` files' delete files out of their manifests: others, older, name what is gone."""
        if again <= NEGLIGIBLE or named <= NEGLIGIBLE:
            return
        if hits.place == "scattered":
            share = min(1.0, again / named)
            together = max(1.0, hits.count * share / IN_STEP) if share < SPARSE else 1.0
            together = 1 / (1 - hits.in_step + hits.in_step / together)
            state.deletes.thin({"fresh": share}, state.flows, together, newest=named)
        elif hits.place == "oldest" and state.arrivals.open_partitions > 1 and hits.files[SMALL] > NEGLIGIBLE:
            # any of the statements that began with the same commit
            share = min(1.0, hits.files[SMALL] / state.arrivals.files)
            state.deletes.thin({"fresh": share}, state.flows, newest=again / share)
        else:
            state.deletes.take({"fresh": (again, True)}, state.flows)  # the last such statement wrote them

    def _list_deletes(self, state: TableState, entries: float, siblings: float) -> None:
        """Lists new delete files in a manifest, which has a sibling if rows were written too."""
        if entries > NEGLIGIBLE:
            alike = max(0.0, entries - 1)
            size = self.deletes.manifests.of(entries, 0.0, alike)
            new = Run(count=1.0, bytes=size, fresh=entries, sorted=alike, siblings=siblings, is_new=True)
            state.deletes.runs.append(new)
            state.deletes.note_written(1.0, size, state.flows)

    def _removed_deletes(
        self, state: TableState, files: float, written_bytes: float, again: float, named: float
    ) -> float:
        """Counts delete files as written and, with the entries that were replaced, as removed; bytes removed."""
        flows = state.flows
        live_files = state.live_delete_files
        live_bytes = flows[Flow.WRITTEN_FILES + DELETES + 1] - flows[Flow.REMOVED_FILES + DELETES + 1]
        listed = max(named, live_files)  # more, where compaction took the files that some name
        share = min(1.0, again / listed) if listed > NEGLIGIBLE else 0.0
        flows[Flow.WRITTEN_FILES + DELETES] += files
        flows[Flow.WRITTEN_FILES + DELETES + 1] += written_bytes
        flows[Flow.REMOVED_FILES + DELETES] += share * live_files
        flows[Flow.REMOVED_FILES + DELETES + 1] += share * live_bytes
        return share * live_bytes

    # -- overwrite ------------------------------------------------------------------------------------------------

    def overwrite(self, state: TableState, wanted: float, *, is_dynamic: bool) -> None:
        """INSERT OVERWRITE by the `wanted` newest rows: of the partitions that they touch, or of the whole table."""
        if is_dynamic and wanted <= 0:
            return
        workload, arrivals = self.workload, state.arrivals
        by_partition = is_dynamic and workload.is_partitioned
        if not by_partition:
            state.left.gone = workload.rows_through(state.commits) - wanted
        classes = self.classes(state)
        if by_partition and arrivals.lifetime_s < inf and state.files.rule is None:
            shares = self._newest_shares(state, classes, wanted)
        else:
            shares = [self._overwritten_share(state, wanted) if by_partition else 1.0] * 3
        files = [one.files * share for one, share in zip(classes, shares, strict=True)]
        rows = [one.live * share for one, share in zip(classes, shares, strict=True)]
        hits = Hits(
            place="newest" if by_partition and arrivals.lifetime_s < inf else "scattered",
            files=three(files),
            shares=three(shares),
            row_shares=three(shares),
            rows=three(rows),
            squares_left=state.left.squares * (1 - shares[PARTIAL]),
            together=arrivals.files / arrivals.partitions,
        )
        tasks = min(float(workload.tasks), wanted)
        more = {"replace-partitions": "true"} if is_dynamic else {}
        made = tasks * self._newest_partitions(state, wanted / tasks) if tasks and workload.is_partitioned else tasks
        self.rewrite(state, hits, wanted, Named(files=made, more=more))

    def _newest_shares(self, state: TableState, classes: list[Class], wanted: float) -> list[float]:
        """The share of the files of each class that is in the partitions of the `wanted` newest rows: what came since
        the last statement, or since the oldest of those partitions was opened, and what that statement wrote there.
        """
        left, each, lasts = state.left, state.arrivals.files, state.files.partition_commits
        opened = floor((state.commits - ceil(wanted / self.workload.new_rows_per_commit)) / lasts + SLACK) * lasts
        came = max(0.0, classes[SMALL].files - left.small_seen)
        of_partitions = self._newest_partitions(state, wanted) / state.arrivals.open_partitions
        files, edge = [0.0] * 3, self.edge(state)
        files[SMALL] = min(came, (state.commits - opened) * each) * of_partitions
        if state.commits - came / each > opened:
            files[edge] = min(left.edge_files, classes[edge].files) * of_partitions
        return [
            min(1.0, hit / one.files) if one.files > NEGLIGIBLE else 0.0
            for hit, one in zip(files, classes, strict=True)
        ]

    def _overwritten_share(self, state: TableState, wanted: float) -> float:
        """The share of all partitions that the `wanted` newest rows touch."""
        return self._newest_partitions(state, wanted) / state.files.partitions

    def _newest_partitions(self, state: TableState, rows: float) -> float:
        """Partitions that this number of the newest rows falls into by chance, of those that were opened last."""
        return drawn(min(state.files.partitions, state.arrivals.open_partitions), rows)

    # -- what both do ---------------------------------------------------------------------------------------------

    def _tasks(self, state: TableState, written: float, deleted: float) -> int:
        size = (state.file_bytes.of(written) if written else 0.0) + DELETED_ROW_BYTES * deleted
        return max(1, min(self.workload.tasks, int(size // LEAST_TASK_BYTES)))

    def _made(self, state: TableState, hits: Hits, written: float, new: float, deleted: float = 0.0) -> float:
        """Data files that `written` rows are written into, `new` of which are new or have new values."""
        if written < 0.5:
            return 0.0
        workload = self.workload
        least = state.file_bytes.of(written) / workload.target_file_bytes
        if not workload.is_partitioned:
            tasks = 1 if deleted else self._tasks(state, written, 0.0)
            return float(max(tasks, ceil(least))) if least > 1 else float(tasks)
        return min(written, max(self._partitions(state, hits, max(hits.count, new)), least))

    def _partitions(self, state: TableState, hits: Hits, things: float) -> float:
        """Partitions that this number of the files that were hit, or of their rows, falls into by chance: of all, where
        the number is chance too, or of those that were open when the rows at the end arrived.
        """
        if not self.workload.is_partitioned:
            return 1.0
        if hits.place == "scattered":
            every = state.files.partitions
            return every * (1 - exp(-things / every))
        newest = hits.place == "newest"
        first = self.workload.rows_through(state.commits) - hits.touched if newest else state.left.gone
        lasts = self.workload.new_rows_per_commit * state.files.partition_commits
        units = floor((first + hits.touched - SLACK) / lasts) - floor(first / lasts) + 1
        return drawn(units * state.arrivals.open_partitions, things)

    def _bytes(self, state: TableState, one: Class, *, is_new: bool) -> float:
        if one.files <= NEGLIGIBLE:
            return 0.0
        rows = one.records / one.files
        return one.files * (
            state.file_bytes.of(rows) if is_new else state.file_bytes.of_compacted(rows, state.arrivals)
        )

    def _out_of_manifests(self, state: TableState, hits: Hits) -> float:
        if hits.count <= NEGLIGIBLE:
            return 0.0
        if hits.place == "scattered":
            kinds = {"fresh": hits.shares[SMALL], "partial": hits.shares[PARTIAL], "settled": hits.shares[SETTLED]}
            return state.data.thin(kinds, state.flows, hits.together)
        newest = hits.place == "newest"
        wanted = {}
        for kind, number in (("fresh", SMALL), ("partial", PARTIAL), ("settled", SETTLED)):
            # what the last such statement wrote stands in a young manifest
            wanted[kind] = hits.files[number], newest or number == self.edge(state)
        return state.data.take(wanted, state.flows)

    def _out_of_partitions(self, state: TableState, hits: Hits) -> None:
        files = state.files
        for one in files.cohorts:
            one.small_files *= 1 - hits.shares[SMALL]
            one.small_rows *= 1 - hits.row_shares[SMALL]
            one.partial_files *= 1 - hits.shares[PARTIAL]
            one.partial_rows *= 1 - hits.row_shares[PARTIAL]
        files.settled_files *= 1 - hits.shares[SETTLED]
        files.settled_rows *= 1 - hits.row_shares[SETTLED]
        state.left.squares = hits.squares_left

    def _share_in_closed(self, hits: Hits, classes: list[Class]) -> tuple[float, float]:
        """Of the files that were hit, and of their rows, those in closed partitions: what they become stays there."""
        rows = [one.live * share for one, share in zip(classes, hits.row_shares, strict=True)]
        if hits.place != "scattered" or not self.workload.is_partitioned or sum(rows) <= NEGLIGIBLE:
            return 0.0, 0.0
        return hits.files[SETTLED] / hits.count, rows[SETTLED] / sum(rows)

    def _add(
        self,
        state: TableState,
        made: float,
        rows: float,
        place: Place,
        *,
        is_delta: bool = False,
        is_new: bool = False,
        stays: tuple[float, float] = (0.0, 0.0),
    ) -> float:
        """Adds data files of this many rows to the table, listed by a manifest; their bytes. No compaction takes the
        shares, of small files and of their rows, that `stays` gives.
        """
        if place != "scattered":
            state.left.edge_files, state.left.edge_rows = made, rows
        if made <= NEGLIGIBLE:
            return 0.0
        files, each = state.files, rows / made
        is_small = files.is_small(each)
        settled, settled_rows = (made * stays[0], rows * stays[1]) if is_small else (made, rows)
        partial = made - settled
        if is_small:
            files.adds_anywhere |= is_delta and place == "scattered" and self.workload.is_partitioned
            holders = files.cohorts if place == "scattered" else files.cohorts[-1:]
            every = sum(one.partitions for one in holders)
            for one in holders:
                one.partial_files += partial / every
                one.partial_rows += (rows - settled_rows) / every
            state.left.squares += partial * each * each
        files.settled_files += settled
        files.settled_rows += settled_rows
        sizes = state.sizes.data_manifests
        if files.rule is None and not any(run.sorted for run in state.data.runs):  # sorted, they stand apart
            sizes = sizes.of_statements(made)
        state.data.bytes_of = sizes.of
        size = sizes.of(0.0, made, 0.0)
        state.data.runs.append(Run(count=1.0, bytes=size, partial=partial, settled=settled, is_new=True))
        state.data.note_written(1.0, size, state.flows)
        made_bytes = self._bytes(state, Class(files=made, records=rows, live=rows), is_new=is_new)
        state.flows[Flow.WRITTEN_FILES + DATA] += made
        state.flows[Flow.WRITTEN_FILES + DATA + 1] += made_bytes
        return made_bytes

    def change_nothing(self, state: TableState, named: Named) -> None:
        """A statement that touches no row, which Spark commits."""
        counts = CommitCounts(manifests_kept=whole(state.manifests))
        self._note(state, named.operation, counts, named.summary(copied=0.0))

    def _note(self, state: TableState, operation: str, counts: CommitCounts, more: Mapping[str, str]) -> None:
        state.left.small_seen = state.files.by_class[SMALL][0]
        state.note_operation(counts, operation=operation, own=(APPLICATION_KEY,), more=more)
