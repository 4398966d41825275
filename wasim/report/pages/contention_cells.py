"""The table of what concurrent writers cost each other."""

from wasim.fit.groups import name_without_interval
from wasim.report.tables import TextTable
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
    one_interval = len({one.case.commit_interval_s for one in run.cases}) == 1
    kinds = dict.fromkeys(kind for one in run.cases if one.contention is not None for kind in one.contention.failed)
    ended = f"; failed commits ended in {', '.join(kinds)}" if kinds else ""
    return TextTable(
        caption="Concurrent writers: commits made and failed, attempts, bytes of lost attempts, and commit latency"
        + (" (modelled)" if any(one.latency is not None for one in run.cases) else "")
        + ended,
        head=("case", *_FIGURES),
        rows=tuple(row for one in run.cases for row in _row(one, with_interval=not one_interval)) if several else (),
        figures=_FIGURES,
    )


def _row(run: CaseRun, *, with_interval: bool) -> list[tuple[str, ...]]:
    cost = run.contention
    if cost is None or not len(run.ledger):
        return []
    return [
        (
            run.case.label if with_interval else name_without_interval(run.case),
            f"{run.commits:,}",
            f"{cost.failed_commits:,}",
            f"{cost.attempts:,}",
            f"{cost.attempts - run.commits - cost.failed_commits:,}",
            f"{cost.lost_attempts:,}",
            format_bytes(sum(cost.lost_bytes.values())),
            format_bytes(sum(cost.orphan_bytes.values())),
            f"{cost.orphan_files:,}",
            _figure(run.commit_ms(50)),
            _figure(run.commit_ms(95)) if run.commits >= FEWEST else ABSENT,
            _figure(_landed_per_s(run)),
        )
    ]


def _landed_per_s(run: CaseRun) -> float | None:
    """Commits a second: as measured, else as modelled of writers that commit as fast as they can."""
    if run.latency is not None:
        return run.latency.landed_per_s if run.latency.arrivals == "when_free" else None
    took_s = float(run.ledger.reported_at_s.max() - run.ledger.reported_at_s.min())
    return (len(run.ledger) - 1) / took_s if took_s > 0 else None


def _figure(value: float | None) -> str:
    return ABSENT if value is None else format_figure(value)
