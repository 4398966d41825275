"""A sweep's cases in blocks: each of one table and its commits, so that its file sizes are read once."""

from collections.abc import Sequence
from dataclasses import dataclass

from wasim.forecast.ahead import profile_of
from wasim.scenario import Case
from wasim.twin import Site
from wasim.years import shape_key


@dataclass(frozen=True, slots=True, kw_only=True)
class GridBlock:
    """Settings of a sweep that share a shape, each with its number, to be simulated by one process."""

    site: Site
    settings: tuple[tuple[int, Case], ...]


def plan_grid(cases: Sequence[Case], site: Site | None = None) -> list[GridBlock]:
    """The cases in blocks that can each be simulated alone. WasimError names what makes no sense."""
    groups: dict[str, list[tuple[int, Case]]] = {}
    for number, case in enumerate(cases):
        profile_of(case)
        groups.setdefault(shape_key(case), []).append((number, case))
    return [GridBlock(site=site or Site(), settings=tuple(members)) for members in groups.values()]
