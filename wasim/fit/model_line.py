"""The fitted model over a fine grid of commit intervals, at the run's own horizon: a line for charts."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from wasim.fit.cost import WriterFit, predicted_total
from wasim.fit.groups import cases_by_table, name_without_interval
from wasim.fit.report import ModelPoint

_POINTS = 33


def model_line(writer: WriterFit) -> Iterator[ModelPoint]:
    """Points from half the shortest interval to twice the longest, shortest first, table by table."""
    for cases in cases_by_table(writer.group):
        horizon_s = max(case.horizon_s for case in cases)
        most, fewest = 2 * horizon_s / cases[0].commit_interval_s, horizon_s / cases[-1].commit_interval_s / 2
        # whole numbers of commits only, lest the line have teeth where one commit more fits into the horizon
        counts = np.unique(np.rint(np.geomspace(max(1.0, fewest), max(1.0, most), _POINTS)).astype(np.int64))[::-1]
        for count in counts.tolist():
            case = replace(cases[0], commit_interval_s=horizon_s / count, horizon_s=horizon_s)
            commits = np.arange(1, count + 1, dtype=np.int64)
            yield ModelPoint(
                writer=writer.group.name,
                case=name_without_interval(case),
                commit_interval_s=case.commit_interval_s,
                horizon_s=horizon_s,
                metadata_bytes=sum(predicted_total(writer, kind, case, commits) for kind in writer.kinds),
            )
