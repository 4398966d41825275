"""A sweep's cases in blocks: those whose tables and commits are alike, so that what their files weigh is read once."""

from collections.abc import Sequence
from dataclasses import dataclass

from wasim.scenario import Case
from wasim.twin import Site, WriterProfile, shipped_profile
from wasim.twin.supported import check_answerable
from wasim.years import shape_key


@dataclass(frozen=True, slots=True, kw_only=True)
class GridBlock:
    """Settings of a sweep that share a shape, each with its number, to be simulated by one process."""

    profile: WriterProfile
    site: Site
    settings: tuple[tuple[int, Case], ...]


def plan_grid(
    cases: Sequence[Case], *, profile: WriterProfile | None = None, site: Site | None = None
) -> list[GridBlock]:
    """The cases in blocks that can each be simulated alone. WasimError names what makes no sense."""
    groups: dict[str, list[tuple[int, Case]]] = {}
    for number, case in enumerate(cases):
        check_answerable(case, profile or shipped_profile(case))
        groups.setdefault(shape_key(case), []).append((number, case))
    return [
        GridBlock(profile=profile or shipped_profile(members[0][1]), site=site or Site(), settings=tuple(members))
        for members in groups.values()
    ]
