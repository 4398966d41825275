"""Totals of appends in closed form, with coefficients fitted to an exact or a measured ledger.

The drivers of `wasim.model` (merges, thrash and digits among them) are summed over any number of commits at once, so a
total costs the same for ten commits and for ten million. Rows by commit are made in parts, and only when asked for.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from wasim.ledger import Kind, Totals
from wasim.model import (
    Appends,
    Drivers,
    Term,
    design_matrix,
    drivers_at,
    drivers_of_manifests,
    drivers_through,
    known_bytes,
)
from wasim.model.drivers import appends_cadence
from wasim.twin.fast.sizes import UpsertLaws
from wasim.twin.fast.version_hints import add_version_hints
from wasim.units import Floats, Ints

ROWS_AT_ONCE = 1 << 16
CHECKPOINTS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """The equation of one kind with its coefficients, in the order of the terms."""

    terms: tuple[Term, ...]
    coefficients: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class FastModel:
    """What a fit knows of one case: its appends, with manifests as large as fitted, and a law for each kind.

    `create_bytes` is the metadata.json of CREATE TABLE; `data_bytes_per_commit` stands in `appends`. `upserts` are
    those of a writer that deletes by key, whose totals only `maintained` sums.
    """

    appends: Appends
    laws: Mapping[Kind, Law]
    create_bytes: int
    delete_after_commit: bool = False
    upserts: UpsertLaws | None = None

    def bytes_of(self, kind: Kind, drivers: Drivers) -> Floats:
        """Bytes of one kind for each row of drivers."""
        law = self.laws[kind]
        known = known_bytes(kind, drivers, gzip_json=self.appends.gzip_json)
        return np.asarray(design_matrix(law.terms, drivers) @ law.coefficients + known)


def fast_totals(model: FastModel, commits: int) -> Totals:
    """Totals of the first `commits` commits and of CREATE TABLE."""
    appends, last = model.appends, np.array([commits], dtype=np.int64)
    drivers = drivers_through(appends, last)
    written = dict.fromkeys(Kind, 0)
    files = dict.fromkeys(Kind, 0)
    for kind in model.laws:
        written[kind] = round(float(model.bytes_of(kind, drivers)[0]))
    written[Kind.METADATA_JSON] += model.create_bytes
    written[Kind.DATA] = round(appends.data_bytes_per_commit * commits)
    files[Kind.METADATA_JSON] = commits + 1
    files[Kind.MANIFEST_LIST] = commits
    files[Kind.DATA_MANIFEST] = round(float(drivers.manifest_files[0]))
    files[Kind.DATA] = commits * appends.files_per_commit
    deleted, files_deleted = _deleted(model, commits)
    totals = Totals(written_bytes=written, deleted_bytes=deleted, files_written=files, files_deleted=files_deleted)
    if appends.hadoop_names:
        add_version_hints(totals, commits)
    return totals


def _deleted(model: FastModel, commits: int) -> tuple[dict[Kind, int], dict[Kind, int]]:
    """Bytes and files deleted: manifests that merges wrote for nothing, and metadata that left its log."""
    deleted, files = dict.fromkeys(Kind, 0), dict.fromkeys(Kind, 0)
    cadence = appends_cadence(model.appends, np.array([commits], dtype=np.int64))
    wasted = int(cadence.merges_through(np.array([commits], dtype=np.int64), cadence.wastes_new)[0])
    files[Kind.DATA_MANIFEST] = wasted
    deleted[Kind.DATA_MANIFEST] = round(wasted * new_manifest_bytes(model))
    gone = commits - model.appends.log_limit
    if model.delete_after_commit and gone > 0:
        # The log of commit n names the files of CREATE and of the commits before n; the oldest leave it.
        files[Kind.METADATA_JSON] = gone
        left = drivers_through(model.appends, np.array([gone - 1], dtype=np.int64))
        deleted[Kind.METADATA_JSON] = model.create_bytes + round(float(model.bytes_of(Kind.METADATA_JSON, left)[0]))
    return deleted, files


def new_manifest_bytes(model: FastModel) -> float:
    """Bytes of a manifest that holds one commit's new files."""
    files = np.array([float(model.appends.files_per_commit)])
    row = drivers_of_manifests(model.appends, added=files, merged=np.zeros(1))
    return float(model.bytes_of(Kind.DATA_MANIFEST, row)[0])


def fast_checkpoints(model: FastModel, commits: int) -> tuple[Ints, Drivers, dict[Kind, Ints]]:
    """Some commits up to the last, evenly spaced in the logarithm: their numbers, drivers, and bytes by kind."""
    numbers = np.unique(np.rint(np.geomspace(1, commits, CHECKPOINTS)).astype(np.int64))
    drivers = drivers_at(model.appends, numbers)
    sizes = {kind: np.rint(model.bytes_of(kind, drivers)).astype(np.int64) for kind in model.laws}
    data = np.full(len(numbers), round(model.appends.data_bytes_per_commit), dtype=np.int64)
    return numbers, drivers, sizes | {Kind.DATA: data}


def fast_live_bytes(model: FastModel, commits: int) -> dict[Kind, int]:
    """Bytes reachable from the last snapshot, and its metadata.json, by kind."""
    appends, last = model.appends, drivers_at(model.appends, np.array([commits], dtype=np.int64))
    live = dict.fromkeys(Kind, 0)
    for kind in (Kind.METADATA_JSON, Kind.MANIFEST_LIST):
        live[kind] = round(float(model.bytes_of(kind, last)[0]))
    if appends.merges:
        entries = commits * appends.files_per_commit * appends.sizes.entry_bytes
        live[Kind.DATA_MANIFEST] = round(float(last.live_manifests[0]) * appends.sizes.header_bytes + entries)
    else:  # FastAppend keeps every manifest that it wrote
        live[Kind.DATA_MANIFEST] = fast_totals(model, commits).written_bytes[Kind.DATA_MANIFEST]
    live[Kind.DATA] = round(appends.data_bytes_per_commit * commits)
    return live


def fast_rows(model: FastModel, commits: int, *, at_once: int = ROWS_AT_ONCE) -> Iterator[dict[Kind, Floats]]:
    """Bytes written by each commit, by kind, in parts of `at_once` commits, oldest first."""
    for first in range(1, commits + 1, at_once):
        numbers: Ints = np.arange(first, min(first + at_once, commits + 1), dtype=np.int64)
        drivers = drivers_at(model.appends, numbers)
        rows = {kind: model.bytes_of(kind, drivers) for kind in model.laws}
        yield rows | {Kind.DATA: np.full(len(numbers), model.appends.data_bytes_per_commit)}
