"""The outcome of a race: attempts lost, commits failed, how long commits took, and how many landed in a second."""

from dataclasses import dataclass

import numpy as np

from wasim.contention.races import Attempts
from wasim.units import Floats, Ints

SUSTAINED = 0.95  # of the offered commits that must land, for a rate to count as sustained
BATCHES = 10
_T95 = 2.26  # of Student's distribution, for BATCHES batches


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Counts and times of a race's commits after its warm-up; `seconds` is from the first one's end to the last's.

    `commit_ms` are of commits that landed, ascending, each from when it first read the table. `failed` commits
    ran out of retries, `redone` statements were restarted. `lost_share` is of attempts, and `lost_share_band` the
    half-width of its 95 % interval.
    """

    commits: int
    attempts: int
    lost: int
    refused: int  # of the lost ones, before they wrote their metadata.json
    failed: int
    redone: int
    seconds: float
    commit_ms: Floats
    lost_share_band: float

    @property
    def lost_share(self) -> float:
        """The share of attempts that were lost."""
        return self.lost / max(1, self.attempts)

    @property
    def failed_share(self) -> float:
        """The share of commits that failed."""
        return self.failed / max(1, self.commits)

    def percentile_ms(self, percent: float) -> float:
        """A percentile of the times of commits; NaN where none landed."""
        return percentile_ms(self.commit_ms, percent)

    def sustains(self, every_s: float) -> bool:
        """Whether 95 % of commits offered every `every_s` seconds land, so that none queue up."""
        return self.landed_per_s * every_s >= SUSTAINED

    @property
    def landed_per_s(self) -> float:
        """Commits that landed in a second."""
        return (self.commits - self.failed) / self.seconds if self.seconds > 0 else 0.0


def percentile_ms(commit_ms: Floats, percent: float) -> float:
    """A percentile of times; NaN of none."""
    return float(np.percentile(commit_ms, percent)) if len(commit_ms) else float("nan")


def outcome_of(attempts: Attempts, *, of: Ints | None = None, skip: int = 0) -> Outcome:
    """The outcome of a race, or of its commits numbered in `of`, without the first `skip` commits as a warm-up."""
    counted = attempts.commit > skip
    chosen = attempts.of(counted if of is None else counted & np.isin(attempts.commit, of))
    lost, ended_s = ~chosen.won, chosen.swap_s[chosen.won | chosen.failed]
    numbers, first = np.unique(chosen.commit, return_index=True)
    first_read_s = chosen.read_s[first][np.searchsorted(numbers, chosen.commit[chosen.won])]
    return Outcome(
        commits=len(ended_s),
        attempts=len(chosen),
        lost=int(lost.sum()),
        refused=int(chosen.refused.sum()),
        failed=int(chosen.failed.sum()),
        redone=int((chosen.invalid & ~chosen.failed).sum()),
        seconds=float(ended_s[-1] - ended_s[0]) if len(ended_s) else 0.0,
        commit_ms=np.sort((chosen.swap_s[chosen.won] - first_read_s) * 1000),
        lost_share_band=_band(lost.astype(float)),
    )


def _band(lost: Floats) -> float:
    """The half-width of the 95 % interval of the mean, by batch means: neighbouring attempts are correlated."""
    if len(lost) < 2 * BATCHES:
        return 1.0
    means = [float(np.mean(batch)) for batch in np.array_split(lost, BATCHES)]
    return float(_T95 * np.std(means, ddof=1) / np.sqrt(BATCHES))
