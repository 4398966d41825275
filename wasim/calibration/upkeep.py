"""What maintenance writes, fitted to exact simulations of the same table under the same operations at short periods.

A period changes how much an operation finds, which the fast form follows in numbers; what each entry, manifest and
snapshot weighs is the same whatever the period. So a year of daily rewrites is calibrated by a few hundred commits.
"""

from dataclasses import dataclass, replace

import numpy as np

from wasim.calibration.appends import simulate_sizes
from wasim.errors import WasimError
from wasim.ledger import Action, Kind, Recording
from wasim.scenario import Case
from wasim.scenario.changes import Maintenance, RewriteDataFiles, RewriteManifests
from wasim.twin import Site, WriterProfile
from wasim.twin.data_files import mean_file_bytes
from wasim.twin.fast import FastModel
from wasim.twin.fast.appends import new_manifest_bytes
from wasim.twin.fast.history import REWRITE_DATA_FILES, REWRITE_MANIFESTS
from wasim.twin.fast.maintained_model import MaintainedModel
from wasim.twin.fast.metadata_sizes import MetadataLaws
from wasim.twin.fast.sizes import NO_FILES, NO_LINE, FileLaw, Line, ManifestLaws, UpsertLaws
from wasim.twin.fast.summaries import digits_of
from wasim.twin.fast.upkeep import Upkeep
from wasim.units import Floats, Ints

REWRITTEN_BYTES = 256_000  # four of Avro's blocks, so that the first entries of a file, the dearest, weigh little
REWRITTEN_ENTRIES = (64, 512)  # at least and at most
REWRITES = 4
GATHERING_COMMITS = 130  # beyond Iceberg's count of manifests to merge
LISTED_COMMITS = 10  # that list what compaction made
SPLIT_COMMITS, SPLIT_INTO = 16, 8  # of a rewrite into many manifests
ANY_TARGET_BYTES = 1 << 50  # of compaction: whatever it leaves is taken up again
FILE_SIZES = 96  # points of the law of data files


@dataclass(frozen=True, slots=True, kw_only=True)
class _Calibrated:
    """A table whose appends are known, to be simulated under one operation after the other."""

    case: Case
    model: FastModel
    profile: WriterProfile
    site: Site | None

    def simulated(self, upkeep: Maintenance, commits: int, *, case: Case | None = None) -> Recording:
        alike = case or self.case
        short = replace(alike, maintenance=upkeep, horizon_s=commits * alike.commit_interval_s)
        return simulate_sizes(short, self.profile, self.site).recording

    def with_properties(self, **changed: str | None) -> Case:
        """The case with some properties of its manifests, and its own for all else."""
        named = {f"commit.manifest.{key.replace('_', '-')}": value for key, value in changed.items()}
        kept = {
            key: value for key, value in self.case.table.properties.items() if not key.startswith("commit.manifest")
        }
        properties = kept | {key: value for key, value in named.items() if value is not None}
        return replace(self.case, table=self.case.table.model_copy(update={"properties": properties}))


@dataclass(frozen=True, slots=True, kw_only=True)
class UpkeepLaws:
    """What maintenance of one table weighs: see `ManifestLaws`; `replacement` is a snapshot's JSON by kind.

    Of manifests of deletes an entry is what one commit brings.
    """

    rewritten: Line = NO_LINE
    staged: Line | None = None
    filtered: Line = NO_LINE
    compacted: Line = NO_LINE
    gathered: Line = NO_LINE
    filtered_spares: float = 0.0
    compacted_spares: float = 0.0
    rewritten_spares: float = 0.0
    rewritten_alone_spares: float = 0.0
    replacement: tuple[float, float] = (0.0, 0.0)
    partitions: int = 1
    data_file: FileLaw = NO_FILES
    rewritten_deletes: Line = NO_LINE
    filtered_deletes: Line = NO_LINE


def calibrate_upkeep(case: Case, model: FastModel, profile: WriterProfile, site: Site | None = None) -> UpkeepLaws:
    """The laws of what the case's maintenance writes. WasimError for compaction that leaves ever more files."""
    laws, kept = UpkeepLaws(), case.maintenance
    table = _Calibrated(case=case, model=model, profile=profile, site=site)
    if kept.rewrite_manifests is not None:
        laws = _with_rewritten(laws, table)
    if kept.rewrite_data_files is not None:
        laws = _with_compacted(laws, table)
    return laws


