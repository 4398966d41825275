"""The rows of a workload, computed without Spark: a column's values by row number, as drive/rows.py defines them.

Everything follows from the row number, the seed and the column's place, so bounds and partitions follow the rows
that a real writer would write. Where columns move, a row keeps its values; widened, a column has other ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from hashlib import sha256
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wasim.iceberg.schemas import decimal_digits
from wasim.scenario import Case
from wasim.twin.hashing import spark_xxhash64
from wasim.twin.row_sets import AS_ARRIVED, RowSet
from wasim.twin.schema import Leaf
from wasim.units import Ints

Values = NDArray[Any]  # of one column: int64, float32, float64, bool, or objects (str, bytes)

EPOCH_US = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z
EPOCH_DAYS = EPOCH_US // 86_400_000_000
TIME_SPAN_US = 315_360_000_000_000
DATE_SPAN_DAYS = 3650
ALL_KEYS = 2**62
_SPANS = {
    "int": range(2_147_483_647),
    "date": range(EPOCH_DAYS, EPOCH_DAYS + DATE_SPAN_DAYS),
    "timestamp": range(EPOCH_US, EPOCH_US + TIME_SPAN_US),
    "timestamptz": range(EPOCH_US, EPOCH_US + TIME_SPAN_US),
}
HEX_DIGITS = 64  # of a SHA-256
_MOST_RANKED = 1 << 16
# Rows that follow each other are hashed this many at a time: numpy takes as long to begin as to hash hundreds.
_HASHED_TOGETHER = 8192
_FEW_ROWS = _HASHED_TOGETHER // 4


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ranking:
    """How the texts of a column of few values sort: the rank of each key, and the digests by rank."""

    ranks: Ints
    digests: list[bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The rows of a case. `hashed` remembers the keys of the newest block of rows as they arrive, by a column's salt.

    Rows that merges insert have negative numbers and the event time of their merge, which `late_s` gives by version.
    `added` are columns that the table got after its creation: the first row to arrive with each, and the version of the
    first statement that gives it values.
    """

    case: Case
    rotating: str | None  # salt of the column that `partitions_per_commit` walks through
    late_s: dict[int, float] = field(default_factory=dict)
    hashed: dict[str, tuple[int, Ints]] = field(default_factory=dict)
    added: Mapping[int, tuple[int, int]] = field(default_factory=dict)  # by field id

    def nulls(self, leaf: Leaf, rows: RowSet) -> int:
        """The number of these rows that do not have the column."""
        if leaf.field_id not in self.added:
            return 0
        number, version = self.added[leaf.field_id]
        older = np.where(rows.versions == AS_ARRIVED, rows.numbers < number, rows.versions < version)
        return int(np.count_nonzero(older))

    def values(self, leaf: Leaf, rows: RowSet) -> Values:
        """The column's values in these rows, as if all of them had it."""
        if leaf.role == "event_id":
            return rows.numbers
        if leaf.role == "event_time":
            return self._times(rows)
        return values_of_keys(leaf, self._keys(leaf, rows))

    def items(self, leaf: Leaf, rows: RowSet) -> Values:
        """The values of a column within a list or a map in these rows: as many columns as each row has items."""
        count = range(leaf.items or 0)
        if leaf.is_map_key:
            return np.stack([values_of_keys(leaf, np.full(len(rows), item)) for item in count], axis=1)
        keys = [self._keys(replace(leaf, salt=f"{leaf.salt}.{item}"), rows) for item in count]
        return np.stack([values_of_keys(leaf, one) for one in keys], axis=1)

    def _times(self, rows: RowSet) -> Ints:
        fresh = self.case.rows_per_commit - self.case.replaced_rows_per_commit
        times = EPOCH_US + np.floor(rows.numbers * (self.case.commit_interval_s * 1e6 / fresh)).astype(np.int64)
        for place in np.flatnonzero(rows.numbers < 0).tolist():
            times[place] = EPOCH_US + round(self.late_s[int(rows.versions[place])] * 1e6)
        return np.asarray(times)

    def extremes(self, leaf: Leaf, rows: RowSet, starts: Sequence[int] = (0,)) -> list[tuple[Any, Any]]:
        """The least and the greatest value in each part of these rows; parts begin at these places."""
        if leaf.role is not None:
            return _extremes(self.values(leaf, rows), starts)
        keys = self._keys(leaf, rows)
        if leaf.column.type not in ("string", "binary"):
            return _extremes(values_of_keys(leaf, keys), starts)
        # Texts begin as their digests do, so digests decide the extremes, and only two texts of a part are built.
        if leaf.column.values is not None and leaf.column.values <= _MOST_RANKED:
            ranking = _ranking(leaf.salt, leaf.column.values)
            return [texts_of_ranks(leaf, *pair) for pair in _extremes(ranking.ranks[keys], starts)]
        digests = [_digest(leaf.salt, key) for key in keys.tolist()]
        parts = [digests[start:stop] for start, stop in zip(starts, [*starts[1:], len(digests)], strict=True)]
        return [(_spelt(leaf, min(part)), _spelt(leaf, max(part))) for part in parts]

    def _keys(self, leaf: Leaf, rows: RowSet) -> Ints:
        numbers, versions = rows.numbers, rows.versions
        if leaf.salt == self.rotating:
            per_commit = self.case.workload.partitions_per_commit or 1
            commits = np.trunc(numbers / self.case.rows_per_commit).astype(np.int64)  # as SQL divides
            return np.asarray((commits * per_commit + numbers % per_commit) % (leaf.column.values or 1))
        if leaf.name in self.case.key_columns:
            return np.asarray(self._hashes_as_arrived(leaf, numbers) % (leaf.column.values or ALL_KEYS))
        values = leaf.column.values or ALL_KEYS
        if not versions.any():
            return np.asarray(self._hashes_as_arrived(leaf, numbers) % values)
        keys = np.empty(len(numbers), dtype=np.int64)
        for version in np.unique(versions).tolist():
            same = versions == version
            keys[same] = spark_xxhash64(numbers[same], self.case.seed + version, leaf.salt)
        return keys % values

    def _hashes_as_arrived(self, leaf: Leaf, numbers: Ints) -> Ints:
        block = int(numbers.min()) // _HASHED_TOGETHER
        if len(numbers) > _FEW_ROWS or int(numbers.max()) // _HASHED_TOGETHER != block:
            return spark_xxhash64(numbers, self.case.seed, leaf.salt)
        if self.hashed.get(leaf.salt, (None, None))[0] != block:
            first = block * _HASHED_TOGETHER
            all_of_block = np.arange(first, first + _HASHED_TOGETHER, dtype=np.int64)
            self.hashed[leaf.salt] = block, spark_xxhash64(all_of_block, self.case.seed, leaf.salt)
        return np.asarray(self.hashed[leaf.salt][1][numbers - block * _HASHED_TOGETHER])


