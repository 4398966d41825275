"""What cases with the same table, workload and writer share, read off a sample of rows and a handful of files."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf

from wasim.ledger import Kind
from wasim.scenario import Case
from wasim.twin import Site, WriterProfile
from wasim.years.arrivals import Arrivals, CommitSamples, FileBytes, rolled
from wasim.years.band import ZIPPED_STATISTICS
from wasim.years.localities import merges_on_read
from wasim.years.position_deletes import NO_POSITION_DELETES, PositionDeletes, read_position_deletes
from wasim.years.sizes import ROWS_OF_UPSERTS, KeyedSample, Sizes, keyed_rows, keys_on_the_way, read_sizes
from wasim.years.spreading import Stage, in_buckets, nearest_sampled, spread_over, stages_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What cases with the same table, workload and writer share: their commits, and how large their files are; in
    `stages` where they change with the table.

    Of a real table also (`observed`): what `others`, commits that no case simulates, write of each kind for each byte
    simulated; which share of the snapshots no expiry takes; and the bands of its own sizes.
    """

    arrivals: Arrivals
    file_bytes: FileBytes
    sizes: Sizes
    position_deletes: PositionDeletes = NO_POSITION_DELETES
    others: Mapping[Kind, float] = field(default_factory=dict)
    held_share: float = 0.0
    bands: Mapping[Kind, float] = field(default_factory=dict)
    stages: tuple[Stage, ...] = ()

    def ingested_bytes(self, commits: float) -> float:
        """Bytes of the data files that the rows of so many commits arrive in."""
        return self._through(commits, lambda one: one.arrivals.files * one.file_bytes.of(one.arrivals.rows_per_file))

    def key_delete_bytes(self, commits: float) -> float:
        """Bytes of the delete files that so many commits of a writer that deletes by key bring."""
        return self._through(commits, lambda one: one.sizes.row_deltas.bytes if one.sizes.row_deltas else 0.0)

    def _through(self, commits: float, of_commit: Callable[["Shape"], float]) -> float:
        """What so many commits bring, each in its stage."""
        if not self.stages:
            return commits * of_commit(self)
        ends = (*(one.since for one in self.stages[1:]), inf)
        each = zip(self.stages, ends, strict=True)
        return sum(max(0.0, min(end, commits) - one.since) * of_commit(one.shape) for one, end in each)

    @property
    def manifest_growth(self) -> float:
        """Bytes by which one commit's entries make a manifest larger that they are merged into."""
        return self.sizes.data_manifests.by_count.slope * self.arrivals.files

    def at(self, commits: float) -> "Shape":
        """The shape in the stage of this commit."""
        return next((one.shape for one in reversed(self.stages) if one.since < commits), self)


def read_shape(case: Case, profile: WriterProfile, site: Site) -> Shape:
    """The shape of a case's table, from a sample of its rows and a handful of encoded files."""
    if case.key_columns:
        return KeyedShapes(profile=profile, site=site).of(case, case.horizon_s)
    arrivals = CommitSamples(profile=profile).arrivals(case)
    file_bytes = FileBytes(case, profile)
    arrivals = rolled(arrivals, case, file_bytes)
    sizes, deletes = read_sizes(case, arrivals, profile, site), NO_POSITION_DELETES
    if merges_on_read(case):
        deletes = read_position_deletes(case, profile, site)
        sizes = replace(sizes, delete_manifests=deletes.manifests)
    return Shape(
        arrivals=arrivals,
        file_bytes=file_bytes.knowing(arrivals),
        sizes=sizes,
        position_deletes=deletes,
        bands=_bands_of(sizes),
    )


@dataclass(kw_only=True)
class KeyedShapes:
    """Shapes of one table and its writer, which deletes by key, at any interval: from samples that intervals share
    where files have rows enough, or of each interval if it `encodes_each`.
    """

    profile: WriterProfile
    site: Site
    encodes_each: bool = False
    # by partition fields, rows of a checkpoint and interval
    _samples: dict[tuple[tuple[str, ...], int, float], KeyedSample] = field(default_factory=dict)

    def of(self, case: Case, horizon_s: float) -> Shape:
        """The shape of a case, with its stages over a horizon in seconds."""
        arrivals = self._commits.arrivals(case)
        sample = self._sample(case, arrivals)
        sizes = sample.sizes(case, arrivals, deltas := sample.deltas(case, arrivals, numbers := keys_on_the_way(case)))
        file_bytes = FileBytes(case, self.profile).with_rows_apart(deltas.apart_bytes)

        def shape_of(arrivals: Arrivals, sizes: Sizes) -> Shape:
            if case.rows_per_commit <= ROWS_OF_UPSERTS and sizes.row_deltas is not None:
                arrivals = arrivals.with_files(sizes.row_deltas.data_files)  # Flink deals rows out by key
            return Shape(
                arrivals=arrivals, file_bytes=file_bytes.knowing(arrivals), sizes=sizes, bands=_bands_of(sizes)
            )

        def spread(partitions: int) -> Shape:
            if partitions == 1:
                return shape_of(replace(arrivals, lifetime_s=inf), sizes)
            nearest, there = nearest_sampled(partitions), spread_over(case, arrivals, partitions)
            sample = self._sample(in_buckets(case, nearest), spread_over(case, arrivals, nearest).arrivals)
            return shape_of(there.arrivals, sample.spread(in_buckets(case, partitions), there, sizes, numbers))

        return replace(shape_of(arrivals, sizes), stages=stages_of(case, horizon_s, spread))

    def with_json_of(self, case: Case, shape: Shape) -> Shape:
        """The shape of a like case, with metadata.json compressed as this case has it."""
        json = self._sample(case, self._commits.arrivals(case)).json_of(case)
        return replace(shape, sizes=replace(shape.sizes, json=json), bands=_bands_of(replace(shape.sizes, json=json)))

    @cached_property
    def _commits(self) -> CommitSamples:
        return CommitSamples(profile=self.profile)

    def _sample(self, case: Case, arrivals: Arrivals) -> KeyedSample:
        fields = tuple(one.transform for one in case.table.partition_by)
        key = fields, keyed_rows(case, arrivals), case.commit_interval_s * self.encodes_each
        if key not in self._samples:
            self._samples[key] = KeyedSample(case=case, arrivals=arrivals, profile=self.profile, site=self.site)
        return self._samples[key]


def _bands_of(sizes: Sizes) -> Mapping[Kind, float]:
    is_estimated = sizes.json.entry is not None and sizes.json.compressed is not None  # see `of_recipe`
    return {Kind.METADATA_JSON: ZIPPED_STATISTICS} if is_estimated else {}