def maintained_model(
    model: FastModel, upkeep: Upkeep, laws: UpkeepLaws, case: Case, profile: WriterProfile
) -> MaintainedModel:
    """The model of a case under maintenance, from those of its appends and of what maintains it."""
    json_law, list_law = _coefficients(model, Kind.METADATA_JSON), _coefficients(model, Kind.MANIFEST_LIST)
    sizes = model.appends.sizes
    return MaintainedModel(
        appends=model.appends,
        upkeep=upkeep,
        metadata=MetadataLaws(
            create_bytes=model.create_bytes,
            json_fixed=json_law["fixed"],
            snapshot=json_law["retained_snapshot"],
            replacement=laws.replacement,
            log_entry=json_law["log_entry"],
            log_limit=model.appends.log_limit,
            list_fixed=list_law["fixed"],
            live_manifest=list_law["live_manifest"],
            counts_digits=not model.appends.gzip_json,
            numbers_snapshots=model.appends.format_version > 1,
            names="hadoop" if model.appends.hadoop_names else profile.names,
        ),
        manifests=ManifestLaws(
            new_bytes=new_manifest_bytes(model),
            merged=Line(fixed=sizes.header_bytes, each=sizes.entry_bytes),
            rewritten=laws.rewritten,
            staged=laws.staged,
            filtered=laws.filtered,
            compacted=laws.compacted,
            gathered=laws.gathered,
            filtered_spares=laws.filtered_spares,
            compacted_spares=laws.compacted_spares,
            rewritten_spares=laws.rewritten_spares,
            rewritten_alone_spares=laws.rewritten_alone_spares,
            data_file=laws.data_file,
        ),
        delete_after_commit=model.delete_after_commit,
        appends_merge=case.merges or bool(case.key_columns),
        merge_enabled=case.table.properties.get("commit.manifest-merge.enabled", "true").lower() == "true",
        is_partitioned=bool(case.table.partition_by),
        partitions=laws.partitions,
        upserts=_maintained_upserts(model.upserts, laws),
    )


def _maintained_upserts(upserts: UpsertLaws | None, laws: UpkeepLaws) -> UpsertLaws | None:
    if upserts is None:
        return None
    manifests = replace(
        upserts.manifests,
        rewritten=laws.rewritten_deletes,
        filtered=laws.filtered_deletes,
        gathered=laws.filtered_deletes,
        filtered_spares=laws.filtered_spares,
        rewritten_alone_spares=laws.rewritten_alone_spares,
    )
    return replace(upserts, manifests=manifests)


def _coefficients(model: FastModel, kind: Kind) -> dict[str, float]:
    law = model.laws[kind]
    found = {term.name: float(value) for term, value in zip(law.terms, law.coefficients, strict=True)}
    found["fixed"] = found.get("fixed", 0.0) + found.pop("column", 0.0) * model.appends.columns
    return found


