"""The bytes of all metadata.json and manifest lists of a table under maintenance, up to any of them.

A metadata.json holds every retained snapshot. With W(q) for the bytes that the first q snapshots take in it, and F
snapshots gone, one is

    metadata_json = fixed + W(q) − W(F) + log_entry · L + digits

so the sum over all of them is that of W(q), as if nothing ever expired, less W(F) for every file written since. The
first is a closed form in the number of commits; the second one term for each expiry.
"""

from dataclasses import dataclass

import numpy as np

from wasim.model.digits import triangle
from wasim.model.drivers import FIRST_LIST_SAVES_BYTES, NARROW_SEQUENCE_NUMBERS
from wasim.twin.fast.history import TableHistory
from wasim.twin.fast.recurring import Column, Place, Running
from wasim.twin.fast.retention import Expiries, ExpiryPart
from wasim.twin.fast.summaries import SummaryDigits, digits_of, digits_of_whole_numbers_through
from wasim.twin.profile import Names
from wasim.units import Floats, Ints

FIRST_SNAPSHOT_SAVES_BYTES = 41  # the first snapshot has no parent: `"parent-snapshot-id":`, 19 digits and a comma
LOGGED_DIGITS = 5  # of a version in the name of a metadata.json: %05d


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataLaws:
    """What metadata.json and lists are made of: coefficients as fitted for appends.

    `replacement` is the snapshot of a replacement by kind, without its digits. `counts_digits` is false under gzip,
    where digits deflate with the rest and are in the coefficients; `numbers_snapshots` is false of format version 1,
    which has no sequence numbers. `names` are those of metadata.json files.
    """

    create_bytes: float
    json_fixed: float
    snapshot: float
    replacement: tuple[float, float]
    log_entry: float
    log_limit: int
    list_fixed: float
    live_manifest: float
    counts_digits: bool
    numbers_snapshots: bool
    names: Names


@dataclass(frozen=True, slots=True, kw_only=True)
class _Weighed:
    """Of each expiry of a part: its version, W(F) of the snapshots gone after it, and sums through it.

    `held`: what the files of all expiries so far hold; `missed`: what all files before its own hold less.
    """

    version: Ints
    gone: Floats
    held: Floats
    missed: Floats


_NONE_YET = _Weighed(version=np.zeros(1, dtype=np.int64), gone=np.zeros(1), held=np.zeros(1), missed=np.zeros(1))


