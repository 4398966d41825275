"""The manifests of a table as runs of like ones, and what commits do to them in the mean.

A history of a year has millions of manifests and a handful of kinds of them. Rules are Iceberg's: `pack_runs` does for
runs what `wasim.twin.merging.pack_from_end` does for single manifests, and tests compare the two.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import floor

from wasim.twin.merging import MergePolicy
from wasim.years.flows import Flow

NEGLIGIBLE = 1e-9
MOST_RUNS = 48
MANY_PARTS = 6
ENTRIES = ("fresh", "partial", "settled", "sorted", "deleted_fresh", "deleted_compacted")
VALUES = ("count", "bytes", "fresh", "partial", "settled", "sorted", "siblings")


@dataclass(slots=True, kw_only=True)
class Run:
    """`count` manifests in a row that are alike.

    Each has so many live entries: `fresh` ones of files that no compaction has seen, `partial` ones of compacted files
    that are still too small, `settled` ones of compacted files that stay. Of the fresh ones `sorted` are in the order
    of their partitions, not of their commits. `deleted_…` entries and `is_new` are of the commit under way. `siblings`
    is the share of these manifests that another one of the same commit stands next to.
    """

    count: float
    bytes: float
    fresh: float = 0.0
    partial: float = 0.0
    settled: float = 0.0
    sorted: float = 0.0
    siblings: float = 0.0
    deleted_fresh: float = 0.0
    deleted_compacted: float = 0.0
    is_new: bool = False

    @property
    def live(self) -> float:
        """Live entries of one manifest."""
        return self.fresh + self.partial + self.settled

    def is_like(self, other: "Run") -> bool:
        """Whether manifests of the two may be counted together."""
        return (
            abs(self.bytes - other.bytes) <= NEGLIGIBLE * self.bytes
            and abs(self.fresh - other.fresh) <= NEGLIGIBLE
            and abs(self.partial - other.partial) <= NEGLIGIBLE
            and abs(self.settled - other.settled) <= NEGLIGIBLE
            and abs(self.sorted - other.sorted) <= NEGLIGIBLE
            and abs(self.siblings - other.siblings) <= NEGLIGIBLE
        )


@dataclass(frozen=True, slots=True)
class Bin:
    """`repeat` bins alike, each of these manifests: pairs of a run and how many of it."""

    repeat: float
    parts: tuple[tuple[Run, float], ...]

    @property
    def items(self) -> float:
        """Manifests in one of the bins."""
        return sum(count for _, count in self.parts)

    @property
    def filled_bytes(self) -> float:
        """Bytes in one of the bins."""
        return sum(count * run.bytes for run, count in self.parts)


def pack_runs(runs: Sequence[Run], target_bytes: float) -> list[Bin]:
    """Bins of manifests that stand oldest first, oldest bin first: an item that does not fit closes the open bin."""
    bins: list[Bin] = []
    parts: list[tuple[Run, float]] = []
    filled = 0.0
    for run in runs:
        left = run.count
        if parts:
            taken = min(left, max(0.0, floor((target_bytes - filled) / run.bytes + NEGLIGIBLE)))
            if taken:
                parts.append((run, taken))
                filled += taken * run.bytes
                left -= taken
            if left <= NEGLIGIBLE:
                continue
            bins.append(Bin(1.0, tuple(parts)))
        each = max(1.0, floor(target_bytes / run.bytes))
        full = floor(left / each + NEGLIGIBLE)
        rest = left - full * each
        if rest <= NEGLIGIBLE:  # the last full bin is the one that stays open
            full, rest = full - 1, each
        if full:
            bins.append(Bin(float(full), ((run, each),)))
        parts, filled = [(run, rest)], rest * run.bytes
    if parts:
        bins.append(Bin(1.0, tuple(parts)))
    return bins


@dataclass(slots=True, kw_only=True)
class ManifestRuns:
    """The manifests of data, or of deletes, that the current snapshot lists, oldest first.

    `bytes_of` gives the length of a manifest with so many entries: of fresh files, of compacted ones, and how many of
    the fresh ones are sorted by partition. `group` is DATA or DELETES.
    """

    policy: MergePolicy
    bytes_of: Callable[[float, float, float], float]
    group: int
    sorts: bool = False  # whether a rewrite sorts entries by partition
    copies: bool = False  # whether a rewrite lists copies of what its tasks wrote, as in format version 1
    runs: list[Run] = field(default_factory=list)

    @property
    def count(self) -> float:
        """Manifests listed."""
        return sum(run.count for run in self.runs)

    @property
    def entries(self) -> float:
        """Live entries in all of them."""
        return sum(run.count * run.live for run in self.runs)

    @property
    def siblings(self) -> float:
        """Manifests next to another one of the same commit."""
        return sum(run.count * run.siblings for run in self.runs)

    @property
    def bytes(self) -> float:
        """Bytes of all of them."""
        return sum(run.count * run.bytes for run in self.runs)

    def entries_of(self, name: str) -> float:
        """Live entries of one kind: fresh, partial or settled."""
        return float(sum(run.count * getattr(run, name) for run in self.runs))

    def add(self, run: Run) -> None:
        """Lists manifests that are the newest."""
        last = self.runs[-1] if self.runs else None
        if last is not None and last.is_new == run.is_new and last.is_like(run):
            last.count += run.count
        else:
            self.runs.append(run)

    def commits_until_merge(self, new_bytes: float) -> float:
        """Commits that each add one manifest of so many bytes, up to the one that merges; infinite if none will."""
        if not self.policy.enabled:
            return float("inf")
        target, least = self.policy.target_bytes, self.policy.min_count
        bins = pack_runs(self.runs, target)
        if any(one.items > 1 + NEGLIGIBLE for one in bins[:-1]):
            return 1
        items, filled = (bins[-1].items, bins[-1].filled_bytes) if bins else (0.0, 0.0)
        by_count = max(1.0, least - items)
        until_full = floor((target - filled) / new_bytes + NEGLIGIBLE) + 1
        if until_full <= by_count:
            if items + until_full - 1 > 1 + NEGLIGIBLE:
                return float(max(1, until_full))
            # one manifest alone fills the bin: the next bin starts with this commit's
            per_bin = floor(target / new_bytes + NEGLIGIBLE)
            if per_bin < 2:
                return float("inf")
            return float(max(1, until_full - 1 + min(least, per_bin + 1)))
        return by_count

    def merge(self, flows: list[float]) -> float:
        """What a merging commit does: manifests without live entries go, bins become one manifest each.

        Returns how many manifests were merged into others.
        """
        merged = 0.0
        kept = [run for run in self.runs if run.is_new or run.live > NEGLIGIBLE]
        for run in self.runs:
            if not run.is_new and run.live <= NEGLIGIBLE:
                self._leaves(run, run.count, flows)
        if not self.policy.enabled:
            self.runs = kept
            return merged
        bins, self.runs = pack_runs(kept, self.policy.target_bytes), []
        for place, one in enumerate(bins):
            items, is_newest = one.items, place == len(bins) - 1
            if items > 1 + NEGLIGIBLE and (not is_newest or items >= self.policy.min_count - NEGLIGIBLE):
                self.runs.append(self._merged(one, flows))
                merged += items * one.repeat
            else:
                self.runs += [replace(run, count=count * one.repeat) for run, count in one.parts]
        return merged

    def _merged(self, one: Bin, flows: list[float]) -> Run:
        for run, count in one.parts:
            self._leaves(run, count * one.repeat, flows)
        # entries that this commit deleted are carried into what its own manifests become
        sums = {name: sum(count * getattr(run, name) for run, count in one.parts) for name in ENTRIES}
        merged = Run(count=one.repeat, bytes=0.0, is_new=True, **sums)
        merged.bytes = self.bytes_of(
            merged.fresh + merged.deleted_fresh,
            merged.partial + merged.settled + merged.deleted_compacted,
            merged.sorted,
        )
        merged.siblings = 1 - 1 / one.repeat
        self.note_written(one.repeat, merged.bytes, flows)
        return merged

    def _leaves(self, run: Run, count: float, flows: list[float]) -> None:
        place = (Flow.WASTED_MANIFESTS if run.is_new else Flow.REPLACED_MANIFESTS) + self.group
        flows[place] += count
        flows[place + 1] += count * run.bytes

    def note_written(self, count: float, size: float, flows: list[float]) -> None:
        """Counts manifests as written."""
        flows[Flow.WRITTEN_MANIFESTS + self.group] += count
        flows[Flow.WRITTEN_MANIFESTS + self.group + 1] += count * size

    def filter(self, fresh: float, partial: float, settled: float, flows: list[float]) -> float:
        """Takes these shares of the entries of each kind out: every manifest that lists one of them is written again.

        Returns how many manifests that was.
        """
        runs, rewritten = [], 0.0
        for run in self.runs:
            taken = fresh * run.fresh + partial * run.partial + settled * run.settled
            if taken <= NEGLIGIBLE:
                runs.append(run)
                continue
            hit = min(1.0, taken)  # of manifests in which less than one entry goes, so many hold one
            if hit < 1.0 - NEGLIGIBLE:
                runs.append(replace(run, count=run.count * (1 - hit)))
            count, size = run.count * hit, self.bytes_of(run.fresh, run.partial + run.settled, run.sorted)
            self._leaves(run, count, flows)
            self.note_written(count, size, flows)
            rewritten += count
            runs.append(
                Run(
                    count=count,
                    bytes=size,
                    fresh=run.fresh * (1 - fresh / hit),
                    partial=run.partial * (1 - partial / hit),
                    settled=run.settled * (1 - settled / hit),
                    sorted=run.sorted * (1 - fresh / hit),
                    siblings=max(0.0, 1 - 1 / count),
                    deleted_fresh=run.fresh * fresh / hit,
                    deleted_compacted=(run.partial * partial + run.settled * settled) / hit,
                    is_new=True,
                )
            )
        self.runs = runs
        return rewritten

    def settle_entries(self, name: str, amount: float) -> None:
        """Counts so many `fresh` or `partial` entries, the oldest ones, as settled: no compaction takes their files."""
        runs: list[Run] = []
        for run in self.runs:
            held = run.count * getattr(run, name)
            if amount <= NEGLIGIBLE or held <= NEGLIGIBLE:
                runs.append(run)
                continue
            share = min(1.0, amount / held)
            amount -= share * held
            one = getattr(run, name)
            if run.count <= 1 + NEGLIGIBLE or share >= 1 - NEGLIGIBLE:
                setattr(run, name, one * (1 - share))
                run.settled += one * share
                run.sorted = min(run.sorted, run.fresh)
                runs.append(run)
            else:
                older = replace(run, count=run.count * share, settled=run.settled + one)
                setattr(older, name, 0.0)
                older.sorted = min(older.sorted, older.fresh)
                runs += [older, replace(run, count=run.count * (1 - share))]
        self.runs = runs

    def rewrite(self, flows: list[float]) -> bool:
        """What rewrite_manifests makes of them: as few as their bytes need. Whether there was anything to do."""
        count, total, entries = self.count, self.bytes, self.entries
        target = self.policy.target_bytes
        parts = float(-(-total // target))
        if parts > MANY_PARTS:  # in the mean: a step at every further manifest would be a cycle of its own
            parts = total / target + 0.5
        parts = min(parts, entries) if entries >= 1 else 1.0
        if count <= 1 + NEGLIGIBLE and parts <= 1:
            return False
        kinds = {
            name: sum(run.count * getattr(run, name) for run in self.runs) / parts
            for name in ("fresh", "partial", "settled")
        }
        for run in self.runs:
            self._leaves(run, run.count, flows)
        rewritten = Run(count=parts, bytes=0.0, is_new=True, **kinds)
        rewritten.sorted = rewritten.fresh if self.sorts else 0.0
        rewritten.bytes = self.bytes_of(rewritten.fresh, rewritten.partial + rewritten.settled, rewritten.sorted)
        self.note_written(parts, rewritten.bytes, flows)
        if self.copies:
            self.note_written(parts, rewritten.bytes, flows)
            self._leaves(rewritten, parts, flows)
        self.runs = [rewritten]
        return True

    def settle(self) -> None:
        """Ends the commit under way."""
        runs: list[Run] = []
        for run in self.runs:
            if run.count <= NEGLIGIBLE:
                continue
            run.is_new, run.deleted_fresh, run.deleted_compacted = False, 0.0, 0.0
            if runs and runs[-1].is_like(run):
                runs[-1].count += run.count
            else:
                runs.append(run)
        while len(runs) > MOST_RUNS:
            _join(runs, _closest(runs))
        self.runs = runs

    def values(self) -> Iterator[float]:
        """The numbers that make up the state."""
        for run in self.runs:
            yield from (run.count, run.bytes, run.fresh, run.partial, run.settled, run.sorted, run.siblings)

    def restored(self, values: Iterator[float]) -> list[Run]:
        """As many runs as there are now, with other numbers."""
        return [_run_of({name: next(values) for name in VALUES}) for _ in self.runs]


def _run_of(numbers: dict[str, float]) -> Run:
    return Run(**numbers)  # type: ignore[arg-type]  # `is_new` is not among the values


def _closest(runs: Sequence[Run]) -> int:
    """The place, among the older half, of the run most like the one after it."""
    half = max(2, len(runs) // 2)
    return min(range(half - 1), key=lambda place: abs(runs[place].bytes / runs[place + 1].bytes - 1.0))


def _join(runs: list[Run], place: int) -> None:
    first, second = runs[place], runs.pop(place + 1)
    count = first.count + second.count
    for name in VALUES[1:]:
        mean = (first.count * getattr(first, name) + second.count * getattr(second, name)) / count
        setattr(first, name, mean)
    first.count = count
