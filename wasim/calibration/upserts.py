"""What Flink's upserts weigh, fitted to an exact simulation of a table's first checkpoints.

Each checkpoint writes four manifests at least: of data and of deletes, staged and then committed. What comes beyond
them, a merge has made.
"""

from dataclasses import dataclass, replace

import numpy as np

from wasim.calibration.appends import (
    CALIBRATION_COMMITS,
    case_run_exact,
    created_bytes,
    simulate_sizes,
    with_room,
    with_summary,
)
from wasim.errors import WasimError
from wasim.fit.cost import fit_group
from wasim.fit.groups import Observed, group_of
from wasim.ledger import Action, Kind, Recording
from wasim.model import Appends, CommittedDeletes, ManifestSizes, drivers_at, equation, read_appends
from wasim.scenario import Case
from wasim.scenario.changes import Maintenance
from wasim.twin import Site, WriterProfile
from wasim.twin.fast import FastModel, Law
from wasim.twin.fast.sizes import NO_FILES, NO_LINE, Line, ManifestLaws, UpsertLaws
from wasim.units import Floats, Ints

MOST_UNEVEN = 0.005  # of the files of a commit: how far their mean may lie from a whole number
_MIN_COUNT = "commit.manifest.min-count-to-merge"
_SEEN_MIN_COUNT = 100  # with which the calibration sees three merges


@dataclass(frozen=True, slots=True, kw_only=True)
class _Manifests:
    """Manifests of one kind, by commit: what was staged, what was committed, and what merges made."""

    staged: Floats
    new: Floats
    merged: Floats
    commits_merged: Ints  # commits whose entries each holds

    @property
    def sizes(self) -> tuple[float, Line]:
        """Bytes of a commit's own, and those that merges made, by the commits in them."""
        new = float(self.new[1:].mean()) if len(self.new) > 1 else float(self.new.mean())
        if len(self.merged) < 2:
            return new, Line(fixed=0.0, each=new)
        each, fixed = np.polyfit(self.commits_merged, self.merged, 1)
        return new, Line(fixed=float(fixed), each=float(each))


def calibrate_upserts(case: Case, profile: WriterProfile, site: Site | None = None) -> FastModel:
    """The fast model of a case whose writer deletes by key. WasimError where commits add now more files, now fewer."""
    plain = replace(case, maintenance=Maintenance(), horizon_s=CALIBRATION_COMMITS * case.commit_interval_s)
    table = with_room(case.table)
    if int(table.properties.get(_MIN_COUNT, _SEEN_MIN_COUNT)) > _SEEN_MIN_COUNT:
        table = table.model_copy(update={"properties": {**table.properties, _MIN_COUNT: str(_SEEN_MIN_COUNT)}})
    plain = replace(plain, table=table)
    simulated = simulate_sizes(plain, profile, site)
    recording = simulated.recording
    data, deletes = (_manifests(recording, kind) for kind in (Kind.DATA_MANIFEST, Kind.DELETE_MANIFEST))
    appends = _appends(case, profile, recording, data, deletes)
    seen = replace(appends, min_count_to_merge=read_appends(plain).min_count_to_merge)
    seen = replace(seen, target_manifest_bytes=read_appends(plain).target_manifest_bytes)
    made = case_run_exact(plain, simulated)
    drivers = drivers_at(seen, made.ledger.commit)
    observed = Observed(case=made.case, ledger=made.ledger, probes=(), appends=seen, drivers=drivers)
    fitted = fit_group(group_of((observed,)), (Kind.METADATA_JSON, Kind.MANIFEST_LIST)).kinds
    laws = {one.kind: Law(terms=one.terms, coefficients=one.fit.coefficients) for one in fitted}
    dropped = case.table.properties.get("write.metadata.delete-after-commit.enabled", "false")
    return FastModel(
        appends=appends,
        laws={**laws, Kind.DATA_MANIFEST: _manifest_law(appends)},
        create_bytes=created_bytes(recording),
        delete_after_commit=dropped.lower() == "true",
        upserts=_upsert_laws(recording, data, deletes),
    )


