"""What a real table's files and commits say, in place of what its writer's profile says of them."""

from dataclasses import dataclass, replace

import numpy as np

from wasim.ledger import Kind
from wasim.scenario import Case
from wasim.units import Floats
from wasim.years.json_sizes import FoundSnapshots, MetadataJson, of_each
from wasim.years.shape import Shape
from wasim.years.sizes import Sizes

_LEAST_FILES, _LEAST_RANGE = 8, 1.5  # of which, and of how different sizes, a line is fitted instead of a ratio
_MANIFESTS = (Kind.DATA_MANIFEST, Kind.DELETE_MANIFEST)
_HELD_BY_BAND = 90  # percent of the files


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFiles:
    """Manifest lists or manifests, a row each: how many things one lists, how many of them are new, and its bytes."""

    counts: Floats
    new: Floats
    bytes: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundJson:
    """A table's current metadata.json: plain bytes of what surrounds its growing arrays, of a log entry, of a snapshot
    with its log entry, and of a snapshot's statistics; `stored_bytes` of it all, and how many entries its log has.

    `band` is the relative half-width within which 90 % of the earlier versions are of what these say.
    """

    around: float
    log_entry: float
    snapshot: float
    statistics: float
    snapshots: int
    logged: int
    stored_bytes: int
    is_compressed: bool
    band: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """A real table: its sizes, and what its commits do that a case cannot say.

    `made` snapshots were made until now. For each that a case simulates there are `others`, and `versions` of
    metadata.json in all, None where unknown; the others write `other_manifests` bytes for each byte of manifests.
    `held_share` of all snapshots are held by tags and branches beyond what expiry leaves of main.
    """

    made: float
    json: FoundJson
    lists: FoundFiles
    manifests: FoundFiles
    others: float = 0.0
    other_manifests: float = 0.0
    versions: float | None = None
    held_share: float = 0.0

    def every(self, ratio: float, *, with_statistics: bool) -> "Observed":
        """The same table where commits are `ratio` times as far apart: what does not follow from them keeps its pace.

        `with_statistics` where each commit writes a further metadata.json itself.
        """
        own = 2.0 if with_statistics else 1.0
        return replace(
            self,
            made=self.made / ratio,
            others=self.others * ratio,
            other_manifests=self.other_manifests * ratio,
            versions=None if self.versions is None else own + max(0.0, self.versions - own) * ratio,
            held_share=min(1.0, self.held_share * ratio),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Bytes of a table's own files by simulated ones: fixed + scale · simulated, 90 % of them within `band`."""

    fixed: float = 0.0
    scale: float = 1.0
    band: float = 0.0

    def of(self, simulated: float) -> float:
        """Bytes of the table's own."""
        return self.fixed + self.scale * simulated


def fit_files(simulated: Floats, found: Floats) -> Fit:
    """The fit by least relative squares; of few files, or of equal ones, by their ratio. None found leave all as is."""
    if not len(found):
        return Fit()
    fit = Fit(scale=float(np.median(found / simulated)))
    if len(found) >= _LEAST_FILES and simulated.max() >= _LEAST_RANGE * simulated.min():
        rows = np.column_stack([np.ones_like(simulated), simulated]) / found[:, None]
        (fixed, scale), *_ = np.linalg.lstsq(rows, np.ones(len(found)))
        if scale > 0 and fixed + scale * simulated.min() > 0:
            fit = Fit(fixed=float(fixed), scale=float(scale))
    return replace(fit, band=band_of(fit.fixed + fit.scale * simulated, found))


def band_of(expected: Floats, found: Floats) -> float:
    """How far 90 % of the files found are at most from the bytes expected of them, as a share of what was found."""
    return float(np.percentile(np.abs(expected / found - 1), _HELD_BY_BAND))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fits:
    """How a table's files differ from what its writer's profile says, for any commit interval."""

    lists: Fit
    manifests: Fit


def fits_of(shape: Shape, observed: Observed) -> Fits:
    """How the table's lists and manifests differ from a shape's at its own commit interval."""
    sizes, lists, manifests = shape.sizes, observed.lists, observed.manifests
    listed = np.array([sizes.lists.by_count.at(count) for count in lists.counts])
    each = zip(manifests.counts, manifests.new, strict=True)
    of_data = sizes.data_manifests
    held = [of_data.new_of(new) if new == count else of_data.by_count.at(count) for count, new in each]
    return Fits(lists=fit_files(listed, lists.bytes), manifests=fit_files(np.array(held), manifests.bytes))


def as_observed(shape: Shape, observed: Observed, fits: Fits, case: Case) -> Shape:
    """The shape with the own sizes of a table that is kept as `case` has it, and with what its commits do besides."""
    sizes = shape.sizes
    fitted = Sizes(
        json=_json(sizes.json, observed, case),
        lists=sizes.lists.fitted(fits.lists.fixed, fits.lists.scale),
        data_manifests=sizes.data_manifests.fitted(fits.manifests.fixed, fits.manifests.scale),
        delete_manifests=sizes.delete_manifests.fitted(fits.manifests.fixed, fits.manifests.scale),
        snapshots=sizes.snapshots,
        row_deltas=sizes.row_deltas,
    )
    bands = {Kind.METADATA_JSON: observed.json.band, Kind.MANIFEST_LIST: fits.lists.band}
    bands |= dict.fromkeys(_MANIFESTS, fits.manifests.band)
    others = {Kind.MANIFEST_LIST: observed.others} | dict.fromkeys(_MANIFESTS, observed.other_manifests)
    return replace(shape, sizes=fitted, stages=(), others=others, held_share=observed.held_share, bands=bands)


def _json(simulated: MetadataJson, observed: Observed, case: Case) -> MetadataJson:
    found = observed.json
    compressed = simulated.compressed
    if compressed is not None and found.is_compressed:
        items = np.full(1, found.snapshots * (found.snapshot + found.statistics))
        stored = simulated.over(case).of(items, np.full(1, float(found.logged)))
        compressed = replace(compressed, scale=found.stored_bytes / float(stored[0]))
    return replace(
        simulated,
        created=simulated.created + found.around - simulated.around,
        around=found.around,
        log_entry=found.log_entry,
        compressed=compressed,
        statistics=of_each(found.statistics),
        entry=None,
        versions=simulated.versions_per_commit if observed.versions is None else observed.versions,
        found=FoundSnapshots(bytes=found.snapshot * (1 + observed.others), made=observed.made),
    )
