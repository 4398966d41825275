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
from wasim.years.sizes import ROWS_OF_UPSERTS, Sizes, read_sizes


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
    arrivals, file_bytes = CommitSamples(profile=profile).arrivals(case), FileBytes(case, profile)
    if not case.key_columns:
        arrivals = rolled(arrivals, case, file_bytes)
    sizes = read_sizes(case, arrivals, profile, site)
    if sizes.row_deltas is not None:
        file_bytes = file_bytes.with_rows_apart(sizes.row_deltas.apart_bytes)
        if case.rows_per_commit <= ROWS_OF_UPSERTS:
            arrivals = arrivals.with_files(sizes.row_deltas.data_files)  # Flink deals rows out by key
    deletes = NO_POSITION_DELETES
    if merges_on_read(case):
        deletes = read_position_deletes(case, profile, site)
        sizes = replace(sizes, delete_manifests=deletes.manifests)
    is_estimated = sizes.json.entry is not None and sizes.json.compressed is not None  # see `of_recipe`
    return Shape(
        arrivals=arrivals,
        file_bytes=file_bytes.knowing(arrivals),
        sizes=sizes,
        position_deletes=deletes,
        bands={Kind.METADATA_JSON: ZIPPED_STATISTICS} if is_estimated else {},
    )