class MetadataSizes:
    """Sums over the metadata of one table. Versions of metadata.json count from 0, that of CREATE TABLE."""

    def __init__(self, laws: MetadataLaws, history: TableHistory, expiries: Expiries, digits: SummaryDigits) -> None:
        self.laws, self.history, self.expiries, self.digits = laws, history, expiries, digits
        # the fitted constant is of tables that keep their first snapshot
        self._saved = FIRST_SNAPSHOT_SAVES_BYTES if laws.counts_digits else 0
        replaced = history.replacements
        each = np.array(laws.replacement)[replaced.kind] + (replaced.digits if laws.counts_digits else 0)
        even = Column(first=each, more=np.zeros(len(each)))
        self._replaced_bytes = Running(replaced.rows, even, replaced.snapshot.times(each))
        # replacements, and their commits in sum, before the digits of a summary change
        below = replaced.rows.place(replaced.commits, digits.knots - 1)
        self._below = replaced.rows.count(below), replaced.at.through(below)[0]
        # running sums over the expiries, kept where each part of them begins
        self._latest, self._weighed = -1, _NONE_YET
        self._begun = [_NONE_YET]
        for number, part in enumerate(expiries.parts()):
            self._latest, self._weighed = number, self._weigh(part, self._begun[-1])
            self._begun.append(_last(self._weighed) if len(part) else self._begun[-1])

    @property
    def versions(self) -> int:
        """The version of the last metadata.json."""
        return self.history.snapshots + len(self.expiries)

    def version_of(self, snapshot: int) -> int:
        """The version that a snapshot's commit wrote."""
        return snapshot + int(self.expiries.before_snapshots(np.array([snapshot]))[0])

    def written_through(self, version: int) -> float:
        """Bytes of the metadata.json files of versions 0 … `version`."""
        laws, expiries = self.laws, int(self.expiries.through_versions(np.array([version]))[0])
        snapshots = version - expiries
        total = laws.create_bytes + (laws.json_fixed + self._saved) * version + laws.log_entry * self._logged(version)
        total += self._snapshots_as_if_none_expired(snapshots) + self._of_expiries(expiries, version)
        if laws.counts_digits:
            total += float(digits_of_whole_numbers_through(snapshots))
            total += self._named_through(version)
        return float(total)

    def at(self, versions: Ints) -> Floats:
        """Bytes of the metadata.json of each of these versions, from 1 on."""
        laws = self.laws
        expiries = self.expiries.through_versions(versions)
        made = versions - expiries
        gone, through = self.expiries.gone_after(expiries), self.history.replacements.through
        held = self._weight(made, through(made)) - self._weight(gone, through(gone))
        total = laws.json_fixed + self._saved + laws.log_entry * np.minimum(versions, laws.log_limit) + held
        if laws.counts_digits:
            total = total + digits_of(made)
        if laws.counts_digits and laws.names == "hadoop":
            beyond = np.maximum(versions - laws.log_limit, 0)
            total = total + digits_of_whole_numbers_through(versions) - digits_of_whole_numbers_through(beyond)
        return np.asarray(total)

    def list_at(self, snapshots: Ints) -> Floats:
        """Bytes of the list of each of these snapshots, but for the digits of the first few."""
        listed = self.history.live_at(snapshots)
        spared = self.history.spared_at(snapshots)
        return np.asarray(self.laws.list_fixed + (self.laws.live_manifest + 1) * listed - spared + digits_of(snapshots))

    def lists_through(self, snapshots: int) -> float:
        """Bytes of the lists of the first so many snapshots."""
        if snapshots < 1:
            return 0.0
        listed, spared = self.history.listed_through(snapshots)
        digits = float(digits_of_whole_numbers_through(snapshots)) - FIRST_LIST_SAVES_BYTES
        wide = listed - self._narrow_through(snapshots)
        listed_bytes = self.laws.live_manifest * listed - spared
        return self.laws.list_fixed * snapshots + listed_bytes + digits + wide

    def _weight(self, snapshots: Ints, replaced: Ints) -> Floats:
        """W(q): bytes that the first q snapshots take, for each q, with the replacements among them."""
        laws, commits = self.laws, snapshots - replaced
        weight = laws.snapshot * commits + self._replaced_bytes.of_first(replaced) - self._saved * (snapshots > 0)
        if laws.counts_digits:
            weight = weight + self.digits.through(commits)
        if laws.counts_digits and laws.numbers_snapshots:
            weight = weight + digits_of_whole_numbers_through(snapshots)
        return np.asarray(weight)

    def _snapshots_as_if_none_expired(self, snapshots: int) -> float:
        """Σ W(q) over the files that the first so many snapshots wrote."""
        laws, replaced = self.laws, self.history.replacements
        place = replaced.place(np.array([snapshots]))
        commits = snapshots - int(replaced.rows.count(place)[0])
        at = float(replaced.at.through(place)[0, 0])
        each, moments = (float(one[0]) for one in self._replaced_bytes.through(place))
        total = laws.snapshot * (float(triangle(commits)) + at)  # type: ignore[arg-type]
        total += (snapshots + 1) * each - moments - self._saved * snapshots
        if laws.counts_digits:
            total += self.digits.through_all(commits) + self._digits_of_commits_replaced(place)
        if laws.counts_digits and laws.numbers_snapshots:
            total += _digits_of_whole_numbers_through_all(snapshots)
        return total

    def _digits_of_commits_replaced(self, place: Place) -> float:
        """Σ of the digits of all commits so far, over the replacements up to a place: line by line."""
        replaced, (count, at) = self.history.replacements, self._below
        count = np.minimum(count, replaced.rows.count(place))
        at = np.minimum(at, replaced.at.through(place)[0])
        constant, each = self.digits.lines()
        return float((constant * np.diff(count) + each * np.diff(at)).sum())

    def _weigh(self, part: ExpiryPart, begun: _Weighed) -> _Weighed:
        held = self._weight(part.made, part.made_replaced) + (digits_of(part.made) if self.laws.counts_digits else 0)
        gone = self._weight(part.gone, part.gone_replaced)
        missed = np.concatenate([begun.gone, gone[:-1]]) * np.diff(part.version, prepend=begun.version)
        return _Weighed(
            version=part.version,
            gone=gone,
            held=begun.held + np.cumsum(held),
            missed=begun.missed + np.cumsum(missed[: len(part)]),
        )

    def _of_expiries(self, expiries: int, version: int) -> float:
        """What the files of the first expiries hold, less Σ W(F) over all files since each, its own among them."""
        if not expiries:
            return 0.0
        number = int(self.expiries.part_of(np.array([expiries]))[0])
        part = self.expiries.part(number)
        if number != self._latest:
            self._latest, self._weighed = number, self._weigh(part, self._begun[number])
        weighed, last = self._weighed, expiries - 1 - part.before
        missed = weighed.missed[last] + weighed.gone[last] * (version + 1 - weighed.version[last])
        return float(weighed.held[last] - missed)

    def _logged(self, version: int) -> float:
        """Σ of the metadata log's entries over versions 1 … `version`."""
        beyond = max(version - self.laws.log_limit, 0)
        inside = max(version - beyond, 0)
        return inside * (inside + 1) / 2 + self.laws.log_limit * beyond

    def _named_through(self, version: int) -> float:
        """Bytes of versions in the names of all logs' files, beyond those that all names have."""
        if self.laws.names == "hadoop":
            through, beyond = version, max(version - self.laws.log_limit, 0)
            return _digits_of_whole_numbers_through_all(through) - _digits_of_whole_numbers_through_all(beyond)
        if self.laws.names == "bare":
            return 0.0
        return sum(self._logged(version - 10**digits) for digits in range(LOGGED_DIGITS, len(str(version))))

    def _narrow_through(self, snapshots: int) -> float:
        """Entries of one-byte sequence numbers in all these lists: of the first manifests, until they are dropped."""
        total = 0.0
        for history in (self.history, self.history.deletes):
            if history is None:
                continue
            turns = history.turns
            drops = np.flatnonzero(turns.dropped.first)
            last = min(snapshots, int(turns.snapshot.first[drops[0]]) - 1) if len(drops) else snapshots
            few = min(last, NARROW_SEQUENCE_NUMBERS)
            total += few * (few + 1) / 2 + NARROW_SEQUENCE_NUMBERS * max(last - few, 0)
        return total


def _last(weighed: _Weighed) -> _Weighed:
    # copies, as a view would keep all of its part
    return _Weighed(
        version=weighed.version[-1:].copy(),
        gone=weighed.gone[-1:].copy(),
        held=weighed.held[-1:].copy(),
        missed=weighed.missed[-1:].copy(),
    )


def _digits_of_whole_numbers_through_all(count: int) -> float:
    total, power = count * (count + 1) / 2, 10
    while power <= count:
        past = count - power + 1
        total += past * (past + 1) / 2
        power *= 10
    return total
