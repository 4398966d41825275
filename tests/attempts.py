"""The attempts of a real run, as its files tell them."""

import numpy as np

from wasim.iceberg.names import parse_metadata_name
from wasim.ledger import Action, Kind, Recording
from wasim.scenario import Case
from wasim.simulate.race import Attempt


def attempts_of(recording: Recording, case: Case) -> list[Attempt]:
    """Every attempt, by the table that it had read, which the number of its metadata.json tells."""
    events, steps = recording.events, recording.steps
    commit_of_step = dict(
        zip(steps.step, np.rint(steps.event_time_s / case.commit_interval_s).astype(int), strict=True)
    )
    failed = set(steps.step[steps.error != ""].tolist())
    attempts_made = dict(zip(recording.reports.step, recording.reports.attempts, strict=True))
    written = events.where((events.action == Action.WRITE) & (events.kind == Kind.METADATA_JSON) & (events.step > 0))
    tries: dict[int, int] = {}
    for step in written.step.tolist():
        tries[step] = tries.get(step, 0) + 1
    made: dict[int, int] = {}
    found = []
    for row, step in enumerate(written.step.tolist()):
        made[step] = number = made.get(step, 0) + 1
        is_last = number == tries[step]
        if step not in failed:
            assert tries[step] == attempts_made[step]
        version = parse_metadata_name(written.file[row].rpartition("/")[2]).version
        at_s = float(written.seen_at_s[row])
        found.append(
            Attempt(
                commit=int(commit_of_step[step]),
                began_s=at_s,
                number=number,
                base=version - 1,
                read_s=at_s,
                swap_s=at_s,
                won=is_last and step not in failed,
                failed=is_last and step in failed,
            )
        )
    return sorted(found, key=lambda one: (one.base + one.won, not one.won))
