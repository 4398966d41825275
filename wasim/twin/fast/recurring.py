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
        rounds = np.minimum(np.maximum(past, 0), self.rounds[stretch] - 1)
        row = np.searchsorted(key.first, values - rounds * more, side="right") - 1
        return Place(stretch=stretch, rounds=rounds, row=row)

    def count(self, place: Place) -> Ints:
        """Rows of all rounds up to each place, its own among them."""
        if not self._count:
            return np.zeros(len(place.row), dtype=np.int64)
        at = place.stretch
        return np.asarray(self.before[at] + place.rounds * self.lengths[at] + place.row - self.first[at] + 1)

    def place_of(self, counts: Ints) -> Place:
        """The last of the first so many rows, for each of these counts."""
        if not self._count:
            return self._nowhere(counts)
        stretch = np.maximum(np.searchsorted(self.before, counts, side="left") - 1, 0)
        last, length = counts - 1 - self.before[stretch], self.lengths[stretch]
        rounds = np.maximum(last, 0) // length
        return Place(stretch=stretch, rounds=rounds, row=self.first[stretch] + last - rounds * length)

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
    """Sums of some columns, over all rounds, up to any place."""

    def __init__(self, rows: Recurring, *columns: Column) -> None:
        self._rows, self._columns = rows, columns
        self._first = self._sums([column.first for column in columns])
        self._more = self._sums([column.more for column in columns])
        start, stop = rows.first, rows.first + rows.lengths
        self._of_round = self._first[:, stop] - self._first[:, start]
        self._of_more = self._more[:, stop] - self._more[:, start]
        whole = rows.rounds * self._of_round + triangle(rows.rounds - 1) * self._of_more
        self._before = np.cumsum(whole, axis=1) - whole
        self.totals = tuple(float(one) for one in whole.sum(axis=1))
        self._knots: tuple[Ints, Floats] | None = None

    @staticmethod
    def _sums(numbers: Sequence[Floats]) -> Floats:
        sums = np.zeros((len(numbers), len(numbers[0]) + 1))
        np.cumsum(numbers, axis=1, out=sums[:, 1:])
        return sums

    def through(self, place: Place) -> Floats:
        """The sums of each column up to each place, its own row among them."""
        if not len(self._rows):
            return np.zeros((len(self._columns), len(place.row)))
        at, rounds, start, stop = place.stretch, place.rounds, self._rows.first[place.stretch], place.row + 1
        own = self._first[:, stop] - self._first[:, start]
        if not rounds.any():
            return np.asarray(self._before[:, at] + own)
        own += rounds * (self._more[:, stop] - self._more[:, start])
        return np.asarray(
            self._before[:, at] + rounds * self._of_round[:, at] + triangle(rounds - 1) * self._of_more[:, at] + own
        )

    def of_first(self, counts: Ints) -> Floats:
        """The sum of the first column over the first so many rows, for each of these counts."""
        knots = self._at_knots()
        if knots is not None:
            return np.interp(counts, *knots)
        return np.asarray(self.through(self._rows.place_of(counts))[0])

    def _at_knots(self) -> tuple[Ints, Floats] | None:
        """Counts of rows between which the first sum grows evenly, with the sums; None where that is not so."""
        rows, column = self._rows, self._columns[0]
        if self._knots is not None:
            return self._knots
        if column.more.any() or ((rows.lengths > 1) & (rows.rounds > 1)).any():
            return None
        rounds = np.repeat(rows.rounds, rows.lengths)
        sums = np.cumsum(rounds * column.first)
        self._knots = np.concatenate([[0], np.cumsum(rounds)]), np.concatenate([[0.0], sums])
        return self._knots


class Rows:
    """Rows of so many numbers as they are found, one by one or many rounds at once."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._kept, self._more = array("d"), array("d")  # numbers of each row, and of each stretch
        self._lengths: list[int] = []
        self._rounds: list[int] = []
        self._alone = 0  # rows that came one by one since the last rounds

    def __len__(self) -> int:
        return len(self._kept) // self._width

    def append(self, row: Sequence[float]) -> None:
        """Adds a row."""
        self._kept.extend(row)
        self._alone += 1

    def again(self, rows: Floats | Sequence[Sequence[float]], more: Sequence[float], rounds: int) -> None:
        """Adds rounds of some rows, which are `rows` in the first and `more` in each after."""
        self._settle()
        for row in rows:
            self._kept.extend(row)
        self._add(more, len(rows), rounds)

    def since(self, first: int) -> Floats:
        """The rows from number `first` on."""
        return np.array(self._kept[first * self._width :], dtype=np.float64).reshape(-1, self._width)

    def kept(self) -> Floats:
        """Every row as it is kept; no more can be added then."""
        found = np.frombuffer(self._kept, dtype=np.float64) if self._kept else np.zeros(0)
        return found.reshape(-1, self._width)

    def recurring(self) -> tuple[Recurring, list[Column]]:
        """How often the rows come, and their numbers, column by column."""
        self._settle()
        lengths = np.array(self._lengths, dtype=np.int64)
        kept, more = self.kept(), np.array(self._more, dtype=np.float64).reshape(-1, self._width)
        more = np.repeat(more, lengths, axis=0)
        columns = [Column(first=kept[:, place], more=more[:, place]) for place in range(self._width)]
        return Recurring(lengths, np.array(self._rounds, dtype=np.int64)), columns

    def _settle(self) -> None:
        if self._alone:
            self._add([0.0] * self._width, self._alone, 1)
            self._alone = 0

    def _add(self, more: Sequence[float], length: int, rounds: int) -> None:
        self._more.extend(more)
        self._lengths.append(length)
        self._rounds.append(rounds)
