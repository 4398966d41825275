"""The table of what writers in each other's way cost."""

import numpy as np

from wasim.report.pages.cells import TextTable
from wasim.report.words import ABSENT
from wasim.runs import CaseRun, Run
from wasim.units import format_bytes, format_figure

_FIGURES = (
    "commits", "failed", "attempts", "retries", "lost", "wasted", "orphans", "orphan files", "median ms", "p95 ms",
    "commits/s",
)  # fmt: skip
FEWEST = 20  # commits, that a 95th percentile is more than their maximum


def contention_table(run: Run) -> TextTable:
    """Attempts, what was lost, and latency by case; empty where no case has several writers."""
    several = any(one.case.writer.writers > 1 for one in run.cases)
    return TextTable(
        caption="Writers at once: commits made and failed, attempts, bytes that came to nothing, and commit latency",
        head=("case", *_FIGURES, "failures"),
        rows=tuple(row for one in run.cases for row in _row(one)) if several else (),
        figures=_FIGURES,
    )


def _row(run: CaseRun) -> list[tuple[str, ...]]:
    cost, ledger = run.contention, run.ledger
    if cost is None or not len(ledger):
        return []
    took_s = float(ledger.reported_at_s.max() - ledger.reported_at_s.min())
    return [
        (
            run.case.label,
            f"{len(ledger):,}",
            f"{cost.failed_commits:,}",
            f"{cost.attempts:,}",
            f"{cost.attempts - len(ledger) - cost.failed_commits:,}",
            f"{cost.lost_attempts:,}",
            format_bytes(sum(cost.lost_bytes.values())),
            format_bytes(sum(cost.orphan_bytes.values())),
            f"{cost.orphan_files:,}",
            format_figure(float(np.median(ledger.commit_ms))),
            format_figure(float(np.percentile(ledger.commit_ms, 95))) if len(ledger) >= FEWEST else ABSENT,
            format_figure((len(ledger) - 1) / took_s) if took_s > 0 else ABSENT,
            ", ".join(f"{count:,} {name}" for name, count in cost.failed.items()) or ABSENT,
        )
    ]
