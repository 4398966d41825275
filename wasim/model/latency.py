"""How long a commit takes as the table ages, and the smallest interval at which its writer keeps up."""

import numpy as np

from wasim.units import Floats


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
