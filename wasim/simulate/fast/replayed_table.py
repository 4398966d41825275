"""The state that a replay advances: runs of manifests, small data files and large ones, in numbers alone."""

from itertools import pairwise
from math import ceil, floor

import numpy as np

from wasim.errors import WasimError
from wasim.simulate.compaction import LEAST_SHARE, MOST_SHARE
from wasim.simulate.fast.history import REWRITE_DATA_FILES, REWRITE_MANIFESTS, TURN_WIDTH
from wasim.simulate.fast.maintained_model import MaintainedModel
from wasim.simulate.fast.recurring import Rows
from wasim.simulate.fast.rounds import Sums, state_of
from wasim.simulate.fast.runs import Bin, ManifestRun, bins_due, joined, pack_runs, total_bytes, total_count
from wasim.simulate.fast.sizes import Line
from wasim.simulate.fast.summaries import digits_of
from wasim.simulate.manifest_rewriting import refuse_several_partitioned
from wasim.units import Floats, Ints

_OF_COMPACTION = [1, 4, 5, 7, 8]  # places in a row of replacements: commits, files and bytes removed, and those left


class ReplayedTable:
    """A table after some commits.

    `turns` hold snapshot, live manifests, manifests written beside an append's own, their bytes, manifests dropped,
    their bytes, and bytes spared in lists. `replacements` hold snapshot, commits, event time, kind, data files removed,
    their bytes, manifests replaced, data files and bytes then live, and the rows of what was compacted. Their bytes
    are those of the first round; `compactions` hold files and bytes of every single one, after its commits.
    """

    def __init__(self, model: MaintainedModel) -> None:
        self.model = model
        appends, self.laws, self.target = model.appends, model.manifests, float(model.appends.target_manifest_bytes)
        self.compaction = model.upkeep.maintenance.rewrite_data_files
        self.files, self.file_bytes = appends.files_per_commit, appends.data_bytes_per_commit
        self.takes_new = self._is_small(self.file_bytes / self.files)
        self.commits = self.snapshots = 0
        self.runs: list[ManifestRun] = []
        self.small_files, self.small_rows, self.small_bytes = 0.0, 0.0, 0.0
        self.kept_files, self.kept_bytes = 0.0, 0.0
        self.sums = Sums()
        self.turns, self.replacements, self.compactions = Rows(TURN_WIDTH), Rows(10), Rows(len(_OF_COMPACTION))
        self.turns.append((1, 1, 0, 0.0, 0, 0.0, 0.0))

    @property
    def live_files(self) -> float:
        """Data files that are there."""
        return self.small_files + self.kept_files

    @property
    def live_data_bytes(self) -> float:
        """Their bytes."""
        return self.small_bytes + self.kept_bytes

    def is_due(self, kind: int, most: int) -> bool:
        """Whether there are as many small data files, or manifests, as call for it."""
        return (self.small_files if kind == REWRITE_DATA_FILES else total_count(self.runs)) >= most

    def state(self) -> tuple[object, ...]:
        """What decides all that follows, but for the sizes of compacted files and what falls due by period."""
        return state_of(self.runs, self.small_files)

    def append(self, most: int, *, small_files: int | None, manifests: int | None) -> None:
        """Appends, at most so many and one at least, until there may be too many small files or manifests."""
        if small_files is not None and self.takes_new:
            most = min(most, max(1, ceil((small_files - self.small_files) / self.files)))
        if manifests is not None:
            most = min(most, max(1, manifests - total_count(self.runs)))
        if self.model.appends_merge:
            most = self._append_merging(most)
        else:
            self._add(most)
        self.commits += most
        self.snapshots += most
        if self.takes_new:
            self.small_files += most * self.files
            self.small_bytes += most * self.file_bytes
            self.small_rows += most * self.model.appends.rows_per_commit
        else:
            self.kept_files += most * self.files
            self.kept_bytes += most * self.file_bytes

    def replace(self, kind: int, event_time_s: float) -> None:
        """Rewrites manifests or data files, where there is something to rewrite."""
        rows = self.small_rows if kind == REWRITE_DATA_FILES else 0.0
        done = self._rewrite_manifests() if kind == REWRITE_MANIFESTS else self._rewrite_data_files()
        if done is not None:
            at = (self.snapshots, self.commits, event_time_s, kind)
            row = (*at, *done, self.live_files, self.live_data_bytes, rows)
            self.replacements.append(row)
            if kind == REWRITE_DATA_FILES:
                self.compactions.append([row[place] for place in _OF_COMPACTION])

    def replace_again(self, again: Floats, steps: Floats) -> None:
        """Notes rounds of replacements, as many as take the same digits at once."""
        self.compactions.again(
            again[again[..., 3] == REWRITE_DATA_FILES][:, _OF_COMPACTION], [0.0] * len(_OF_COMPACTION), 1
        )
        digits = self.digits(again)
        starts = [0, *(1 + np.flatnonzero((np.diff(digits, axis=0) != 0).any(axis=1))).tolist()]
        for start, stop in pairwise([*starts, len(again)]):
            self.replacements.again(again[start], steps.tolist(), stop - start)

    def digits(self, replacements: Floats) -> Ints:
        """Digits of the numbers in the summaries of some of `replacements` that grow with the table."""
        rows = np.moveaxis(replacements, -1, 0)
        records, removed = rows[1] * self.model.appends.rows_per_commit, rows[4]
        digits = sum(digits_of(numbers) for numbers in (records, rows[7], rows[8], rows[6]))
        # deleted files and their bytes, and the records that a compaction both deletes and adds
        of_compaction = digits_of(removed) + 2 * digits_of(rows[5]) + 2 * digits_of(records)
        return np.asarray(digits + (rows[3] == REWRITE_DATA_FILES) * of_compaction)

    def rounds_until_large(self, rows: Floats, commits: int, most: int) -> int:
        """Of so many rounds of so many commits, those whose compacted files all stay small.

        `rows` are those of a round's compactions. Without any there is nothing that could come round again.
        """
        if self.compaction is None or not len(rows) or most < 1:
            return 0
        target, parts = self.compaction.target_file_size_bytes, self.model.partitions
        step, arriving = commits * self.model.appends.rows_per_commit, commits * self.file_bytes / parts
        low, high = 0, most
        while low < high:
            middle = (low + high + 1) // 2
            made = float(self.laws.data_file.at((float(rows.max()) + middle * step) / parts))
            if self._is_small(made) and made < target and made + arriving < target:
                low = middle
            else:
                high = middle - 1
        return low

    def resize(self, again: Floats, before: Floats) -> float:
        """Gives replacements that came again, after those `before`, the sizes of their own; what compaction wrote."""
        parts, compacts = self.model.partitions, again[:, 3] == REWRITE_DATA_FILES
        earlier = before[before[:, 3] == REWRITE_DATA_FILES][-1:]
        compactions = np.concatenate([earlier, again[compacts]])
        made = parts * self.laws.data_file.at(compactions[:, 9] / parts)
        again[compacts, 5] = made[:-1] + np.diff(compactions[:, 1]) * self.file_bytes
        latest = np.cumsum(compacts)
        since = again[:, 1] - compactions[latest, 1]
        again[:, 8] = self.kept_bytes + made[latest] + since * self.file_bytes
        self.small_bytes = float(again[-1, 8]) - self.kept_bytes
        return float(made[1:].sum())

    def _is_small(self, file_bytes: float) -> bool:
        if self.compaction is None:
            return False
        target = self.compaction.target_file_size_bytes
        return not int(LEAST_SHARE * target) <= file_bytes <= int(MOST_SHARE * target)

    def _add(self, count: int) -> None:
        """So many manifests of appends, newest."""
        small = float(self.files) if self.takes_new else 0.0
        new = ManifestRun(count=count, bytes=self.laws.new_bytes, small=small, kept=self.files - small)
        self.runs = joined([new, *self.runs]) if self.runs else [new]

    def _turn(self, *, written: int, written_bytes: float, dropped: int, dropped_bytes: float) -> None:
        live = total_count(self.runs)
        spared = sum(run.count * run.spares for run in self.runs)
        self.turns.append((self.snapshots, live, written, written_bytes, dropped, dropped_bytes, spared))

    def _append_merging(self, most: int) -> int:
        """Merging appends: as many as merge nothing, or the one that does. How many were made."""
        if self.runs and all(run.live for run in self.runs):
            quiet = min(most, self._quiet())
            if quiet:
                self._add(quiet)
                return quiet
        dead = [run for run in self.runs if not run.live]
        self.runs = [run for run in self.runs if run.live]
        self._add(1)
        self.runs[0].count -= 1
        self.runs.insert(0, self.runs[0].part(1))
        self.runs[0].own = True
        self.runs[0].entries = float(self.files)
        self.runs = [run for run in self.runs if run.count]
        self.snapshots += 1
        written, written_bytes, dropped, dropped_bytes = self._merge(self.laws.merged)
        dropped, dropped_bytes = dropped + total_count(dead), dropped_bytes + total_bytes(dead)
        if written or dropped:
            self._turn(written=written, written_bytes=written_bytes, dropped=dropped, dropped_bytes=dropped_bytes)
        self.snapshots -= 1
        return 1

    def _quiet(self) -> int:
        """Appends until the newest bin is full or counts enough; 0 while other bins wait to be merged."""
        appends = self.model.appends
        if not self.model.merge_enabled:
            return self.model.upkeep.commits
        bins = pack_runs(self.runs, self.target)
        if any(total_count(one) > 1 for one in bins[1:]):
            return 0
        newest = bins[0]
        fit = floor((self.target - total_bytes(newest)) / self.laws.new_bytes)
        return max(0, min(max(appends.min_count_to_merge, 2) - total_count(newest) - 1, fit))

    def _merge(self, law: Line) -> tuple[int, float, int, float]:
        """Merges the bins that are due; manifests written and dropped, with their bytes. None is own afterwards."""
        bins = pack_runs(self.runs, self.target) if self.model.merge_enabled else [self.runs]
        written, written_bytes, dropped, dropped_bytes = 0, 0.0, 0, 0.0
        result: list[ManifestRun] = []
        for one, due in zip(bins, self._bins_due(bins), strict=True):
            if not due:
                result += one
                continue
            own = [run for run in one if run.own]
            others = [run for run in one if not run.own]
            self.sums.unused += total_count(own)
            self.sums.unused_bytes += total_bytes(own)
            dropped += total_count(others)
            dropped_bytes += total_bytes(others)
            result.append(_merged(one, law))
            written, written_bytes = written + 1, written_bytes + result[-1].bytes
        for run in result:
            run.own, run.entries = False, 0.0
        self.runs = joined(result)
        return written, written_bytes, dropped, dropped_bytes

    def _bins_due(self, bins: list[Bin]) -> list[bool]:
        if not self.model.merge_enabled:
            return [False] * len(bins)
        return bins_due(bins, self.model.appends.min_count_to_merge)

    def _rewrite_manifests(self) -> tuple[float, float, float] | None:
        found, size = total_count(self.runs), total_bytes(self.runs)
        if found <= 1 and size <= self.target:
            return None
        entries = sum(run.count * run.live for run in self.runs)
        kept = sum(run.count * run.kept for run in self.runs)
        made = min(max(1, ceil(size / self.target)), max(1, round(entries)))
        if made > 1 and self.model.is_partitioned:
            refuse_several_partitioned(size, int(self.target))
        each = self.laws.rewritten.at(entries / made)
        self.snapshots += 1
        spares = self.laws.rewritten_spares if made > 1 else 0.0
        self.runs = [
            ManifestRun(count=made, bytes=each, small=(entries - kept) / made, kept=kept / made, spares=spares)
        ]
        self._turn(written=made, written_bytes=made * each, dropped=found, dropped_bytes=size)
        return 0.0, 0.0, float(found)

    def _rewrite_data_files(self) -> tuple[float, float, float] | None:
        compaction, parts = self.compaction, self.model.partitions
        if compaction is None or not self.small_files:
            return None
        target = compaction.target_file_size_bytes
        if self.small_bytes / parts >= target:
            raise WasimError(
                f"rewrite_data_files of {self.small_bytes / parts:,.0f} B of small files in one partition would write"
                f" several (the target is {target} B), which is not simulated. Give a larger target_file_size_bytes, or"
                " use engine spark."
            )
        each = self.small_files / parts
        if each <= 1 or each < compaction.min_input_files:
            return None
        made_bytes = float(self.laws.data_file.at(self.small_rows / parts))
        stays_small = self._is_small(made_bytes)
        removed_files, removed_bytes = self.small_files, self.small_bytes
        self.snapshots += 1
        replaced = self._filter(stays_small=stays_small)
        self.sums.data_files += parts
        self.sums.data_bytes += parts * made_bytes
        self.small_files, self.small_bytes = (parts, parts * made_bytes) if stays_small else (0.0, 0.0)
        if not stays_small:
            self.small_rows = 0.0
            self.kept_files += parts
            self.kept_bytes += parts * made_bytes
        return removed_files, removed_bytes, replaced

    def _filter(self, *, stays_small: bool) -> float:
        """Takes the small files out of all manifests, and lists what was made of them; how many were replaced."""
        parts = float(self.model.partitions)
        filtered, left, gone = [], [], []
        for run in self.runs:
            if run.small:
                gone.append(run)
                size = self.laws.filtered.at(run.live)
                new = ManifestRun(
                    count=run.count,
                    bytes=size,
                    small=0.0,
                    kept=run.kept,
                    entries=run.live,
                    own=True,
                    spares=self.laws.filtered_spares,
                )
                filtered.append(new)
                left.append(new)
            elif run.kept:
                left.append(run)
            else:
                gone.append(run)  # a merging commit drops what has nothing but deleted entries
        new = ManifestRun(
            count=1,
            bytes=self.laws.compacted.at(parts),
            small=parts if stays_small else 0.0,
            kept=0.0 if stays_small else parts,
            entries=parts,
            own=True,
        )
        own_bytes = total_bytes(filtered) + new.bytes
        own = total_count(filtered) + 1
        self.runs = [new, *left]
        written, written_bytes, dropped, dropped_bytes = self._merge(self.laws.gathered)
        self._turn(
            written=own + written,
            written_bytes=own_bytes + written_bytes,
            dropped=total_count(gone) + dropped,
            dropped_bytes=total_bytes(gone) + dropped_bytes,
        )
        return float(total_count(filtered) + dropped)


def _merged(runs: Bin, law: Line) -> ManifestRun:
    """What a bin becomes: own manifests with their deleted entries, others with their live ones."""
    entries = sum(run.count * (run.entries if run.own else run.live) for run in runs)
    return ManifestRun(
        count=1,
        bytes=law.at(entries),
        small=sum(run.count * run.small for run in runs),
        kept=sum(run.count * run.kept for run in runs),
    )
