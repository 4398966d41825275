"""The manifests of a table as runs of like ones, and what commits do to them on average, by Iceberg's rules."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from math import floor, inf
from typing import NamedTuple

from wasim.rules.merging import MergePolicy
from wasim.years.flows import Flow
from wasim.years.packing import KINDS, NEGLIGIBLE, VALUES, Bin, Run, closest, join, pack_runs, run_of

MOST_RUNS = 16
MANY_PARTS = 6
MANY_LEFT = 8.0  # emptied manifests
_AMOUNTS = "bytes", "fresh", "partial", "settled", "sorted"


class Sums(NamedTuple):
    """Manifests listed, their bytes and live entries; how many stand next to another one of the same commit, and how
    many list rewritten files alone; `scanned` are those that list live files: no scan reads the others.
    """

    manifests: float
    bytes: float
    entries: float
    siblings: float
    rewritten: float
    scanned: float
    scanned_bytes: float


_NOTHING = Sums(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(slots=True, kw_only=True)
class ManifestRuns:
    """The manifests of data, or of deletes, that the current snapshot lists, oldest first.

    `bytes_of` gives the length of a manifest by its entries: of fresh files, of compacted ones, and how many of
    the fresh ones are sorted by partition. `group` is DATA or DELETES.
    """

    policy: MergePolicy
    bytes_of: Callable[[float, float, float], float]
    group: int
    sorts: bool = False  # whether a rewrite sorts entries by partition
    together: float = inf  # entries that a commit brings
    copies: bool = False  # whether a rewrite lists copies of what its tasks wrote, as in format version 1
    runs: list[Run] = field(default_factory=list)

    @property
    def count(self) -> float:
        """Manifests listed."""
        found = 0.0
        for run in self.runs:
            found += run.count
        return found

    @property
    def entries(self) -> float:
        """Live entries in all of them."""
        found = 0.0
        for run in self.runs:
            found += run.count * (run.fresh + run.partial + run.settled)
        return found

    @property
    def bytes(self) -> float:
        """Bytes of all of them."""
        found = 0.0
        for run in self.runs:
            found += run.count * run.bytes
        return found

    def sums(self) -> "Sums":
        """What there is of them in all."""
        if not self.runs:
            return _NOTHING
        listed = size = entries = siblings = rewritten = scanned = scanned_bytes = 0.0
        for run in self.runs:
            count, live = run.count, run.fresh + run.partial + run.settled
            listed += count
            size += count * run.bytes
            entries += count * live
            siblings += count * run.siblings
            if live > NEGLIGIBLE:
                scanned += count
                scanned_bytes += count * run.bytes
                if run.fresh <= NEGLIGIBLE:
                    rewritten += count
        return Sums(listed, size, entries, siblings, rewritten, scanned, scanned_bytes)

    @property
    def waiting(self) -> int:
        """Manifests that wait to be merged; none where nothing merges."""
        if not self.policy.enabled:
            return 0
        return round(sum(run.count for run in self.runs if run.bytes < self.policy.target_bytes / 2))

    def entries_of(self, name: str) -> float:
        """Live entries of one kind: fresh, partial or settled."""
        return sum([run.count * getattr(run, name) for run in self.runs], 0.0)

    def drop_dead(self, flows: list[float]) -> None:
        """Takes older manifests without live entries out of the list, as every commit does that may merge."""
        for run in self.runs:
            if run.fresh + run.partial + run.settled <= NEGLIGIBLE:
                break
        else:
            return
        kept = list[Run]()
        for run in self.runs:
            if run.is_new or run.fresh + run.partial + run.settled > NEGLIGIBLE:
                kept.append(run)
            else:
                self._leaves(run, run.count, flows)
        self.runs = kept

    def merge(self, flows: list[float]) -> float:
        """What a merging commit does: manifests without live entries go, bins become one manifest each.

        Returns how many manifests were merged into others.
        """
        merged = 0.0
        self.drop_dead(flows)
        if not self.policy.enabled:
            return merged
        bins, self.runs = pack_runs(self.runs, self.policy.target_bytes, divided=MANY_LEFT), []
        for place, one in enumerate(bins, 1):
            items, is_newest = one.items, place == len(bins)
            if items > 1 + NEGLIGIBLE and (not is_newest or items >= self.policy.min_count - NEGLIGIBLE):
                self.runs.append(self._merged(one, flows))
                merged += items * one.repeat
            else:
                self.runs += [run.times(count * one.repeat) for run, count in one.parts]
        return merged

    def _merged(self, one: Bin, flows: list[float]) -> Run:
        for run, count in one.parts:
            self._leaves(run, count * one.repeat, flows)
        flows[Flow.MERGED_AGAIN + self.group] += one.repeat
        flows[Flow.MERGED_AGAIN + self.group + 1] += one.repeat * one.parts[0][0].bytes
        fresh = partial = settled = by_partition = deleted_fresh = deleted_compacted = 0.0
        for run, count in one.parts:
            fresh += count * run.fresh
            partial += count * run.partial
            settled += count * run.settled
            by_partition += count * run.sorted
            deleted_fresh += count * run.deleted_fresh
            deleted_compacted += count * run.deleted_compacted
        # entries that this commit deleted are carried into what its own manifests become
        size = self.bytes_of(fresh + deleted_fresh, partial + settled + deleted_compacted, by_partition)
        merged = Run(
            count=one.repeat,
            bytes=size,
            fresh=fresh,
            partial=partial,
            settled=settled,
            sorted=by_partition,
            siblings=1 - 1 / one.repeat,
            deleted_fresh=deleted_fresh,
            deleted_compacted=deleted_compacted,
            is_new=True,
        )
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
            hit = taken if taken < 1.0 else 1.0  # of manifests in which less than one entry goes, this share holds one
            count = run.count * hit
            gone, gone_compacted = run.fresh * fresh / hit, (run.partial * partial + run.settled * settled) / hit
            left = run.fresh * (1 - fresh), run.partial * (1 - partial), run.settled * (1 - settled)
            written = Run(
                count=count,
                bytes=self.bytes_of(left[0] + gone, left[1] + left[2] + gone_compacted, run.sorted),
                fresh=left[0],
                partial=left[1],
                settled=left[2],
                sorted=run.sorted * (1 - fresh),
                # the first of emptied ones stands next to the manifest of what their files were rewritten into
                siblings=1.0 if sum(left) <= NEGLIGIBLE else max(0.0, 1 - 1 / count),
                deleted_fresh=gone,
                deleted_compacted=gone_compacted,
                is_new=True,
            )
            if hit < 1.0 - NEGLIGIBLE:
                kept = run.times(run.count - count)
                kept.fresh, kept.partial, kept.settled, kept.sorted = *left, written.sorted
                runs.append(kept)
            self._leaves(run, count, flows)
            self.note_written(count, written.bytes, flows)
            rewritten += count
            runs.append(written)
        self.runs = runs
        return rewritten

    def thin(
        self, shares: Mapping[str, float], flows: list[float], together: float = 1.0, *, newest: float = inf
    ) -> float:
        """Takes each of the `newest` live entries out with the probability given for its kind, `together` at a time
        of a manifest; every manifest that lost one is written again. Returns how many manifests that was.
        """
        runs, rewritten, among = [], 0.0, self._among_newest(newest)
        fresh_share, partial_share, settled_share = (shares.get(kind, 0.0) for kind in KINDS)
        for run, share in zip(self.runs, among, strict=True):
            first, second, third = fresh_share * share, partial_share * share, settled_share * share
            fresh, partial, settled = run.fresh, run.partial, run.settled
            untouched = ((1 - first) ** fresh * (1 - second) ** partial * (1 - third) ** settled) ** (1 / together)
            hit = 1 - untouched
            if hit <= NEGLIGIBLE:
                runs.append(run)
                continue
            every = (first**fresh * second**partial * third**settled) ** (1 / together)
            emptied = 0.0 if fresh + partial + settled <= NEGLIGIBLE else min(every, hit)
            some = hit - emptied
            if emptied > NEGLIGIBLE:
                runs.append(self._rewritten(run, run.count * emptied, (fresh, partial, settled), flows))
                rewritten += run.count * emptied
            if untouched > NEGLIGIBLE:
                left = run.times(run.count * untouched)
                left.siblings = _followers_left(run.siblings, untouched)
                runs.append(left)
            if some > NEGLIGIBLE:
                # of each, on average, less those of manifests that were emptied
                part = (
                    max(0.0, first - emptied) * fresh / some,
                    max(0.0, second - emptied) * partial / some,
                    max(0.0, third - emptied) * settled / some,
                )
                runs.append(self._rewritten(run, run.count * some, part, flows))
                rewritten += run.count * some
        self.runs = runs
        return self._of_one_commit(rewritten)

    def _among_newest(self, entries: float) -> list[float]:
        """For each run, the share of its live entries that are among this number of the newest."""
        shares = []
        for run in reversed(self.runs):
            live = run.count * run.live
            shares.append(min(1.0, entries / live) if live > NEGLIGIBLE else 1.0)
            entries = max(0.0, entries - live)
        return shares[::-1]

    def _of_one_commit(self, rewritten: float) -> float:
        """Notes that this many manifests, which were just written again, stand next to each other's in the list."""
        for run in self.runs:
            if run.is_new:
                run.siblings = max(0.0, 1 - 1 / max(rewritten, 1.0))
        return rewritten

    def take(self, wanted: Mapping[str, tuple[float, bool]], flows: list[float]) -> float:
        """Takes entries out that stand together: by kind how many, and whether the newest ones, else the oldest.

        Returns how many manifests are written again.
        """
        taken = [dict.fromkeys(wanted, 0.0) for _ in self.runs]
        for kind, (entries, newest) in wanted.items():
            left, places = entries, range(len(self.runs))
            for place in reversed(places) if newest else places:
                taken[place][kind] = min(left, self.runs[place].count * getattr(self.runs[place], kind))
                left -= taken[place][kind]
        runs, rewritten = list[Run](), 0.0
        for run, gone in zip(self.runs, taken, strict=True):
            pieces, count = self._without(run, gone, flows)
            runs += pieces if any(newest for _, newest in wanted.values()) else reversed(pieces)
            rewritten += count
        self.runs = runs
        return self._of_one_commit(rewritten)

    def _without(self, run: Run, gone: Mapping[str, float], flows: list[float]) -> tuple[list[Run], float]:
        """A run of which this many entries by kind go, from the first manifests on that hold them: what is left alone,
        then what is written again; how many manifests that is.
        """
        each = {kind: max(1.0, getattr(run, kind)) for kind in gone}
        hit = min(run.count, max([gone[kind] / each[kind] for kind in gone], default=0.0))
        if hit <= NEGLIGIBLE:
            return [run], 0.0
        emptied = float(floor(hit + NEGLIGIBLE))
        partly = min(run.count - emptied, 1.0) if hit - emptied > NEGLIGIBLE else 0.0
        untouched = run.count - emptied - partly
        pieces = []
        if untouched > NEGLIGIBLE:
            left = {
                kind: (run.count * getattr(run, kind) - gone[kind]) / untouched
                for kind in gone
                if getattr(run, kind) < 1
            }
            pieces.append(replace(run, count=untouched, **{kind: max(0.0, value) for kind, value in left.items()}))
        per_hit = tuple(gone.get(kind, 0.0) / hit for kind in KINDS)
        if partly:
            part = tuple(entries * (hit - emptied) / partly for entries in per_hit)
            pieces.append(self._rewritten(run, partly, part, flows))
        if emptied:
            pieces.append(self._rewritten(run, emptied, per_hit, flows))
        return pieces, emptied + partly

    def _rewritten(self, run: Run, count: float, gone: tuple[float, ...], flows: list[float]) -> Run:
        """`count` of the manifests written again, each without the entries that are `gone`, by KINDS."""
        size = self.bytes_of(run.fresh, run.partial + run.settled, run.sorted)
        self._leaves(run, count, flows)
        self.note_written(count, size, flows)
        fresh, partial, settled = gone
        left = max(0.0, run.fresh - fresh)
        in_order = left * _followers_left(run.sorted / run.fresh, left / run.fresh) if left > NEGLIGIBLE else 0.0
        return Run(
            count=count,
            bytes=size,
            fresh=left,
            partial=max(0.0, run.partial - partial),
            settled=max(0.0, run.settled - settled),
            sorted=in_order,
            deleted_fresh=fresh,
            deleted_compacted=partial + settled,
            is_new=True,
        )

    @property
    def filling(self) -> Run | None:
        """The manifest that merges fill, if one does."""
        if not self.policy.enabled or not self.runs:
            return None
        run, count = pack_runs(self.runs, self.policy.target_bytes)[-1].parts[0]
        return run if run.count == count == 1 else None

    def hold(self, entries: float) -> None:
        """Makes them list this many live entries in all: by those of the manifest that is filled, or that lists most.

        A full manifest is followed by another one. Where that one does not list as many as are too many, fewer of all
        are left.
        """
        held = self.filling or max(self.runs, key=lambda run: run.count * run.live, default=None)
        listed, total = held.count * held.live if held else 0.0, self.entries
        if held is None or listed <= NEGLIGIBLE:
            return
        share = (entries - total + listed) / listed
        if share <= NEGLIGIBLE:
            for run in self.runs:
                run.count *= entries / total
            return
        size = self.bytes_of(held.fresh, held.partial + held.settled, held.sorted)
        more = self.bytes_of(share * held.fresh, share * (held.partial + held.settled), share * held.sorted)
        if held.count > 1 and more > max(held.bytes, self.policy.target_bytes):
            held.count *= share
            return
        held.bytes *= more / size
        for name in ("fresh", "partial", "settled", "sorted"):
            setattr(held, name, share * getattr(held, name))
        self._split(held)

    def _split(self, held: Run) -> None:
        """Makes a manifest that came to more than a full one as many as it fills, and one that the rest is in."""
        full = floor(held.bytes / self.policy.target_bytes)
        if not full or held.count != 1 or not self.policy.enabled:
            return
        share = self.policy.target_bytes / held.bytes
        of_one = replace(held, count=float(full), **{name: share * getattr(held, name) for name in _AMOUNTS})
        place = next(place for place, run in enumerate(self.runs) if run is held)
        self.runs.insert(place, of_one)
        for name in _AMOUNTS:
            setattr(held, name, (1 - full * share) * getattr(held, name))

    def settle_entries(self, name: str, amount: float) -> None:
        """Counts this amount of the oldest `fresh` or `partial` entries as settled: no compaction takes their files."""
        if amount <= NEGLIGIBLE:
            return
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
                older = run.times(run.count * share)
                older.settled += one
                setattr(older, name, 0.0)
                older.sorted = min(older.sorted, older.fresh)
                runs += [older, run.times(run.count * (1 - share))]
        self.runs = runs

    def reopen(self) -> None:
        """Counts settled entries as those of compacted files again."""
        for run in self.runs:
            run.partial, run.settled = run.partial + run.settled, 0.0

    def rewrite(self, flows: list[float]) -> bool:
        """What rewrite_manifests makes of them: as few as their bytes need. Whether there was anything to do."""
        count, total, entries = self.count, self.bytes, self.entries
        target = self.policy.target_bytes
        parts = float(-(-total // target))
        if parts > MANY_PARTS:  # on average: a step at every further manifest would be a cycle of its own
            parts = total / target + 0.5
        parts = min(parts, entries) if entries >= 1 else 1.0
        if count <= 1 + NEGLIGIBLE and parts <= 1:
            return False
        kinds = {
            name: sum(run.count * getattr(run, name) for run in self.runs) / parts
            for name in ("fresh", "partial", "settled")
        }
        in_order = sum(run.count * run.sorted for run in self.runs)
        for run in self.runs:
            self._leaves(run, run.count, flows)
        rewritten = Run(count=parts, bytes=0.0, is_new=True, **kinds)
        if self.sorts:
            rewritten.sorted = rewritten.fresh
        else:  # entries of one commit are dealt out in turn
            apart = 1.0 if parts >= self.together else (parts - 1) / (self.together - 1)
            rewritten.sorted = (in_order + (rewritten.fresh * parts - in_order) * apart) / parts
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
            if runs and runs[-1].belongs_to(run):
                join(runs[-1], run)
            else:
                runs.append(run)
        while len(runs) > MOST_RUNS:
            place = closest(runs)
            join(runs[place], runs.pop(place + 1))
        self.runs = runs

    def values(self) -> list[float]:
        """The numbers that make up the state: those of each run."""
        found: list[float] = []
        for run in self.runs:
            found += run.values()
        return found

    def restored(self, values: Iterator[float]) -> list[Run]:
        """As many runs as there are now, with other numbers."""
        return [run_of(*islice(values, len(VALUES))) for _ in self.runs]


def _followers_left(share: float, kept: float) -> float:
    """The share of manifests, or of entries, that follow another one of the same commit, once `kept` of all are left.

    `share` is the same before that. Every commit of which one is left has one that follows none of its own.
    """
    first = 1 - share
    return 1 - first * (1 - (1 - kept) ** (1 / first)) / kept if first > NEGLIGIBLE else share
