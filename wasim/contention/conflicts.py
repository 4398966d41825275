"""How each catalog handles a stale commit, one whose base another commit has replaced, and when it detects it."""

from dataclasses import dataclass


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
}
