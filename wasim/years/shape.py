"""What cases with the same table, workload and writer share, read off a sample of rows and a handful of files."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from wasim.ledger import Kind
from wasim.scenario import Case
from wasim.twin import Site, WriterProfile
from wasim.years.arrivals import Arrivals, CommitSamples, FileBytes, rolled
from wasim.years.band import ZIPPED_STATISTICS
from wasim.years.localities import merges_on_read
from wasim.years.position_deletes import NO_POSITION_DELETES, PositionDeletes, read_position_deletes
from wasim.years.sizes import ROWS_OF_UPSERTS, KeyedSample, Sizes, read_sizes


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What cases with the same table, workload and writer share: their commits, and how large their files are.

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

    @property
    def ingested_bytes(self) -> float:
        """Data bytes of one commit's rows as they arrive."""
        deltas = self.sizes.row_deltas
        return self.arrivals.files * self.file_bytes.of(self.arrivals.rows_per_file) + (deltas.bytes if deltas else 0.0)

    @property
    def manifest_growth(self) -> float:
        """Bytes by which one commit's entries make a manifest larger that they are merged into."""
        return self.sizes.data_manifests.by_count.slope * self.arrivals.files


def read_shape(case: Case, profile: WriterProfile, site: Site) -> Shape:
    """The shape of a case's table, from a sample of its rows and a handful of encoded files."""
    arrivals = CommitSamples(profile=profile).arrivals(case)
    if case.key_columns:
        sample = KeyedSample(case=case, arrivals=arrivals, profile=profile, site=site)
        return keyed_shape(case, arrivals, sample, profile)
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


def keyed_shape(case: Case, arrivals: Arrivals, sample: KeyedSample, profile: WriterProfile) -> Shape:
    """The shape of a case whose writer deletes by key, and whose commits bring these arrivals."""
    deltas = sample.deltas(case, arrivals)
    sizes = sample.sizes(case, arrivals, deltas)
    if case.rows_per_commit <= ROWS_OF_UPSERTS:
        arrivals = arrivals.with_files(deltas.data_files)  # Flink deals rows out by key
    file_bytes = FileBytes(case, profile).with_rows_apart(deltas.apart_bytes)
    return Shape(arrivals=arrivals, file_bytes=file_bytes.knowing(arrivals), sizes=sizes, bands=_bands_of(sizes))


def _bands_of(sizes: Sizes) -> Mapping[Kind, float]:
    is_estimated = sizes.json.entry is not None and sizes.json.compressed is not None  # see `of_recipe`
    return {Kind.METADATA_JSON: ZIPPED_STATISTICS} if is_estimated else {}
