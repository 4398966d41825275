"""How each catalog handles a stale commit, one whose base another commit has replaced, and how a writer retries it.

Waits and retries follow Iceberg's `commit.retry.…` properties.
"""

from dataclasses import dataclass

JITTER = 0.1  # of a wait, at most
_GROWTH, _DOUBLINGS = 2, 31  # more would overflow where it is compiled


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictRule:
    """How a catalog resolves two commits to the same version of a table.

    `checks_first`: its server refuses a stale commit before it writes the metadata.json; one that becomes stale after
    that still loses. `deletes_losers`: a lost metadata.json is deleted at once, else it stays. `swaps_by_writing`:
    putting the metadata.json in place is the swap, as its name holds the version.
    """

    checks_first: bool = False
    deletes_losers: bool = False
    swaps_by_writing: bool = False


_SWAPS_A_POINTER = ConflictRule()
CONFLICT_RULES = {
    "jdbc": _SWAPS_A_POINTER,
    "postgresql": _SWAPS_A_POINTER,
    "in_memory": _SWAPS_A_POINTER,
    # a temporary file is renamed to the next version's name, or deleted if that exists already
    "hadoop": ConflictRule(deletes_losers=True, swaps_by_writing=True),
    # the server validates what the commit requires, writes, then swaps the pointer of its own catalog
    "rest": ConflictRule(checks_first=True),
    "unity": ConflictRule(checks_first=True),
    # the client writes before it asks: for the version that it read, or under a lock; losers delete what they wrote
    "glue": ConflictRule(deletes_losers=True),
    "hive": ConflictRule(deletes_losers=True),
}


def conflict_rule(catalog: str) -> ConflictRule:
    """The rule of a catalog; one that is known by its times alone swaps a pointer."""
    return CONFLICT_RULES.get(catalog, _SWAPS_A_POINTER)


def wait_ms(attempt: int, least_ms: int, most_ms: int) -> int:
    """Milliseconds to wait after this many lost attempts, without jitter."""
    return int(min(least_ms * _GROWTH ** min(attempt - 1, _DOUBLINGS), most_ms))


def jitter_ms(waits_ms: int, uniform: float) -> int:
    """What is added to a wait, by a random number from 0 to 1."""
    return int(uniform * max(1, int(waits_ms * JITTER)))


def gives_up(attempt: int, elapsed_ms: float, retries: int, most_total_ms: int) -> bool:
    """Whether a commit fails for good after this many lost attempts, `elapsed_ms` after the first began."""
    return attempt > retries or (elapsed_ms > most_total_ms and attempt > 1)