def _with_rewritten(laws: UpkeepLaws, table: _Calibrated) -> UpkeepLaws:
    # before deflate an entry takes a path, and for each column a size, three counts and two bounds
    fewest, most = REWRITTEN_ENTRIES
    wanted = min(max(fewest, REWRITTEN_BYTES // (100 + 40 * table.model.appends.columns)), most)
    period = max(3, -(-wanted // (REWRITES * table.case.workload.files_per_commit)))
    recording = table.simulated(_rewriting(table.case, period), REWRITES * period, case=table.with_properties())
    places = [int(place) for place in np.flatnonzero(recording.reports.operation == "rewrite_manifests")]
    entries = recording.reports.files_live[places]
    # what was copied to be committed was staged before
    data = np.array([_written(recording, place + 1, Kind.DATA_MANIFEST) for place in places])
    deletes = [_written(recording, place + 1, Kind.DELETE_MANIFEST).sum() for place in places]
    each_replacement = _replacement_bytes(recording, "rewrite_manifests", table)
    since = range(places[0], len(recording.reports))
    alone = float(np.mean([_spared(recording, place, table.model) for place in since]))
    return replace(
        laws,
        rewritten_alone_spares=alone / len(table.model.appends.tracks),
        rewritten=_fitted_line(entries, data[:, -1]),
        staged=_fitted_line(entries, data[:, 0]) if data.shape[1] > 1 else None,
        rewritten_deletes=_fitted_line(entries / table.model.appends.files_per_commit, deletes),
        rewritten_spares=0.0 if table.case.table.partition_by or table.case.key_columns else _rewritten_spares(table),
        replacement=_in_place(laws.replacement, REWRITE_MANIFESTS, each_replacement),
    )


def _fitted_line(entries: Ints | Floats, sizes: Floats | list[float]) -> Line:
    each, fixed = np.polyfit(entries, sizes, 1)
    return Line(fixed=float(fixed), each=float(each))


def _rewriting(case: Case, period: int) -> Maintenance:
    every_s = period * case.commit_interval_s
    return Maintenance(rewrite_manifests=RewriteManifests.model_construct(every=every_s, when_manifests=None))


def _rewritten_spares(table: _Calibrated) -> float:
    """A rewrite into many manifests, as a small target makes it, tells what a list saves on each."""
    target = round(new_manifest_bytes(table.model) * SPLIT_COMMITS / SPLIT_INTO)
    case = table.with_properties(target_size_bytes=str(target))
    case = replace(case, writer=case.writer.model_copy(update={"append": "fast"}))
    recording = table.simulated(_rewriting(case, SPLIT_COMMITS), SPLIT_COMMITS, case=case)
    place = int(np.flatnonzero(recording.reports.operation == "rewrite_manifests")[0])
    made = int(recording.reports.manifests_created[place])
    return _spared(recording, place, table.model) / made


def _with_compacted(laws: UpkeepLaws, table: _Calibrated) -> UpkeepLaws:
    recording = _compactions(table, append="merge")
    reports = recording.reports
    compactions = np.flatnonzero(reports.operation == "rewrite_data_files")
    made = reports.files_added[compactions]
    if not len(made) or (made != made[0]).any() or (reports.files_live[compactions] != made[0]).any():
        raise WasimError(
            "maintenance.rewrite_data_files of a table whose partitions come and go is simulated in exact mode only."
            " Give --mode exact, and a horizon of some thousands of commits."
        )
    files, parts, first = float(reports.files_added[0]), int(made[0]), int(compactions[0])
    sizes = _written(recording, first + 1, Kind.DATA_MANIFEST)
    before = len(sizes) - 1
    deletes = _written(recording, first + 1, Kind.DELETE_MANIFEST)
    # the newest is of one commit, the oldest holds all that merges brought together
    tail = float(reports.files_live[first - 1]) - (before - 1) * files
    each = float((sizes[before - 1] - sizes[0]) / (tail - files))
    filtered = Line(fixed=float(sizes[0]) - each * files, each=each)
    each_replacement = _replacement_bytes(recording, "rewrite_data_files", table)
    spared = [_spared(recording, place, table.model) for place in range(first, len(reports))]
    alone = float(np.mean(spared[1:]))
    return replace(
        laws,
        filtered=filtered,
        compacted_spares=alone,
        filtered_spares=(spared[0] - alone) / (before + len(deletes)),
        filtered_deletes=_filtered_deletes(deletes, first - before + 1),
        compacted=Line(fixed=filtered.fixed, each=(float(sizes[before]) - filtered.fixed) / parts),
        gathered=_gathered(table, filtered),
        replacement=_in_place(laws.replacement, REWRITE_DATA_FILES, each_replacement),
        partitions=parts,
        data_file=_file_law(table),
    )


def _filtered_deletes(sizes: Floats, merged: int) -> Line:
    """Manifests that list deletes as deleted, by the commits in them: the newest of one, the oldest of all `merged`."""
    if len(sizes) < 2:
        return NO_LINE
    each = float(sizes[-1] - sizes[0]) / (merged - 1)
    return Line(fixed=float(sizes[0]) - each, each=each)


def _file_law(table: _Calibrated) -> FileLaw:
    """What the profile gives data files, from the rows of one commit to all that will ever arrive."""
    case = table.case
    most = max(2, case.commits * case.rows_per_commit)
    rows = np.unique(np.rint(np.geomspace(1, most, FILE_SIZES)))
    sizes = mean_file_bytes(case, table.profile, rows.tolist())
    return FileLaw(log_rows=np.log(rows), log_bytes=np.log(sizes))


def _gathered(table: _Calibrated, filtered: Line) -> Line:
    """Compaction of more manifests than wait to be merged makes one of those that list what it removed."""
    recording = _compactions(table, append="fast")
    first = int(np.flatnonzero(recording.reports.operation == "rewrite_data_files")[0])
    sizes = _written(recording, first + 1, Kind.DATA_MANIFEST)
    entries = float(recording.reports.files_live[first - 1] + recording.reports.files_added[first])
    if len(sizes) != GATHERING_COMMITS + 2:  # not one bin
        return filtered
    return Line(fixed=filtered.fixed, each=(float(sizes[-1]) - filtered.fixed) / entries)


def _compactions(table: _Calibrated, *, append: str) -> Recording:
    compaction = RewriteDataFiles.model_construct(
        every=GATHERING_COMMITS * table.case.commit_interval_s,
        when_small_files=None,
        target_file_size_bytes=ANY_TARGET_BYTES,
        min_input_files=2,
        partial_progress_commits=None,
    )
    # what deletes by key merges whatever it is told, unless there is not enough
    waits = table.case.key_columns and append == "fast"
    case = table.with_properties(min_count_to_merge=str(GATHERING_COMMITS + 1) if waits else None)
    case = replace(case, writer=case.writer.model_copy(update={"append": append}))
    return table.simulated(Maintenance(rewrite_data_files=compaction), GATHERING_COMMITS + LISTED_COMMITS, case=case)


def _spared(recording: Recording, place: int, model: FastModel) -> float:
    """Bytes by which the list of a replacement is smaller than one of as many manifests that came one by one."""
    law = _coefficients(model, Kind.MANIFEST_LIST)
    listed = int(recording.reports.manifests_created[place] + recording.reports.manifests_kept[place])
    alone = law["fixed"] + (law["live_manifest"] + 1) * listed + len(str(place + 1))
    return alone - float(_written(recording, place + 1, Kind.MANIFEST_LIST)[0])


def _written(recording: Recording, commit: int, kind: Kind) -> Floats:
    events = recording.events
    chosen = (events.commit == commit) & (events.kind == kind) & (events.action == Action.WRITE)
    return np.asarray(events.bytes[chosen], dtype=np.float64)


def _in_place(pair: tuple[float, float], place: int, value: float) -> tuple[float, float]:
    return (value, pair[1]) if place == 0 else (pair[0], value)


def _replacement_bytes(recording: Recording, operation: str, table: _Calibrated) -> float:
    """What a replacement's snapshot adds to metadata.json, in the mean, without its growing numbers' digits."""
    appends, found = table.model.appends, []
    log_entry = _coefficients(table.model, Kind.METADATA_JSON)["log_entry"]
    for place in np.flatnonzero(recording.reports.operation == operation):
        before, after = (float(_written(recording, int(place) + n, Kind.METADATA_JSON)[0]) for n in (0, 1))
        logged = log_entry if place + 1 <= appends.log_limit else 0.0
        digits = 0.0 if appends.gzip_json else _digits(recording, int(place))
        found.append(after - before - logged - digits)
    return float(np.mean(found))


def _digits(recording: Recording, place: int) -> float:
    """Digits of the numbers in a replacement's summary that grow with the table, and of its sequence number."""
    reports = recording.reports
    rows, files = reports.records_live[place], reports.files_live[place]
    numbers = [rows, files, reports.data_bytes_live[place], reports.manifests_replaced[place]]
    if reports.operation[place] == "rewrite_data_files":
        removed, size = reports.files_removed[place], reports.data_bytes_live[place - 1]
        numbers += [removed, size, size, rows, rows]
    sequence_digits = 2 * len(str(place + 1)) - len(str(place))
    return float(digits_of(np.array(numbers)).sum()) + sequence_digits
