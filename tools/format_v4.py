"""What format version 4 costs, and would cost: `python -m tools.format_v4` (`make v4`).

Versions 2, 3 and 4 are simulated as Iceberg 1.12 writes them. What is announced of version 4 is worked out on the same
tables, with sizes of the same Parquet manifests; docs/v4.md has the tables and each assumption with its source.
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path

from wasim.errors import WasimError
from wasim.iceberg import DataFileEntry, ManifestContent, ManifestEntry
from wasim.iceberg.parquet_manifests import parquet_manifest_length
from wasim.ledger import METADATA_KINDS, Kind, Summed
from wasim.scenario import Case, load_scenario
from wasim.scenario.changes import ExpireSnapshots, Maintenance
from wasim.twin import Site, shipped_profile
from wasim.twin.data_files import data_files_of
from wasim.units import DAY_S, format_bytes, format_duration
from wasim.years import Shape, YearsOf, read_shape

SCENARIO = Path(__file__).parents[1] / "scenarios" / "format_v4.yaml"
INTERVALS_S = (10.0, 60.0, 600.0)
KEPT = Maintenance(expire_snapshots=ExpireSnapshots(every=3600, older_than=3600))
TODAY = (2, 3, 4)
LISTED = (1, 101)  # manifests in root manifests that are encoded for their sizes


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A table of one width, number of files a commit and interval, over a day, by format version."""

    cases: Mapping[int, Case]
    sums: Mapping[int, Summed]
    shape: Shape  # of version 4

    @property
    def label(self) -> tuple[str, str, str]:
        """Interval, columns and files a commit, in words."""
        case = self.cases[4]
        columns = 2 + sum(column.count for column in case.table.columns)
        return format_duration(case.commit_interval_s), str(columns), str(case.workload.files_per_commit)

    def metadata_bytes(self, version: int) -> int:
        """Metadata written over the day."""
        written = self.sums[version].totals.written_bytes
        return sum(written[kind] for kind in METADATA_KINDS)

    def written(self, version: int, kind: Kind) -> int:
        """Bytes of one kind written over the day."""
        return self.sums[version].totals.written_bytes[kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced:
    """Metadata of a day by what is announced, in bytes; `inlined` commits share a leaf manifest."""

    root: float
    inline: float
    inlined: int  # 0 where inlining would cost more than it saves
    without_json: float


def measure(path: Path = SCENARIO) -> list[Measured]:
    """The scenario's tables at `INTERVALS_S`, over a day, with snapshots of an hour kept."""
    tables: dict[tuple[str, ...], dict[int, Case]] = {}
    for case in load_scenario(path).cases():
        named = case.swept["table.columns.reading.count"], case.swept["workload.files_per_commit"]
        for interval_s in INTERVALS_S:
            day = replace(case, commit_interval_s=interval_s, horizon_s=DAY_S, maintenance=KEPT)
            tables.setdefault((*named, str(interval_s)), {})[case.table.format_version] = day
    return [measured(cases) for cases in tables.values()]


def measured(cases: Mapping[int, Case]) -> Measured:
    """A table's day by format version."""
    profile, site = shipped_profile(cases[4]), Site()
    sums = {version: YearsOf(profile=profile, site=site).simulate(case) for version, case in cases.items()}
    return Measured(cases=cases, sums=sums, shape=read_shape(cases[4], profile, site))


def announced(one: Measured) -> Announced:
    """What the announced parts of version 4 would make of the day's metadata."""
    case, sizes = one.cases[4], one.shape.sizes
    commits, json = case.commits, one.written(4, Kind.METADATA_JSON)
    first, per_manifest = _root_bytes(case)
    lists = one.written(4, Kind.MANIFEST_LIST) / commits
    manifests = 1 + max(0.0, (lists - sizes.lists.by_count.at(1)) / sizes.lists.by_count.slope)
    root = commits * (first + per_manifest * (manifests - 1))
    manifest, files = sizes.data_manifests.by_count, case.workload.files_per_commit
    entries = files * (manifest.at(4 * files) - manifest.at(2 * files)) / (2 * files)
    inlined = max(1, round(sqrt(2 * manifest.at(1) / entries)))
    leaves = commits / inlined
    # half the commits of a leaf are inlined on average, and half the day's leaves are there, up to a hundred
    inline = commits * (first + per_manifest * min(leaves / 2, 100) + entries * (inlined + 1) / 2)
    inline += leaves * manifest.at(files * inlined)
    apart = root + one.written(4, Kind.DATA_MANIFEST)
    if apart <= inline:
        inline, inlined = apart, 0
    return Announced(root=json + apart, inline=json + inline, inlined=inlined, without_json=inline)


def _root_bytes(case: Case) -> tuple[float, float]:
    """Bytes of a root manifest of one leaf, and of each further one: an entry says of a leaf what a list says."""
    files = data_files_of(case, shipped_profile(case), most_rows_computed=0)
    leaf = f"{Site().location}/metadata/{{:08x}}-1111-4111-8111-{{:012x}}-m0.parquet"
    entries = [
        ManifestEntry(
            status=0,
            snapshot_id=2**62 + 7_919**3 * number,
            sequence_number=number,
            file_sequence_number=number,
            file=DataFileEntry(
                file_path=leaf.format(number * 2_654_435_761 % 2**32, number * 7_919**3 % 2**48),
                partition=(None,) * len(files.spec.fields),
                record_count=case.rows_per_commit,
                file_size_bytes=11_000 + number * 37 % 100,
            ),
        )
        for number in range(1, LISTED[-1] + 1)
    ]
    least, most = (parquet_manifest_length(files.schema, files.spec, ManifestContent.DATA, entries[:n]) for n in LISTED)
    return float(least), (most - least) / (LISTED[1] - LISTED[0])


def render(tables: list[Measured]) -> str:
    """The tables of docs/v4.md: as Iceberg 1.12 writes version 4, and as announced."""
    return "\n".join([*_today(tables), "", *_to_come(tables)])


def rows(tables: list[Measured]) -> list[str]:
    """The rows of both tables, without their heads."""
    return [*list(_today(tables))[2:], *list(_to_come(tables))[2:]]


def _today(tables: list[Measured]) -> Iterator[str]:
    yield "| every | columns | files a commit | manifests v2 | v3 | v4 | all metadata v2 | v3 | v4 | v4 ÷ v3 |"
    yield "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for one in tables:
        manifests = [format_bytes(one.written(version, Kind.DATA_MANIFEST)) for version in TODAY]
        metadata = [format_bytes(one.metadata_bytes(version)) for version in TODAY]
        ratio = one.metadata_bytes(4) / one.metadata_bytes(3)
        yield f"| {' | '.join([*one.label, *manifests, *metadata, f'{ratio:.2f}'])} |"


def _to_come(tables: list[Measured]) -> Iterator[str]:
    yield "| every | columns | files a commit | v3 | v4 as it is | A | A + B (commits a leaf) | A + B + C | C ÷ v3 |"
    yield "|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for one in tables:
        expected = announced(one)
        cells = [format_bytes(one.metadata_bytes(version)) for version in (3, 4)]
        cells += [format_bytes(expected.root), f"{format_bytes(expected.inline)} ({expected.inlined or 'none'})"]
        cells += [format_bytes(expected.without_json), f"{expected.without_json / one.metadata_bytes(3):.3f}"]
        yield f"| {' | '.join([*one.label, *cells])} |"


def main() -> None:
    """Prints the tables."""
    try:
        print(render(measure()))
    except WasimError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
