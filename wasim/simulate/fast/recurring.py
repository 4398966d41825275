"""Rows that come round again, each kept once: what is asked of them has closed forms, however many there are.

A stretch is some rows and how often they come. In every further round each number is more by the same: snapshot,
commits and time by what a round takes, bytes by what its entries weigh, and most of them by nothing.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wasim.model.digits import triangle
from wasim.units import Floats, Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A number of each row that is kept: in its `first` round, and how much `more` in every round after."""

    first: Floats
    more: Floats

    def times(self, factor: Floats) -> "Column":
        """Each number times one that is the same in all rounds."""
        return Column(first=self.first * factor, more=self.more * factor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A row of some round for each of several keys: `stretch`, `rounds` of it before, `row` as kept; -1: none yet."""

    stretch: Ints
    rounds: Ints
    row: Ints


class Recurring:
    """How often rows come: stretches of so many rows each, and their rounds."""

    def __init__(self, lengths: Ints, rounds: Ints) -> None:
        self.lengths, self.rounds = lengths, rounds
        self.first = np.cumsum(lengths) - lengths  # each stretch's first row
        coming = lengths * rounds
        self.before = np.cumsum(coming) - coming
        self._count = int(coming.sum())

    def __len__(self) -> int:
        return self._count

    @property
    def end(self) -> Place:
        """The last row of all."""
        if not self._count:
            return self._nowhere(np.zeros(1))
        last = np.array([len(self.lengths) - 1])
        return Place(stretch=last, rounds=self.rounds[last] - 1, row=np.array([int(self.lengths.sum()) - 1]))

    def place(self, key: Column, values: Ints | Floats) -> Place:
        """The last row whose key, which ascends from row to row and round to round, is at most each of these values."""
        if not self._count:
            return self._nowhere(values)
        start = key.first[self.first]
        stretch = np.maximum(np.searchsorted(start, values, side="right") - 1, 0)
        more = key.more[self.first[stretch]]
        past = np.floor((values - start[stretch]) / np.where(more > 0, more, np.inf)).astype(np.int64)
        rounds = np.clip(past, 0, self.rounds[stretch] - 1)
        row = np.searchsorted(key.first, values - rounds * more, side="right") - 1
        return Place(stretch=stretch, rounds=rounds, row=row)

    def count(self, place: Place) -> Ints:
        """Rows of all rounds up to each place, its own among them."""
        if not self._count:
            return np.zeros(len(place.row), dtype=np.int64)
        at = place.stretch
        return np.asarray(self.before[at] + place.rounds * self.lengths[at] + place.row - self.first[at] + 1)

    def at(self, column: Column, place: Place) -> Floats:
        """The number in the row at each place; 0 before all."""
        if not self._count:
            return np.zeros(len(place.row))
        found = column.first[place.row] + place.rounds * column.more[place.row]
        return np.asarray(np.where(place.row < 0, 0.0, found))

    def steps(self, column: Column) -> Column:
        """What each number is more than that of the row before, the same in every round; of the first, itself."""
        last = self.first + self.lengths - 1
        before = np.concatenate([[0.0], column.first[:-1]])
        before[self.first[1:]] = (column.first[last] + (self.rounds - 1) * column.more[last])[:-1]
        return Column(first=column.first - before, more=np.zeros(len(before)))

    def _nowhere(self, values: Ints | Floats) -> Place:
        none = np.zeros(len(values), dtype=np.int64)
        return Place(stretch=none, rounds=none, row=none - 1)


class Running:
    """Sums of a column, over all rounds, up to any place."""

    def __init__(self, rows: Recurring, column: Column) -> None:
        self._rows = rows
        self._first = np.concatenate([[0.0], np.cumsum(column.first)])
        self._more = np.concatenate([[0.0], np.cumsum(column.more)])
        start, stop = rows.first, rows.first + rows.lengths
        self._of_round, self._of_more = self._first[stop] - self._first[start], self._more[stop] - self._more[start]
        whole = rows.rounds * self._of_round + triangle(rows.rounds - 1) * self._of_more
        self._before = np.cumsum(whole) - whole
        self.total = float(whole.sum())

    def through(self, place: Place) -> Floats:
        """The sum up to each place, its own row among them."""
        if not len(self._rows):
            return np.zeros(len(place.row))
        at, rounds, start = place.stretch, place.rounds, self._rows.first[place.stretch]
        total = self._before[at] + rounds * self._of_round[at] + triangle(rounds - 1) * self._of_more[at]
        own = self._first[place.row + 1] - self._first[start]
        return np.asarray(total + own + rounds * (self._more[place.row + 1] - self._more[start]))


class Rows:
    """Rows of so many numbers as they are found, one by one or many rounds at once."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._kept: list[Floats] = []
        self._more: list[Floats] = []
        self._rounds: list[int] = []
        self._latest = array("d")
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def append(self, row: Sequence[float]) -> None:
        """Adds a row."""
        self._latest.extend(row)
        self._length += 1

    def again(self, rows: Floats, more: Floats, rounds: int) -> None:
        """Adds rounds of some rows, which are `rows` in the first and `more` in each after."""
        self._settle()
        self._add(rows, np.broadcast_to(more, rows.shape), rounds)
        self._length += len(rows)

    def since(self, first: int) -> Floats:
        """The rows from number `first` on, which were appended one by one since rounds were last added."""
        count = self._length - first
        latest = self._latest[len(self._latest) - count * self._width :]
        return np.array(latest, dtype=np.float64).reshape(-1, self._width)

    def recurring(self) -> tuple[Recurring, list[Column]]:
        """How often the rows come, and their numbers, column by column."""
        self._settle()
        lengths = np.array([len(one) for one in self._kept], dtype=np.int64)
        none = [np.zeros((0, self._width))]
        kept, more = np.concatenate(self._kept or none), np.concatenate(self._more or none)
        columns = [Column(first=kept[:, place], more=more[:, place]) for place in range(self._width)]
        return Recurring(lengths, np.array(self._rounds, dtype=np.int64)), columns

    def _settle(self) -> None:
        if self._latest:
            rows = np.array(self._latest, dtype=np.float64).reshape(-1, self._width)
            self._latest = array("d")
            self._add(rows, np.broadcast_to(0.0, rows.shape), 1)

    def _add(self, rows: Floats, more: Floats, rounds: int) -> None:
        self._kept.append(rows)
        self._more.append(more)
        self._rounds.append(rounds)
