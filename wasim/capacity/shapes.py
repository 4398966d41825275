"""Sizes of a table's files at any commit interval: encoded at a few, and read off between them.

An interval decides how many rows a file holds, and that is all that differs between the manifests of two intervals:
counts and bounds of other lengths. So sizes are encoded at rows per file that lie a factor apart, and are linear in its
logarithm in between.
"""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import log
from typing import Protocol

from wasim.iceberg.properties import METADATA_COMPRESSION
from wasim.scenario import Case
from wasim.twin import Site, WriterProfile
from wasim.units import YEAR_S
from wasim.years import Shape
from wasim.years.arrivals import Arrivals, CommitSamples, FileBytes, rolled
from wasim.years.json_sizes import MetadataJson
from wasim.years.localities import merges_on_read
from wasim.years.position_deletes import NO_POSITION_DELETES, PositionDeletes, read_position_deletes
from wasim.years.shape import KeyedShapes, read_shape
from wasim.years.sizes import Sizes, TableSample

ENCODED_ROWS = (
    1.0,
    2.0,
    16.0,
    512.0,
    4096.0,
    *(2.0**power for power in (17, 25, 33, 41)),
)  # per file; read off between


class Sampled(Protocol):
    """Sizes of the files of one table."""

    def sizes(self, arrivals: Arrivals) -> Sizes:
        """Sizes of the table's files where its commits bring these."""

    def json_of(self, case: Case, arrivals: Arrivals) -> MetadataJson:
        """Sizes of metadata.json, compressed as this case has it."""


@dataclass(kw_only=True)
class Shapes:
    """The shapes of one table and workload, at any interval and rate, whatever its metadata.json is compressed by."""

    profile: WriterProfile
    site: Site
    encodes_each: bool = False  # for a few intervals: the shape of each is that of a simulation, not read off
    sample: Sampled | None = None
    arrivals_of: Callable[[Case], Arrivals] | None = None  # what a commit of a case's writer brings
    file_bytes: FileBytes | None = None
    _encoded: dict[float, Sizes] = field(default_factory=dict)
    _position_deletes: PositionDeletes | None = None
    _compressed: dict[tuple[str | None, float, int], MetadataJson] = field(default_factory=dict)

    def of(self, case: Case) -> Shape:
        """The case's shape."""
        if case.key_columns:
            return self._keyed_shapes.of(case, max(case.horizon_s, YEAR_S))
        if self.encodes_each:
            return read_shape(case, self.profile, self.site)
        arrivals, file_bytes = self._arrivals(case)
        sizes, deletes = self._sizes(case, arrivals), NO_POSITION_DELETES
        if merges_on_read(case):
            if self._position_deletes is None:
                self._position_deletes = read_position_deletes(case, self.profile, self.site)
            deletes = self._position_deletes
            sizes = replace(sizes, delete_manifests=deletes.manifests)
        return Shape(arrivals=arrivals, file_bytes=file_bytes.knowing(arrivals), sizes=sizes, position_deletes=deletes)

    def with_json_of(self, case: Case, shape: Shape) -> Shape:
        """The shape of a like case, with metadata.json compressed as this case has it."""
        if case.key_columns:
            return self._keyed_shapes.with_json_of(case, shape)
        key = case.table.properties.get(METADATA_COMPRESSION), case.commit_interval_s, case.rows_per_commit
        if key not in self._compressed:
            self._compressed[key] = self._sampled(case).json_of(case, self._arrivals(case)[0])
        return replace(shape, sizes=replace(shape.sizes, json=self._compressed[key]))

    @cached_property
    def _keyed_shapes(self) -> KeyedShapes:
        """Of a writer that deletes by key."""
        return KeyedShapes(profile=self.profile, site=self.site, encodes_each=self.encodes_each)

    def _sizes(self, case: Case, arrivals: Arrivals) -> Sizes:
        sample = self._sampled(case)
        rows = max(arrivals.rows_per_file, 1.0)
        place = bisect_right(ENCODED_ROWS, rows)
        few, many = ENCODED_ROWS[place - 1 : place + 1]
        low, high = (self._at(one, sample, arrivals) for one in (few, many))
        return _between(low, high, log(rows / few) / log(many / few), arrivals.files)

    def _arrivals(self, case: Case) -> tuple[Arrivals, FileBytes]:
        if self.arrivals_of is None:
            self.arrivals_of = CommitSamples(profile=self.profile).arrivals
        if self.file_bytes is None:
            self.file_bytes = FileBytes(case, self.profile)
        return rolled(self.arrivals_of(case), case, self.file_bytes), self.file_bytes

    def _sampled(self, case: Case) -> Sampled:
        if self.sample is None:
            self.sample = TableSample(case=case, profile=self.profile, site=self.site, draws_bounds=True)
        return self.sample

    def _at(self, rows: float, sample: Sampled, arrivals: Arrivals) -> Sizes:
        if rows not in self._encoded:
            self._encoded[rows] = sample.sizes(replace(arrivals, rows_per_file=rows))
        return self._encoded[rows]


def _between(low: Sizes, high: Sizes, share: float, files: float) -> Sizes:
    """Sizes between two, linear, where commits bring `files`."""
    few = low.data_manifests.of_files(files)
    return replace(low, lists=low.lists.mean(high.lists, share), data_manifests=few.between(high.data_manifests, share))
