"""Cases of a sweep side by side: write amplification over one denominator, so that ratios can be compared."""

import json
from collections.abc import Iterable
from dataclasses import replace

from wasim.ledger.totals import amplification
from wasim.runs.values import CaseRun
from wasim.scenario import Case


def share_denominator(cases: Iterable[CaseRun]) -> tuple[CaseRun, ...]:
    """The cases with WA over the data bytes that the same rows take at the sweep's longest interval.

    Short intervals write the same rows into more and larger files; divided by their own data bytes that would not show.
    Cases share a denominator when the same rows arrive in the same table over the same horizon; of several at the
    longest interval, the one that ingested the fewest bytes gives it. Several writers at once keep their own: commits
    that fail leave out their rows.
    """
    kept = tuple(cases)
    longest: dict[str, CaseRun] = {}
    for one in kept:
        rows = _rows_of(one.case)
        best = longest.setdefault(rows, one)
        if _order(one) < _order(best):
            longest[rows] = one
    return tuple(
        replace(
            one,
            amplification=amplification(
                one.totals,
                ingested_bytes=longest[_rows_of(one.case)].ingested_bytes,
                horizon_s=one.amplification.horizon_s,
            ),
        )
        for one in kept
    )


def _order(run: CaseRun) -> tuple[float, int]:
    return -run.case.commit_interval_s, run.ingested_bytes


def _rows_of(case: Case) -> str:
    """What decides which rows arrive and how they are encoded."""
    upsert = case.writer.upsert
    return json.dumps(
        [
            case.table.model_dump(mode="json"),
            case.workload.rows_per_second,
            case.horizon_s,
            case.changes.model_dump(mode="json", exclude_none=True),
            upsert.model_dump(mode="json") if upsert is not None else None,
            case.label if case.writer.writers > 1 else "",
        ],
        sort_keys=True,
    )
