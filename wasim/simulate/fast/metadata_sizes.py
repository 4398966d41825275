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
from wasim.simulate.fast.history import TableHistory
from wasim.simulate.fast.retention import Expiries
from wasim.simulate.fast.summaries import SummaryDigits, digits_of, digits_of_whole_numbers_through
from wasim.simulate.profile import Names
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
class _Place:
    """How far a table has come: the writer's commits, replacements and expiries so far."""

    commits: int
    replacements: int
    expiries: int

    @property
    def snapshots(self) -> int:
        return self.commits + self.replacements

    @property
    def version(self) -> int:
        return self.snapshots + self.expiries


class MetadataSizes:
    """Sums over the metadata of one table. Versions of metadata.json count from 0, that of CREATE TABLE."""

    def __init__(self, laws: MetadataLaws, history: TableHistory, expiries: Expiries, digits: SummaryDigits) -> None:
        self.laws, self.history, self.expiries, self.digits = laws, history, expiries, digits
        # the fitted constant is of tables that keep their first snapshot
        self._saved = FIRST_SNAPSHOT_SAVES_BYTES if laws.counts_digits else 0
        replaced = history.replacements
        each = np.array(laws.replacement)[replaced.kind] if len(replaced) else np.zeros(0)
        self._replacement_bytes = each + (replaced.digits if laws.counts_digits else 0)
        self._replaced_bytes = np.concatenate([[0.0], np.cumsum(self._replacement_bytes)])
        # versions of the files that expiries and replacements write
        self._expiry_version = expiries.made + np.arange(1, len(expiries) + 1)
        earlier = np.searchsorted(expiries.made, replaced.snapshot, side="left")
        self._replacement_version = replaced.snapshot + earlier
        # running sums over the expiries: what their own files hold, and what all files since hold less
        held = self._weight(expiries.made) + (digits_of(expiries.made) if laws.counts_digits else 0)
        self._gone = self._weight(expiries.gone)
        lasted = np.diff(self._expiry_version)
        self._held = np.concatenate([[0.0], np.cumsum(held)])
        self._missed = np.concatenate([[0.0], np.cumsum(self._gone[:-1] * lasted)])

    @property
    def versions(self) -> int:
        """The version of the last metadata.json."""
        return self.history.snapshots + len(self.expiries)

    def version_of(self, snapshot: int) -> int:
        """The version that a snapshot's commit wrote."""
        return snapshot + int(np.searchsorted(self.expiries.made, snapshot, side="left"))

    def written_through(self, version: int) -> float:
        """Bytes of the metadata.json files of versions 0 … `version`."""
        laws, place = self.laws, self._place(version)
        total = laws.create_bytes + (laws.json_fixed + self._saved) * version + laws.log_entry * self._logged(version)
        total += self._snapshots_as_if_none_expired(place)
        total += float(self._held[place.expiries]) - self._expired(place)
        if laws.counts_digits:
            total += float(digits_of_whole_numbers_through(place.snapshots))
            total += self._named_through(version)
        return float(total)

    def at(self, versions: Ints) -> Floats:
        """Bytes of the metadata.json of each of these versions, from 1 on."""
        laws = self.laws
        expiries = np.searchsorted(self._expiry_version, versions, side="right")
        made = versions - expiries
        held = self._weight(made) - self._weight(self.expiries.gone_after(expiries))
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
        listed = self.history.live_through(snapshots)
        digits = float(digits_of_whole_numbers_through(snapshots)) - FIRST_LIST_SAVES_BYTES
        wide = listed - self._narrow_through(snapshots)
        listed_bytes = self.laws.live_manifest * listed - self.history.spared_through(snapshots)
        return self.laws.list_fixed * snapshots + listed_bytes + digits + wide

    def _place(self, version: int) -> _Place:
        replacements = int(np.searchsorted(self._replacement_version, version, side="right"))
        expiries = int(np.searchsorted(self._expiry_version, version, side="right"))
        commits = version - replacements - expiries
        return _Place(commits=commits, replacements=replacements, expiries=expiries)

    def _weight(self, snapshots: Ints) -> Floats:
        """W(q): bytes that the first q snapshots take, for each q."""
        laws = self.laws
        replaced = self.history.replacements.through(snapshots)
        commits = snapshots - replaced
        weight = laws.snapshot * commits + self._replaced_bytes[replaced] - self._saved * (snapshots > 0)
        if laws.counts_digits:
            weight = weight + self.digits.through(commits)
        if laws.counts_digits and laws.numbers_snapshots:
            weight = weight + digits_of_whole_numbers_through(snapshots)
        return np.asarray(weight)

    def _snapshots_as_if_none_expired(self, place: _Place) -> float:
        """Σ W(q) over the files that snapshots wrote."""
        laws, replaced = self.laws, self.history.replacements
        at = replaced.commits[: place.replacements]
        since = place.snapshots - replaced.snapshot[: place.replacements] + 1
        total = laws.snapshot * (float(triangle(place.commits)) + float(at.sum()))  # type: ignore[arg-type]
        total += float((self._replacement_bytes[: place.replacements] * since).sum())
        total -= self._saved * place.snapshots
        if laws.counts_digits:
            total += self.digits.through_all(place.commits) + float(self.digits.through(at).sum())
        if laws.counts_digits and laws.numbers_snapshots:
            total += _digits_of_whole_numbers_through_all(place.snapshots)
        return total

    def _expired(self, place: _Place) -> float:
        """Σ W(F) over the files written since each expiry, its own among them."""
        if not place.expiries:
            return 0.0
        latest = place.expiries - 1
        return float(self._missed[latest] + self._gone[latest] * (place.version + 1 - self._expiry_version[latest]))

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
            drops = np.flatnonzero(history.turns.dropped)
            last = min(snapshots, int(history.turns.snapshot[drops[0]]) - 1) if len(drops) else snapshots
            few = min(last, NARROW_SEQUENCE_NUMBERS)
            total += few * (few + 1) / 2 + NARROW_SEQUENCE_NUMBERS * max(last - few, 0)
        return total


def _digits_of_whole_numbers_through_all(count: int) -> float:
    total, power = count * (count + 1) / 2, 10
    while power <= count:
        past = count - power + 1
        total += past * (past + 1) / 2
        power *= 10
    return total
