"""The state that a replay advances: runs of manifests, small data files and large ones, in numbers alone."""

from itertools import pairwise
from math import ceil

import numpy as np

from wasim.errors import WasimError
from wasim.twin.compaction import LEAST_SHARE, MOST_SHARE
from wasim.twin.fast.arrivals import rows_left
from wasim.twin.fast.history import REWRITE_DATA_FILES
from wasim.twin.fast.maintained_model import MaintainedModel
from wasim.twin.fast.recurring import Rows
from wasim.twin.fast.replayed_manifests import Filtered, ReplayedManifests
from wasim.twin.fast.rounds import Sums, state_of
from wasim.twin.fast.runs import ManifestRun
from wasim.twin.fast.summaries import digits_of, removed_deletes_bytes
from wasim.twin.merging import MergePolicy
from wasim.units import Floats, Ints

_REPLACEMENT_WIDTH = 13
# Places in a row of replacements: commits, files and bytes removed and left, commits whose deletes were, and rows.
_OF_COMPACTION = [1, 4, 5, 7, 8, 10, 11, 12]


class ReplayedTable:
    """A table after some commits.

    `tracks` are its manifests of data and, where the writer deletes by key, of deletes. `replacements` hold snapshot,
    commits, event time, kind, data files removed, their bytes, manifests replaced, data files and bytes then live, the
    rows of what was compacted, the commits whose deletes were removed and those whose deletes are there, and rows.
    What is counted there is of the first of like rounds; `compactions` hold those of every single one.
    """

    def __init__(self, model: MaintainedModel) -> None:
        self.model = model
        appends = model.appends
        self.compaction = model.upkeep.maintenance.rewrite_data_files
        self.files, self.file_bytes = appends.files_per_commit, appends.data_bytes_per_commit
        self.takes_new = self._is_small(self.file_bytes / self.files)
        self.commits = self.snapshots = 0
        self.small_files, self.small_bytes = 0.0, 0.0
        self.kept_files, self.kept_bytes, self.kept_rows = 0.0, 0.0, 0.0
        self.kept_at = 0  # the commits when small files last became one that is left alone
        self.sums = Sums()
        self.tracks = self._tracks()
        self.replacements, self.compactions = Rows(_REPLACEMENT_WIDTH), Rows(len(_OF_COMPACTION))

    def _tracks(self) -> list[ReplayedManifests]:
        model = self.model
        small = float(self.files) if self.takes_new else 0.0
        new = [ManifestRun(count=1, bytes=model.manifests.new_bytes, small=small, kept=self.files - small)]
        laws = [model.manifests]
        if model.upserts is not None:
            laws.append(model.upserts.manifests)
            new.append(ManifestRun(count=1, bytes=laws[1].new_bytes, small=1.0, kept=0.0))
        policy = MergePolicy(
            enabled=model.merge_enabled,
            min_count=model.appends.min_count_to_merge,
            target_bytes=model.appends.target_manifest_bytes,
        )
        return [
            ReplayedManifests(laws=one, new=run, policy=policy, is_partitioned=model.is_partitioned)
            for one, run in zip(laws, new, strict=True)
        ]

    @property
    def live_files(self) -> float:
        """Data files that are there."""
        return self.small_files + self.kept_files

    @property
    def live_data_bytes(self) -> float:
        """Their bytes."""
        return self.small_bytes + self.kept_bytes

    @property
    def live_deletes(self) -> float:
        """The commits whose delete files are there."""
        return sum(run.count * run.live for track in self.tracks[1:] for run in track.runs)

    def small_rows(self, commits: int | Floats) -> Floats:
        """Rows left of those in small files after so many commits: what compaction would write."""
        return rows_left(self.model.appends, commits, since=self.kept_at)

    def is_due(self, kind: int, most: int) -> bool:
        """Whether there are as many small data files, or manifests, as call for it."""
        return (self.small_files if kind == REWRITE_DATA_FILES else self._manifests()) >= most

    def _manifests(self) -> int:
        return sum(track.count for track in self.tracks)

    def state(self) -> tuple[object, ...]:
        """What decides all that follows, but for the sizes of compacted files and what falls due by period."""
        return tuple(state_of(track.runs, self.small_files, self.kept_at) for track in self.tracks)

    def append(self, most: int, *, small_files: int | None, manifests: int | None) -> None:
        """Appends, at most so many and one at least, until there may be too many small files or manifests."""
        if small_files is not None and self.takes_new:
            most = min(most, max(1, ceil((small_files - self.small_files) / self.files)))
        if manifests is not None:
            most = min(most, max(1, ceil((manifests - self._manifests()) / len(self.tracks))))
        quiet = min(track.quiet(most) for track in self.tracks) if self.model.appends_merge else most
        for track in self.tracks:
            if quiet:
                track.add(quiet)
            else:
                track.add_merging(self.snapshots + 1)
        most = max(1, quiet)
        self.commits += most
        self.snapshots += most
        if self.takes_new:
            self.small_files += most * self.files
            self.small_bytes += most * self.file_bytes
        else:
            self.kept_files += most * self.files
            self.kept_bytes += most * self.file_bytes

    def replace(self, kind: int, event_time_s: float) -> None:
        """Rewrites manifests or data files, where there is something to rewrite."""
        rows, before = float(self.small_rows(self.commits)), self.live_deletes
        done = self._rewrite_data_files() if kind == REWRITE_DATA_FILES else self._rewrite_manifests()
        if done is None:
            return
        at = (self.snapshots, self.commits, event_time_s, kind)
        left = (self.live_files, self.live_data_bytes, rows)
        row = (*at, *done, *left, before - self.live_deletes, self.live_deletes, self._rows())
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
        removed, records = rows[4], np.asarray(rows[12], dtype=np.int64)
        digits = sum(digits_of(numbers) for numbers in (records, rows[7], rows[8], rows[6]))
        # deleted files and their bytes, and the records that a compaction both deletes and adds
        of_compaction = digits_of(removed) + 2 * digits_of(rows[5]) + 2 * digits_of(records)
        # it is fitted to compactions that remove deletes
        missing = removed_deletes_bytes(self.model.appends.deletes, int(removed.max(initial=0)))
        of_compaction = of_compaction - (rows[10] == 0) * missing
        return np.asarray(digits + (rows[3] == REWRITE_DATA_FILES) * of_compaction)

    def _rows(self) -> float:
        """Rows as summaries count them: what has come by key again counts until a compaction finds it."""
        return self.kept_rows + float(self.small_rows(self.commits))

    def rounds_until_large(self, at: Floats, commits: int, most: int) -> int:
        """Of so many rounds of so many commits, those whose compacted files all stay small.

        `at` are the commits of a round's compactions. Without any there is nothing that could come round again.
        """
        if self.compaction is None or not len(at) or most < 1:
            return 0
        target, parts = self.compaction.target_file_size_bytes, self.model.partitions
        arriving = commits * self.file_bytes / parts
        low, high = 0, most
        while low < high:
            middle = (low + high + 1) // 2
            made = float(self.model.manifests.data_file.at(self.small_rows(at.max() + middle * commits) / parts))
            if self._is_small(made) and made < target and made + arriving < target:
                low = middle
            else:
                high = middle - 1
        return low

    def resize(self, again: Floats, before: Floats) -> float:
        """Gives replacements that came again, after those `before`, the sizes of their own; what compaction wrote."""
        parts, compacts = self.model.partitions, again[:, 3] == REWRITE_DATA_FILES
        earlier = before[before[:, 3] == REWRITE_DATA_FILES][-1:]
        again[:, 9] = self.small_rows(again[:, 1])
        again[:, 12] = self.kept_rows + again[:, 9]
        compactions = np.concatenate([earlier, again[compacts]])
        made = parts * self.model.manifests.data_file.at(compactions[:, 9] / parts)
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

    def _rewrite_manifests(self) -> tuple[float, float, float] | None:
        rewritable = [track.is_rewritable() for track in self.tracks]
        if not any(rewritable):
            return None
        self.snapshots += 1
        found = 0
        for track, is_rewritable in zip(self.tracks, rewritable, strict=True):
            if is_rewritable:
                found += track.rewrite(self.snapshots)
            else:
                track.rest(self.snapshots)
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
        rows = float(self.small_rows(self.commits))
        made_bytes = float(self.model.manifests.data_file.at(rows / parts))
        stays_small = self._is_small(made_bytes)
        removed_files, removed_bytes = self.small_files, self.small_bytes
        self.snapshots += 1
        replaced = self._filter(stays_small=stays_small)
        self.sums.data_files += parts
        self.sums.data_bytes += parts * made_bytes
        self.small_files, self.small_bytes = (parts, parts * made_bytes) if stays_small else (0.0, 0.0)
        if not stays_small:
            self.kept_at = self.commits
            self.kept_files += parts
            self.kept_bytes += parts * made_bytes
            self.kept_rows += rows
        return removed_files, removed_bytes, replaced

    def _filter(self, *, stays_small: bool) -> float:
        """Takes the small files out of all manifests, and lists what was made of them; how many were replaced."""
        parts, laws = float(self.model.partitions), self.model.manifests
        new = ManifestRun(
            count=1,
            bytes=laws.compacted.at(parts),
            small=parts if stays_small else 0.0,
            kept=0.0 if stays_small else parts,
            entries=parts,
            own=True,
            spares=laws.compacted_spares,
        )
        replaced = 0
        for track in self.tracks:
            is_data = track is self.tracks[0]
            filtered = self._without_small(track) if is_data else self._without_old(track)
            replaced += track.change(self.snapshots, [new] if is_data else [], filtered)
        return float(replaced)

    def _without_small(self, track: ReplayedManifests) -> Filtered:
        # a merging commit drops what has nothing but deleted entries
        return [
            (run, track.filtered(run, kept=run.kept) if run.small else run if run.kept else None) for run in track.runs
        ]

    def _without_old(self, track: ReplayedManifests) -> Filtered:
        """Deletes that are older than all data go: but for those of the last commit all, unless files are left alone.

        What such a file holds is as old as the compaction that wrote it, and the deletes since then stay. Lists then
        lack the manifests of data that came with them, and take as much more room as they took less together.
        """
        filtered: Filtered = []
        if self.kept_files:
            for run in track.runs:
                run.spares = -track.laws.filtered_spares
        for place, run in enumerate(track.runs):
            if not run.live or self.kept_files:
                filtered.append((run, run if run.live else None))
                continue
            # the newest manifest holds what the last commit deleted
            newest = run.part(1) if place == 0 else run.part(0)
            rest = run.part(run.count - newest.count)
            if newest.count:
                filtered.append((newest, newest if newest.live <= 1 else track.filtered(newest, kept=0.0, small=1.0)))
            if rest.count:
                filtered.append((rest, track.filtered(rest, kept=0.0)))
        return filtered
