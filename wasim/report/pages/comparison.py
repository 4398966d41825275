"""Two runs side by side, case by case, for the terminal: each figure of the second as a ratio to the first."""

from collections.abc import Callable

import numpy as np
from rich.table import Table
from rich.text import Text

from wasim.errors import SavedFileError
from wasim.ledger import FULL_SCAN, of_first_reader
from wasim.runs import CaseRun, Run
from wasim.units import format_bytes


def render_comparison(first: Run, second: Run) -> Table:
    """Cases of the same label, in the first run's order. SavedFileError if the runs share none."""
    others = {case.case.label: case for case in second.cases}
    shared = [(case, others[case.case.label]) for case in first.cases if case.case.label in others]
    if not shared:
        raise SavedFileError(
            f"{first.folder} and {second.folder} share no case. Compare runs of scenarios that sweep alike."
        )
    table = Table("case", title=f"{first.name} → {second.name}", title_justify="left")
    for name, _, _ in _FIGURES:
        table.add_column(name, justify="right")
    for before, after in shared:
        cells = (_change(figure(before), figure(after), text) for _, figure, text in _FIGURES)
        table.add_row(Text(before.case.label), *cells)  # Text: a label's brackets are no markup
    return table


def _change(before: float | None, after: float | None, text: Callable[[float], str]) -> str:
    if before is None or after is None:
        return "–"
    ratio = f" ×{after / before:.3g}" if before else ""
    return f"{text(after)}{ratio}"


def _planning_ms(run: CaseRun) -> float | None:
    warm = [probe for probe in of_first_reader(run.probes) if probe.temperature == "warm" and probe.query == FULL_SCAN]
    return float(np.median(warm[-1].together_ms)) if warm else None


def _commit_ms(run: CaseRun) -> float | None:
    spent = run.ledger.commit_ms
    return float(np.median(spent)) if len(spent) and not np.isnan(spent).any() else None


def _figure(value: float) -> str:
    return f"{value:.3g}"


_FIGURES: tuple[tuple[str, Callable[[CaseRun], float | None], Callable[[float], str]], ...] = (
    ("metadata written", lambda run: float(run.totals.metadata_bytes), format_bytes),
    ("data written", lambda run: float(run.totals.data_bytes), format_bytes),
    ("WA_metadata", lambda run: run.amplification.metadata, _figure),
    ("load + planning ms", _planning_ms, _figure),
    ("commit ms", _commit_ms, _figure),
)