def texts_of_ranks(leaf: Leaf, low: int, high: int) -> tuple[str | bytes, str | bytes]:
    """The values of a column of few texts that stand at two places of their order."""
    digests = _ranking(leaf.salt, leaf.column.values or 0).digests
    return _spelt(leaf, digests[low]), _spelt(leaf, digests[high])


@lru_cache(maxsize=256)  # tables of other rows, and other tables, have the same columns in the same places
def _ranking(salt: str, values: int) -> _Ranking:
    digests = [_digest(salt, key) for key in range(values)]
    keys = sorted(range(values), key=digests.__getitem__)
    ranks = np.empty(values, dtype=np.int64)
    ranks[keys] = np.arange(values)
    return _Ranking(ranks=ranks, digests=[digests[key] for key in keys])


def values_of_keys(leaf: Leaf, keys: Ints) -> Values:
    """The column's values for keys, which alone decide them: whole numbers below that of its values."""
    kind = leaf.column.type
    if kind in ("string", "binary"):
        return _digested(leaf, keys)
    if kind == "boolean":
        return np.asarray(keys % 2 == 0)
    if kind in ("float", "double"):
        return (keys / float(ALL_KEYS)).astype(np.float32 if kind == "float" else np.float64)
    span = span_of(kind)
    return np.asarray(span.start + keys % len(span))


@cache
def span_of(type_name: str) -> range:
    """The numbers that a column of this type can have, which its keys count through; of a type without, the keys."""
    if digits := decimal_digits(type_name):
        return range(10 ** min(digits[0], 18))
    return _SPANS.get(type_name, range(ALL_KEYS))


def _digested(leaf: Leaf, keys: Ints) -> Values:
    distinct = np.unique(keys, return_inverse=True)
    made = [_spelt(leaf, _digest(leaf.salt, key)) for key in distinct[0].tolist()]
    return np.array(made, dtype=object)[distinct[1]]


def _extremes(values: Values, starts: Sequence[int]) -> list[tuple[Any, Any]]:
    low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _digest(salt: str, key: int) -> bytes:
    return sha256(f"{key}/{salt}".encode()).digest()


def _spelt(leaf: Leaf, digest: bytes) -> str | bytes:
    length = leaf.column.length
    if leaf.column.type == "binary":
        return (digest * -(-length // len(digest)))[:length]
    return (digest.hex() * -(-length // HEX_DIGITS))[:length]


def rows_of(case: Case) -> Rows:
    """The rows of a case."""
    place = case.rotating_place
    return Rows(case=case, rotating=None if place is None else f"{place}")


def split_rows(case: Case, commit: int) -> list[Ints]:
    """The row numbers of each writing task of a commit; tasks without rows write nothing."""
    rows, tasks = case.rows_per_commit, case.workload.files_per_commit
    first = (commit - 1) * rows
    if case.writer.kind == "streaming":
        # `rate-micro-batch` deals rows to its partitions in turn.
        parts = [np.arange(first + task, first + rows, tasks, dtype=np.int64) for task in range(tasks)]
    else:
        parts = [np.arange(low, high, dtype=np.int64) for low, high in task_edges(first, first + rows, tasks)]
    return [part for part in parts if len(part)]


def task_edges(first: int, stop: int, tasks: int) -> list[tuple[int, int]]:
    """First and stop of each task's part of a range of Spark's."""
    edges = [first + task * (stop - first) // tasks for task in range(tasks + 1)]
    return list(pairwise(edges))
