"""What each catalog does with a commit that another one has overtaken, and when it notices."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictRule:
    """How a catalog meets two commits for one version of a table.

    Where its server `checks_first`, a stale commit is refused before its metadata.json is written; one that is
    overtaken later still loses. Where it `deletes_losers`, a lost metadata.json is deleted at once, else it stays.
    `swaps_by_writing` says that the version is taken by the metadata.json itself, and not afterwards.
    """

    checks_first: bool = False
    deletes_losers: bool = False
    swaps_by_writing: bool = False


_SWAPS_A_POINTER = ConflictRule()
CONFLICT_RULES = {
    "jdbc": _SWAPS_A_POINTER,
    "postgresql": _SWAPS_A_POINTER,
    "in_memory": _SWAPS_A_POINTER,
    # a temporary file is renamed to the next version's name, or deleted if that is there already
    "hadoop": ConflictRule(deletes_losers=True, swaps_by_writing=True),
    # the server validates what the commit requires, writes, then swaps the pointer of its own catalog
    "rest": ConflictRule(checks_first=True),
}
