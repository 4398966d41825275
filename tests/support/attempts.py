"""The attempts of a real run, as its files tell them."""

from collections import Counter

import numpy as np

from wasim.contention import Attempt
from wasim.ledger import Action, Kind, Recording
from wasim.scenario import Case


def attempts_of(recording: Recording, case: Case) -> list[Attempt]:
    """Every attempt, by the table that it had read, which the size of its list tells: each has a manifest more.

    Attempts that wrote no metadata.json were refused.
    """
    events, steps = recording.events, recording.steps
    commit_of_step = dict(
        zip(steps.step, np.rint(steps.event_time_s / case.commit_interval_s).astype(int), strict=True)
    )
    failed = set(steps.step[steps.error != ""].tolist())
    attempts_made = dict(zip(recording.reports.step, recording.reports.attempts, strict=True))
    written = events.where((events.action == Action.WRITE) & (events.step > 0))
    listed = written.where(written.kind == Kind.MANIFEST_LIST)
    jsons = written.where(written.kind == Kind.METADATA_JSON)
    wrote_json = set(zip(jsons.step.tolist(), jsons.attempt.tolist(), strict=True))
    tries = Counter(listed.step.tolist())
    last = [row for row, step in enumerate(listed.step) if listed.attempt[row] == tries[step] and step not in failed]
    landed = [listed.bytes[row] for row in sorted(last, key=lambda row: listed.commit[row])]
    found = []
    for row, step in enumerate(listed.step.tolist()):
        number = int(listed.attempt[row])
        is_last = number == tries[step]
        if step not in failed:
            assert tries[step] == attempts_made[step]
        won = is_last and step not in failed
        nearest = int(np.abs(np.array(landed) - listed.bytes[row]).argmin())
        at_s = float(listed.seen_at_s[row])
        found.append(
            Attempt(
                commit=int(commit_of_step[step]),
                began_s=at_s,
                number=number,
                base=int(listed.commit[row]) - 1 if won else nearest,
                read_s=at_s,
                swap_s=at_s,
                won=won,
                failed=is_last and step in failed,
                refused=(step, number) not in wrote_json,
            )
        )
    return sorted(found, key=lambda one: (one.base + one.won, not one.won))
