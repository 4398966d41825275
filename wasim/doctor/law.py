"""The table's own law: what a commit writes of each kind of metadata, fitted to the files that its commits left.

    metadata.json = fixed + snapshot · snapshots + log entry · entries of the metadata log
    manifest list = fixed + manifest · live manifests
    manifests     = manifest · manifests written + entry · their entries

These are the equations of `wasim.model`, with the drivers that a rebuilt history knows.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from wasim.doctor.history import History
from wasim.doctor.tree import Tree
from wasim.iceberg.properties import TableProperties
from wasim.iceberg.retention import has_expired
from wasim.ledger import Kind
from wasim.units import Floats

LEAST_COMMITS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """Bytes of one kind: `coefficients` by term, and what they give for each commit, NaN where a driver is unknown.

    `typical_error` is the median relative distance from what the commits wrote.
    """

    coefficients: Mapping[str, float]
    predicted: Floats
    typical_error: float


def fit_laws(tree: Tree, history: History) -> dict[Kind, Law]:
    """The laws of the kinds of which three commits or more are known."""
    laws: dict[Kind, Law] = {}
    for kind, drivers in (
        (Kind.METADATA_JSON, _json_drivers(tree)),
        (Kind.MANIFEST_LIST, _list_drivers(tree)),
        (Kind.DATA_MANIFEST, _manifest_drivers(tree, history)),
    ):
        written = history.ledger.written_bytes[kind].astype(np.float64)
        law = _fit(drivers, np.where(history.known[kind.value] & (written > 0), written, np.nan))
        if law is not None:
            laws[kind] = law
    return laws


def _json_drivers(tree: Tree) -> dict[str, Floats]:
    """What metadata.json grows with: commits alone where snapshots expired, as nothing says how many were held."""
    snapshots = tree.index.snapshots
    commits = np.arange(1, len(snapshots) + 1, dtype=np.float64)
    if has_expired(tree.opened.metadata):
        return {"fixed": np.ones_like(commits), "commit": commits}
    limit = TableProperties.read_leniently(tree.opened.metadata.properties).metadata_previous_versions_max
    return {"fixed": np.ones_like(commits), "snapshot": commits, "log entry": np.minimum(commits, limit)}


def _list_drivers(tree: Tree) -> dict[str, Floats]:
    counts = np.array([np.nan if count < 0 else count for count in tree.index.counts], dtype=np.float64)
    return {"fixed": np.ones_like(counts), "manifest": counts}


def _manifest_drivers(tree: Tree, history: History) -> dict[str, Floats]:
    places = {snapshot.snapshot_id: place for place, snapshot in enumerate(tree.index.snapshots)}
    entries = np.zeros(len(tree.index.snapshots))
    for one in tree.index.manifests:
        place = None if one.added_snapshot_id is None else places.get(one.added_snapshot_id)
        if place is not None and one.content == 0:
            counts = (one.added_files_count, one.existing_files_count, one.deleted_files_count)
            entries[place] += sum(np.nan if count is None else count for count in counts)
    return {"manifest": history.ledger.files_written[Kind.DATA_MANIFEST].astype(np.float64), "entry": entries}


def _fit(drivers: Mapping[str, Floats], written: Floats) -> Law | None:
    """Least squares without terms that the history cannot tell from others, or that come out below zero."""
    names = list(drivers)
    known = ~np.isnan(written) & ~np.isnan(np.sum([drivers[name] for name in names], axis=0))
    if known.sum() < LEAST_COMMITS:
        return None
    while names:
        matrix = np.column_stack([drivers[name][known] for name in names])
        scaled = matrix / np.maximum(np.abs(matrix).max(axis=0), 1e-9)
        if np.linalg.matrix_rank(scaled) < len(names):
            names.pop()
            continue
        # Relative errors are what a reader sees: a large file is not to outweigh a hundred small ones.
        weights = 1 / written[known]
        found, *_ = np.linalg.lstsq(matrix * weights[:, None], np.ones(len(matrix)), rcond=None)
        if not np.isfinite(found).all():
            return None
        least = int(np.argmin(found))
        if found[least] < 0:
            names.pop(least)
            continue
        predicted = np.column_stack([drivers[name] for name in names]) @ found
        error = float(np.median(np.abs(predicted[known] / written[known] - 1)))
        return Law(
            coefficients=dict(zip(names, map(float, found), strict=True)), predicted=predicted, typical_error=error
        )
    return None
