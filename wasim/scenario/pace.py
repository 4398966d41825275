"""What arrives and when: horizon, commit interval and rows must come to whole commits of equally many whole rows.

Engines and equations take commits of one case to be alike, so nothing here is rounded in silence.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cache
from math import gcd, lcm
from typing import TypeVar

from wasim.scenario.case import rows_within, whole_commits
from wasim.scenario.draft import Draft
from wasim.scenario.faults import Fault, Place
from wasim.units import format_duration

MOST_COMMITS = 100_000
"""Of one case: at some 3 commits a second, a real engine takes nine hours for them."""

MOST_ROWS_PER_COMMIT = 10**9

_RATE_TOLERANCE = 1e-6  # rates such as 0.3333333 every 3s are written with few digits
_MOST_NAMED = 4
_FARTHEST_HORIZON = 10  # times the horizon as written: nobody wants a fitting one that is longer
_PACE: tuple[Place, ...] = (("commit_interval",), ("horizon",))
_RATE: tuple[Place, ...] = (("commit_interval",), ("workload", "rows_per_second"))

Member = TypeVar("Member")


def check_commits(draft: Draft) -> Iterator[Fault]:
    """A case makes at least one commit, and no more than a real engine can be asked for."""
    interval, horizon = draft.quoted("commit_interval"), draft.quoted("horizon")
    commits = _commits(draft)
    if commits < 1:
        yield Fault(
            place=("commit_interval",),
            problem=f"is {interval}, longer than the horizon of {horizon}, so that the case makes no commit",
            remedy=f"Give at most {format_duration(draft.scenario.horizon)}, or a longer horizon.",
        )
    if commits > MOST_COMMITS:
        least = format_duration(_least_interval_ms(_ms(draft.scenario.horizon)) / 1000)
        yield Fault(
            place=("commit_interval",),
            problem=f"is {interval}, which makes {commits} commits in a horizon of {horizon}",
            remedy=f"Give at least {least}, or a shorter horizon.",
        )


def check_rows(draft: Draft) -> Iterator[Fault]:
    """A commit has no more rows than one can carry."""
    interval_s = draft.scenario.commit_interval
    rows = draft.scenario.workload.rows_per_second * interval_s
    if rows > MOST_ROWS_PER_COMMIT:
        interval, most = draft.quoted("commit_interval"), MOST_ROWS_PER_COMMIT / interval_s
        yield Fault(
            place=("workload", "rows_per_second"),
            problem=f"is {draft.quoted('workload', 'rows_per_second')}, which makes {rows:.4g} rows in a commit "
            f"every {interval}, more than {MOST_ROWS_PER_COMMIT}",
            remedy=f"Give at most {_rate(most)}, or a shorter commit interval.",
        )


def check_shares(draft: Draft) -> Iterator[Fault]:
    """A commit has rows enough for its files and partitions."""
    interval_s = draft.scenario.commit_interval
    rows = rows_within(commit_interval_s=interval_s, rows_per_second=draft.scenario.workload.rows_per_second)
    for name in ("files_per_commit", "partitions_per_commit"):
        wanted = getattr(draft.scenario.workload, name)
        if wanted is not None and wanted > rows:
            every = format_duration(interval_s)
            yield Fault(
                place=("workload", name),
                problem=f"is {draft.quoted('workload', name)}, but a commit every {every} has {rows} rows",
                remedy=f"Give at most {rows}, or more workload.rows_per_second.",
            )


def uneven_horizons(drafts: Iterable[tuple[Member, Draft]]) -> Iterator[tuple[Member, Fault]]:
    """Horizons that some commit interval does not divide, each once, with the nearest that all intervals divide."""
    sound = [(who, draft) for who, draft in drafts if draft.has_sound(*_PACE) and 1 <= _commits(draft) <= MOST_COMMITS]
    for members in _grouped(sound, lambda draft: draft.scenario.horizon):
        who, first = members[0]
        horizon_ms = first.scenario.horizon * 1000
        uneven = [draft for _, draft in members if not _is_whole(horizon_ms / _interval_ms(draft), 1e-9)]
        if uneven:
            intervals = sorted({_interval_ms(draft) for _, draft in members})
            within = _some(dict.fromkeys(draft.quoted("commit_interval") for draft in uneven))
            problem = f"is {first.quoted('horizon')}, which is no whole number of commit intervals of {within}"
            yield who, Fault(place=("horizon",), problem=problem, remedy=_fitting_horizons(horizon_ms, intervals))


def uneven_rates(drafts: Iterable[tuple[Member, Draft]]) -> Iterator[tuple[Member, Fault]]:
    """Rates that make no whole number of rows in some commit interval, each once, with the nearest that does in all."""
    sound = [(who, draft) for who, draft in drafts if draft.has_sound(*_RATE) and _rows(draft) <= MOST_ROWS_PER_COMMIT]
    for members in _grouped(sound, lambda draft: draft.scenario.workload.rows_per_second):
        uneven = [(who, draft) for who, draft in members if not _is_whole(_rows(draft), _RATE_TOLERANCE)]
        if not uneven:
            continue
        who, first = uneven[0]
        # r·Δ is whole for all intervals Δ exactly if r·gcd(Δ) is.
        common_s = gcd(*(_interval_ms(draft) for _, draft in members)) / 1000
        nearest = max(1, round(first.scenario.workload.rows_per_second * common_s)) / common_s
        yield (
            who,
            Fault(
                place=("workload", "rows_per_second"),
                problem=f"is {first.quoted('workload', 'rows_per_second')}, which makes {_rows(first):.10g} rows in a "
                f"commit every {first.quoted('commit_interval')}, and rows are whole",
                remedy=f"Give {_rate(nearest)}, or another commit interval.",
            ),
        )


def _grouped(
    drafts: Iterable[tuple[Member, Draft]], by: Callable[[Draft], Hashable]
) -> Iterable[list[tuple[Member, Draft]]]:
    groups: dict[Hashable, list[tuple[Member, Draft]]] = {}
    for who, draft in drafts:
        groups.setdefault(by(draft), []).append((who, draft))
    return groups.values()


def _fitting_horizons(horizon_ms: float, intervals_ms: list[int]) -> str:
    step = lcm(*intervals_ms)
    below = int(horizon_ms // step) * step
    most = min(_FARTHEST_HORIZON * horizon_ms, MOST_COMMITS * intervals_ms[0])
    fitting = [format_duration(ms / 1000) for ms in (below, below + step) if 0 < ms <= most]
    if not fitting:
        return "Give commit intervals that divide it, or another horizon."
    return f"Give {' or '.join(fitting)}, or another commit interval."


@cache
def _least_interval_ms(horizon_ms: int) -> int:
    """The shortest interval that divides the horizon into no more than MOST_COMMITS."""
    fewest = next((n for n in range(MOST_COMMITS, 0, -1) if horizon_ms % n == 0), 1)
    return horizon_ms // fewest


def _some(texts: Iterable[str]) -> str:
    """A few of the texts, and whether there are more."""
    all_of_them = list(texts)
    more = ["others"] if len(all_of_them) > _MOST_NAMED else []
    return " or ".join([*all_of_them[:_MOST_NAMED], *more])


def _commits(draft: Draft) -> int:
    return whole_commits(horizon_s=draft.scenario.horizon, commit_interval_s=draft.scenario.commit_interval)


def _rows(draft: Draft) -> float:
    return draft.scenario.workload.rows_per_second * draft.scenario.commit_interval


def _interval_ms(draft: Draft) -> int:
    return _ms(draft.scenario.commit_interval)


def _ms(seconds: float) -> int:
    return round(seconds * 1000)


def _is_whole(count: float, tolerance: float) -> bool:
    """Whether a count is a whole number from 1 on, within a share of itself."""
    return round(count) >= 1 and abs(count - round(count)) <= tolerance * count


def _rate(rows_per_second: float) -> str:
    return f"{rows_per_second:.10g}"
