"""The cost equations: bytes that a commit writes, by kind, as a sum of coefficient × driver.

    metadata_json(n) = fixed + snapshot · S(n) + log_entry · L(n) + digits(n)
    manifest_list(n) = fixed + live_manifest · M(n) + digits(n)
    data_manifest(n) = manifest · files(n) + entry_added · added(n) + entry_merged · merged(n)

Each is linear in its coefficients, so the same equation gives one commit or, on summed drivers, any number of them. A
run that varies the table's columns adds each cost per column. docs/model.md says why each driver is one.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from wasim.ledger import Kind
from wasim.model.drivers import Drivers
from wasim.units import Floats

FITTED_KINDS = (Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA_MANIFEST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One coefficient and the driver that it multiplies."""

    name: str
    unit: str
    driver: Callable[[Drivers], Floats]


_JSON = (
    Term(name="fixed", unit="B", driver=lambda d: d.commits),
    Term(name="retained_snapshot", unit="B per snapshot", driver=lambda d: d.snapshots),
    Term(name="log_entry", unit="B per metadata-log entry", driver=lambda d: d.log_entries),
)
_LIST = (
    Term(name="fixed", unit="B", driver=lambda d: d.commits),
    Term(name="live_manifest", unit="B per manifest", driver=lambda d: d.live_manifests),
)
_MANIFESTS = (
    Term(name="manifest", unit="B per manifest written", driver=lambda d: d.manifest_files),
    Term(name="entry_added", unit="B per entry", driver=lambda d: d.entries_added),
)
_MERGED = Term(name="entry_merged", unit="B per entry merged", driver=lambda d: d.entries_merged)
_JSON_COLUMN = Term(name="column", unit="B per column", driver=lambda d: d.columns * d.commits)
_MANIFEST_COLUMN = Term(
    name="manifest_column", unit="B per manifest and column", driver=lambda d: d.columns * d.manifest_files
)
_ENTRY_COLUMN = Term(
    name="entry_added_column",
    unit="B per entry and column with statistics",
    driver=lambda d: d.statistics_columns * d.entries_added,
)
_MERGED_COLUMN = Term(
    name="entry_merged_column",
    unit="B per merged entry and column with statistics",
    driver=lambda d: d.statistics_columns * d.entries_merged,
)


def equation(kind: Kind, *, merges: bool, columns_vary: bool = False) -> tuple[Term, ...]:
    """The terms of one kind's equation. KeyError for a kind that appends do not write."""
    terms = {Kind.METADATA_JSON: _JSON, Kind.MANIFEST_LIST: _LIST, Kind.DATA_MANIFEST: _MANIFESTS}[kind]
    if kind is Kind.DATA_MANIFEST and merges:
        terms = (*terms, _MERGED)
    if not columns_vary or kind is Kind.MANIFEST_LIST:
        return terms
    if kind is Kind.METADATA_JSON:
        return (*terms, _JSON_COLUMN)
    return (*terms, _MANIFEST_COLUMN, _ENTRY_COLUMN, *((_MERGED_COLUMN,) if merges else ()))


def design_matrix(terms: tuple[Term, ...], drivers: Drivers) -> Floats:
    """One row per element of the drivers, one column per term."""
    return np.column_stack([term.driver(drivers) for term in terms])


def known_bytes(kind: Kind, drivers: Drivers, *, gzip_json: bool) -> Floats:
    """Bytes that need no coefficient: digits. Under gzip they deflate with the rest, and stay in the coefficients."""
    if kind is Kind.METADATA_JSON and not gzip_json:
        return drivers.json_digits
    if kind is Kind.MANIFEST_LIST:
        return drivers.list_digits
    return np.zeros(len(drivers.commits))


def smallest_sustainable_interval_s(
    *, base_ms: Floats, commit_ms: Floats, row_ms: Floats, rows_per_second: float, horizon_s: float
) -> Floats:
    """The interval Δ whose last commit of horizon H takes no longer than Δ; infinite if rows alone outrun the writer.

    With n = H/Δ commits and r rows a second, base + commit·H/Δ + row·r·Δ = Δ is quadratic in Δ; its positive root is
    (a + √(a² + 4·k·b·H)) / 2k with a, b in seconds and k = 1 − row·r.
    """
    base_s, commit_s = np.asarray(base_ms) / 1000, np.asarray(commit_ms) / 1000
    slack = 1 - np.asarray(row_ms) / 1000 * rows_per_second
    with np.errstate(divide="ignore", invalid="ignore"):
        root = (base_s + np.sqrt(base_s**2 + 4 * np.maximum(slack, 0) * commit_s * horizon_s)) / (2 * slack)
    return np.where(slack > 0, root, np.inf)


def keeps_up_for_s(*, commit_interval_s: float, base_ms: float, commit_ms: float) -> float:
    """Event time after which a step takes longer than its interval Δ; 0 if it does from the start, infinite if never.

    base + commit·H/Δ = Δ gives H = Δ·(Δ − base) / commit. `base_ms` holds what the interval's rows take.
    """
    slack_s = commit_interval_s - base_ms / 1000
    if slack_s <= 0:
        return 0.0
    return commit_interval_s * slack_s / (commit_ms / 1000) if commit_ms > 0 else float("inf")
