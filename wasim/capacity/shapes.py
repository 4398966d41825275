"""What files of a table weigh at any commit interval: encoded at a few, and read off between them.

An interval decides how many rows a file holds, and that is all that differs between the manifests of two intervals:
counts and bounds of other lengths. So sizes are encoded at rows per file that lie a factor apart, and are linear in its
logarithm in between.
"""

from dataclasses import dataclass, field, replace
from math import floor, log

from wasim.iceberg.properties import TableProperties
from wasim.scenario import Case
from wasim.twin import Site, WriterProfile
from wasim.years import Shape
from wasim.years.arrivals import Arrivals, CommitSamples, FileBytes
from wasim.years.changes import merges_on_read
from wasim.years.json_sizes import MetadataJson
from wasim.years.manifest_sizes import ManifestBytes
from wasim.years.position_deletes import NO_POSITION_DELETES, PositionDeletes, read_position_deletes
from wasim.years.sizes import Sizes, TableSample, read_sizes
from wasim.years.summed import read_shape

FEW_ROWS, STEP_OF_FEW, STEP = 512.0, 8.0, 64.0  # rows per file between two encoded sizes
ALIKE = 0.01  # files a commit may differ by between what is encoded and what is asked


@dataclass(frozen=True, slots=True)
class _Encoded:
    arrivals: Arrivals
    sizes: Sizes


@dataclass(slots=True, kw_only=True)
class Shapes:
    """The shapes of one table and workload, at any interval and rate, whatever its metadata.json is compressed by."""

    profile: WriterProfile
    site: Site
    encodes_each: bool = False  # for a few intervals: each has its files encoded, none is read off between others
    _file_bytes: FileBytes | None = None
    _encoded: dict[int, _Encoded] = field(default_factory=dict)
    _json: dict[str, MetadataJson] = field(default_factory=dict)
    _commits: CommitSamples | None = None
    _samples: dict[int, TableSample] = field(default_factory=dict)  # by the rows of their commits
    _position_deletes: PositionDeletes | None = None

    def of_other_rows(self) -> "Shapes":
        """The same table's shapes under another workload, for few intervals; what does not depend on it is shared."""
        return replace(self, encodes_each=True, _encoded={}, _samples={}, _commits=None)

    def of(self, case: Case) -> Shape:
        """The case's shape."""
        if self._file_bytes is None:
            self._file_bytes = FileBytes(case, self.profile)
        if case.key_columns:
            return read_shape(case, self.profile, self.site)
        arrivals = self._arrivals(case)
        sizes, deletes = self._sizes(case, arrivals), NO_POSITION_DELETES
        if merges_on_read(case):
            deletes = self._position_deletes_of(case)
            sizes = replace(sizes, delete_manifests=deletes.manifests)
        return Shape(arrivals=arrivals, file_bytes=self._file_bytes, sizes=sizes, position_deletes=deletes)

    def with_json_of(self, case: Case, shape: Shape) -> Shape:
        """The shape of a like case, with metadata.json compressed as this case has it."""
        codec = TableProperties.read(case.table.properties).metadata_compression
        if codec not in self._json:
            if case.key_columns:
                self._json[codec] = read_sizes(case, shape.arrivals, self.profile, self.site).json
            else:
                self._json[codec] = next(iter(self._samples.values())).json_of(case, shape.arrivals)
        return replace(shape, sizes=replace(shape.sizes, json=self._json[codec]))

    def _position_deletes_of(self, case: Case) -> PositionDeletes:
        if self._position_deletes is None:
            self._position_deletes = read_position_deletes(case, self.profile, self.site)
        return self._position_deletes

    def _sizes(self, case: Case, arrivals: Arrivals) -> Sizes:
        if self.encodes_each:
            return self._sampled(case).sizes(arrivals)
        place = _place_of(arrivals.rows_per_file)
        low, high = (self._at(whole, case, arrivals) for whole in (floor(place), floor(place) + 1))
        if not all(abs(one.arrivals.files / arrivals.files - 1) < ALIKE for one in (low, high)):
            return self._sampled(case).sizes(arrivals)
        return _between(low.sizes, high.sizes, place - floor(place))

    def _arrivals(self, case: Case) -> Arrivals:
        if self._commits is None:
            self._commits = CommitSamples(profile=self.profile)
        return self._commits.arrivals(case)

    def _sampled(self, case: Case) -> TableSample:
        rows = TableSample.rows_of(case)
        if rows not in self._samples:
            self._samples[rows] = TableSample(case=case, profile=self.profile, site=self.site)
        return self._samples[rows]

    def _at(self, place: int, case: Case, arrivals: Arrivals) -> _Encoded:
        if place not in self._encoded:
            rows = max(1, round(_rows_at(place) * arrivals.files))
            workload = case.workload.model_copy(update={"rows_per_second": rows / case.commit_interval_s})
            like = replace(case, workload=workload)
            found = self._arrivals(like)
            self._encoded[place] = _Encoded(found, self._sampled(like).sizes(found))
        return self._encoded[place]


_FEW = log(FEW_ROWS) / log(STEP_OF_FEW)


def _place_of(rows_per_file: float) -> float:
    """Steps from one row per file to so many."""
    rows = max(rows_per_file, 1.0)
    return log(rows) / log(STEP_OF_FEW) if rows < FEW_ROWS else _FEW + log(rows / FEW_ROWS) / log(STEP)


def _rows_at(place: int) -> float:
    return STEP_OF_FEW**place if place < _FEW else FEW_ROWS * STEP ** (place - _FEW)


def _between(low: Sizes, high: Sizes, share: float) -> Sizes:
    """Sizes between two, linear."""

    def mean(one: float, other: float) -> float:
        return one + (other - one) * share

    few, many = low.data_manifests, high.data_manifests
    manifests = ManifestBytes(
        new=mean(few.new, many.new),
        staged=mean(few.staged, many.staged),
        by_count=few.by_count.mean(many.by_count, share),
        compacted_more=mean(few.compacted_more, many.compacted_more),
        sorted_more=mean(few.sorted_more, many.sorted_more),
    )
    return replace(
        low,
        lists=low.lists.mean(high.lists, share),
        sibling_saving=mean(low.sibling_saving, high.sibling_saving),
        rewritten_more=mean(low.rewritten_more, high.rewritten_more),
        data_manifests=manifests,
    )
