"""When a table's metadata.json reaches sizes that are known to fail, and when its metadata outweighs its data."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from wasim.ledger import Kind, Summed
from wasim.ledger.trouble import JSON_MARKS
from wasim.scenario import Case
from wasim.units import DAY_S, Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Milestones:
    """Days since the table was created; None: not within the horizon.

    `json_passes` is keyed by bytes of metadata.json, as stored or of the JSON in it, as each mark judges it.
    `metadata_outweighs` is when the metadata written so far exceeds the data that rows arrived in.
    """

    json_passes: Mapping[int, float | None]
    metadata_outweighs: float | None


def milestones_of(case: Case, summed: Summed, text_bytes: Floats) -> Milestones:
    """The milestones of a simulated case, interpolated between the commits that its ledger holds; at each of them the
    JSON in metadata.json has `text_bytes`.
    """
    ledger = summed.ledger
    days = ledger.event_time_s / DAY_S
    stored_bytes = ledger.written_bytes[Kind.METADATA_JSON].astype(np.float64)
    metadata = _added_up(ledger.commit.astype(np.float64), ledger.metadata_bytes.astype(np.float64))
    metadata *= summed.totals.metadata_bytes / max(metadata[-1], 1.0)  # with what maintenance writes
    data = summed.ingested_bytes * ledger.event_time_s / case.horizon_s
    return Milestones(
        json_passes={
            int(mark.value): _first(days, (stored_bytes if mark.is_stored else text_bytes) - mark.value)
            for mark in JSON_MARKS
        },
        metadata_outweighs=_first(days, metadata - data),
    )


def _added_up(commits: Floats, per_commit: Floats) -> Floats:
    """Cumulative bytes at these commits, those between taken as linear."""
    between = np.diff(commits) * (per_commit[1:] + per_commit[:-1]) / 2
    return np.concatenate([[per_commit[0] * commits[0]], per_commit[0] * commits[0] + np.cumsum(between)])


def _first(days: Floats, above: Floats) -> float | None:
    """The first day on which `above` is positive, interpolated; None if it never is."""
    if not np.any(above > 0):
        return None
    place = int(np.argmax(above > 0))
    if place == 0:
        return float(days[0])
    low, high = above[place - 1], above[place]
    return float(days[place - 1] + (days[place] - days[place - 1]) * -low / (high - low))
