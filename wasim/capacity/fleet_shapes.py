"""Sizes of files in the tables of a large fleet: encoded for tables of a few columns, files and partitions, and read
off between them.

What a manifest takes is nearly linear in the columns, but for the first hundred alone Iceberg keeps bounds; it hardly
goes with files of a commit, with the writer, or with partitions, once there are several: what each of these changes is
encoded for three widths, of files of 512 and of 4,096 rows. metadata.json and manifest lists do not go with files and
partitions at all.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import log2
from typing import Protocol, Self, TypeVar

from wasim.capacity.request import DEFAULT_LOCATION, Requirements, request_from_flags
from wasim.capacity.settings import Setting, case_of
from wasim.capacity.shapes import Shapes
from wasim.processes import cached_by_all
from wasim.scenario import Case
from wasim.scenario.fleet import FleetTable
from wasim.twin import Site, shipped_profile
from wasim.twin.supported import check_answerable
from wasim.years.arrivals import Arrivals, FileBytes, even_arrivals
from wasim.years.json_sizes import MetadataJson
from wasim.years.manifest_sizes import ManifestBytes
from wasim.years.sizes import Sizes, TableSample

COLUMNS = (*range(4, 17), 20, 28, 40, 64, 100, 200, 396, 2000)
FEW_COLUMNS = (4, 16, 52, 200, 2000)  # of metadata.json, data files and lists
CHANGED_COLUMNS = (4, 16, 100)  # of manifests of other files, partitions and writers
WRITER = "streaming"  # of all others
FILES = (1, 2, 16)
PARTITIONS = (0, 1, 2, 16)
ROWS_PER_SECOND, INTERVAL_S = 1000.0, 60.0  # of tables whose files are encoded; sizes go by the rows that are asked for
USUAL_ROWS, MANY_ROWS = 512.0, 4096.0  # per file
SEEDS, FEW_ROWS = 4, 2.0  # samples of files of so few rows that sizes scatter
MOST_SAMPLES = 64


class _Between(Protocol):
    def between(self, other: Self, share: float) -> Self: ...


T = TypeVar("T", bound=_Between)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """What decides how large files are, of a table or of one whose files are encoded."""

    columns: int
    files: int
    partitions: int
    writer: str


def nearness(table: FleetTable) -> tuple[bool, int, str]:
    """By what tables are sorted so that those next to each other are read off between the same ones."""
    return table.partitions > 1, table.columns, table.writer


def shapes_of(table: FleetTable) -> Shapes:
    """The shapes of a fleet's table, at any interval and rate."""
    layout = _Layout(
        columns=table.columns, files=table.files_per_commit, partitions=table.partitions, writer=table.writer
    )
    usual = replace(layout, files=FILES[1], partitions=layout.partitions if layout.partitions < 2 else PARTITIONS[-1])
    return Shapes(
        profile=shipped_profile(_case(usual)),
        site=Site(location=DEFAULT_LOCATION),
        sample=_ReadOff(layout=layout, usual=usual),
        arrivals_of=even_arrivals,
        file_bytes=_by_columns(usual, FEW_COLUMNS, _file_bytes),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReadOff:
    """Sizes of a table's files, read off between tables whose files were encoded; `usual` is a like one with the files
    and partitions of all tables whose metadata.json and lists are encoded.
    """

    layout: _Layout
    usual: _Layout

    def sizes(self, arrivals: Arrivals) -> Sizes:
        """Sizes of the table's files where its commits bring these."""
        rows = arrivals.rows_per_file
        others = rows if rows == USUAL_ROWS else MANY_ROWS  # entries of 512 compress otherwise than any others

        def of_usual(layout: _Layout, rows: float) -> ManifestBytes:
            partitions = PARTITIONS[-1] if layout.partitions > 1 else PARTITIONS[0]
            return _manifests(replace(layout, files=FILES[1], partitions=partitions), rows)

        def of_files(layout: _Layout) -> ManifestBytes:
            if layout.partitions > 1:
                layout = replace(layout, files=min(layout.files, FILES[1]))
                low, high, share = _around(layout.partitions, PARTITIONS, log2)
                few, many = (replace(layout, partitions=one) for one in (low, high))
            else:
                low, high, share = _around(layout.files, FILES, log2)
                few, many = (replace(layout, files=one) for one in (low, high))
            return _between(_manifests(few, others), lambda: _manifests(many, others), share)

        of_one_writer = replace(self.layout, writer=WRITER)
        found = _by_columns(of_one_writer, COLUMNS, lambda layout: of_usual(layout, rows))
        before = _by_columns(of_one_writer, CHANGED_COLUMNS, lambda layout: of_usual(layout, others))
        after = _by_columns(self.layout, CHANGED_COLUMNS, of_files)
        return replace(
            _sizes(replace(self.usual, columns=_around(self.usual.columns, FEW_COLUMNS)[0])),
            json=_by_columns(self.usual, FEW_COLUMNS, _json),
            data_manifests=_changed_as(found, before, after),
        )

    def json_of(self, case: Case, arrivals: Arrivals) -> MetadataJson:
        """Sizes of gzipped metadata.json."""
        return _gzipped_json_of(self.usual)


def _around(value: float, known: Sequence[int], scale: Callable[[float], float] = float) -> tuple[int, int, float]:
    """The known values below and above, and which share of the way this one is; at either end that one alone."""
    place = max(0, bisect_right(known, value) - 1)
    low, high = known[place], known[min(place + 1, len(known) - 1)]
    if value <= low or high == low:
        return low, low, 0.0
    return low, high, (scale(value) - scale(low)) / (scale(high) - scale(low))


def _changed_as(one: ManifestBytes, before: ManifestBytes, after: ManifestBytes) -> ManifestBytes:
    """`one` with the difference between `before` and `after` added; what is staged differs from `new` as in `after`."""
    found = before.between(one.between(after, 0.5), 2.0)
    return replace(found, staged=after.staged and found.new + after.staged - after.new)


def _between(low: T, high: Callable[[], T], share: float) -> T:
    return low.between(high(), share) if share else low


def _by_columns(layout: _Layout, columns: Sequence[int], of: Callable[[_Layout], T]) -> T:
    low, high, share = _around(layout.columns, columns)
    return _between(of(replace(layout, columns=low)), lambda: of(replace(layout, columns=high)), share)


@cached_by_all
def _manifests(layout: _Layout, rows: float) -> ManifestBytes:
    """Encoded once, as all that follows is. Where chance deals few rows out to each partition, the mean of several
    samples.
    """
    arrivals, found = _arrivals(layout, rows), _sample(layout).manifests(_arrivals(layout, rows))
    for seed in range(1, SEEDS) if layout.partitions > 1 and 1 < rows <= FEW_ROWS else ():
        found = found.between(_sample(layout, seed).manifests(arrivals), 1 / (seed + 1))
    return found


@cached_by_all
def _sizes(usual: _Layout) -> Sizes:
    return _sample(usual).sizes(_arrivals(usual, USUAL_ROWS))


def _json(usual: _Layout) -> MetadataJson:
    return _sizes(usual).json


@lru_cache(maxsize=MOST_SAMPLES)
def _gzipped_json_of(usual: _Layout) -> MetadataJson:
    return _by_columns(usual, FEW_COLUMNS, _gzipped_json)


@cached_by_all
def _gzipped_json(usual: _Layout) -> MetadataJson:
    case = _case(usual, gzips_json=True)
    return _sample(usual).json_of(case, _arrivals(usual, USUAL_ROWS)).over(case)


@cached_by_all
def _file_bytes(usual: _Layout) -> FileBytes:
    case = _case(usual)
    return FileBytes(case, shipped_profile(case))


@lru_cache(maxsize=MOST_SAMPLES)
def _sample(layout: _Layout, seed: int = 0) -> TableSample:
    case = replace(_case(layout), seed=seed)
    profile = shipped_profile(case)
    check_answerable(case, profile)
    return TableSample(case=case, profile=profile, site=Site(location=DEFAULT_LOCATION), draws_bounds=True)


def _arrivals(layout: _Layout, rows: float) -> Arrivals:
    """Commits that write such files to each partition."""
    partitions = max(1, layout.partitions)
    return replace(even_arrivals(_case(layout)), files=float(layout.files * partitions), rows_per_file=rows)


@cache
def _case(layout: _Layout, *, gzips_json: bool = False) -> Case:
    flags = {
        "rows_per_second": f"{ROWS_PER_SECOND:g}",
        "columns": str(layout.columns),
        "files_per_commit": str(layout.files),
        "partitions": str(layout.partitions),
        "writer": layout.writer,
    }
    setting = Setting(interval_s=INTERVAL_S, gzips_json=gzips_json)
    return case_of(request_from_flags(flags, Requirements()), setting)