def _manifests(recording: Recording, kind: Kind) -> _Manifests:
    commits, sizes = _written(recording, kind)
    starts = np.concatenate([[True], commits[1:] != commits[:-1]])
    first = np.flatnonzero(starts)
    place = np.arange(len(commits)) - first[np.cumsum(starts) - 1]
    merged = np.flatnonzero(place == 2)
    return _Manifests(
        staged=sizes[place == 0], new=sizes[place == 1], merged=sizes[merged], commits_merged=commits[merged]
    )


def _written(recording: Recording, kind: Kind) -> tuple[Ints, Floats]:
    events = recording.events
    chosen = (events.kind == kind) & (events.action == Action.WRITE) & (events.commit > 0)
    return np.asarray(events.commit[chosen]), np.asarray(events.bytes[chosen], dtype=np.float64)


def _appends(
    case: Case, profile: WriterProfile, recording: Recording, data: _Manifests, deletes: _Manifests
) -> Appends:
    reports, (_, data_bytes) = recording.reports, _written(recording, Kind.DATA)
    files = float(reports.files_added.mean())
    if abs(files - round(files)) > MOST_UNEVEN * files:
        raise WasimError(
            f"Checkpoints of {case.label} bring {files:.2f} data files in the mean, some more than others, for which"
            " the fast form has no sums. Give more rows per second, fewer workload.files_per_commit, or --mode exact."
        )
    later = slice(1, None) if len(reports) > 1 else slice(None)
    each_data = float(data_bytes.sum()) / len(reports)
    totals, (new, merged) = reports.data_bytes_added[later], deletes.sizes
    keys = float(reports.records_added[later].mean())
    upsert = case.writer.upsert
    positions = round(upsert.repeats * case.replaced_rows_per_commit) if upsert is not None else 0
    made = replace(
        with_summary(read_appends(case, data_bytes_per_commit=each_data), profile),
        files_per_commit=round(files),
        deletes=CommittedDeletes(
            files=float(reports.delete_files_added[later].mean()),
            bytes=float(totals.mean()) - each_data,
            positions=float(positions),
            keys=keys - positions,
            replaced=case.replaced_rows_per_commit,
            replaces_newest=upsert is not None and upsert.locality == "newest",
            sizes=ManifestSizes(new_bytes=new, header_bytes=merged.fixed, entry_bytes=merged.each),
        ),
    )
    new, merged = data.sizes
    return made.with_sizes(
        ManifestSizes(new_bytes=new, header_bytes=merged.fixed, entry_bytes=merged.each / round(files))
    )


def _manifest_law(appends: Appends) -> Law:
    """Manifests of data as the equation has them: a header, and entries as they are added and as they are merged."""
    sizes = appends.sizes
    added = (sizes.new_bytes - sizes.header_bytes) / appends.files_per_commit
    terms = equation(Kind.DATA_MANIFEST, merges=True)
    return Law(terms=terms, coefficients=np.array([sizes.header_bytes, added, sizes.entry_bytes]))


def _upsert_laws(recording: Recording, data: _Manifests, deletes: _Manifests) -> UpsertLaws:
    commits, sizes = _written(recording, Kind.DELETE_FILE)
    first, many = commits == 1, max(1, len(recording.reports) - 1)
    new, merged = deletes.sizes
    return UpsertLaws(
        manifests=ManifestLaws(
            new_bytes=new,
            merged=merged,
            rewritten=NO_LINE,
            staged=None,
            filtered=NO_LINE,
            compacted=NO_LINE,
            gathered=NO_LINE,
            filtered_spares=0.0,
            compacted_spares=0.0,
            rewritten_spares=0.0,
            rewritten_alone_spares=0.0,
            data_file=NO_FILES,
        ),
        staged_bytes=(float(data.staged.mean()), float(deletes.staged.mean())),
        first_files=float(first.sum()),
        first_bytes=float(sizes[first].sum()),
        files=float((~first).sum()) / many,
        bytes=float(sizes[~first].sum()) / many,
    )
