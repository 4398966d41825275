"""Settings of one request simulated at several horizons, for a page's sliders."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from wasim.capacity.figures import Figures, SettingSimulator
from wasim.capacity.last_cycle import Course, courses_of
from wasim.capacity.settings import Setting
from wasim.scenario import Case


@dataclass(slots=True, kw_only=True)
class HorizonSimulator:
    """Simulates a request's settings at several horizons, each history in one pass.

    At the request's own horizon they are those of `SettingSimulator.figures`.
    """

    simulator: SettingSimulator
    _courses: dict[tuple[object, ...], tuple[Course, ...]] = field(default_factory=dict)

    def figures(self, setting: Setting, horizons_s: Sequence[float]) -> tuple[Figures, ...]:
        """The figures of a setting at these horizons, ascending, in seconds. WasimError for an invalid setting."""
        courses = self._courses_of(setting, horizons_s)
        return tuple(self.simulator.figures_of(setting, course) for course in courses)

    def _courses_of(self, setting: Setting, horizons_s: Sequence[float]) -> tuple[Course, ...]:
        case, shape = self.simulator.case(setting), self.simulator.shape(setting)
        expiry = case.maintenance.expire_snapshots
        key = (setting.course_key, None if expiry is None else expiry.every, *horizons_s)
        own = next((at for at, one in enumerate(horizons_s) if one >= case.horizon_s), len(horizons_s))
        parts: list[Sequence[float]] = [part for part in (horizons_s[:own], horizons_s[own:]) if part]
        if case.merges:  # how full merged manifests are at a horizon depends on where earlier leaps ended
            parts = [[horizon_s] for horizon_s in horizons_s]
        if key not in self._courses:
            self._courses[key] = tuple(one for part in parts for one in courses_of(case, shape, part))
        return self._courses[key]


def has_one_history(case: Case) -> bool:
    """Whether one pass over a case's history serves every horizon; else each horizon is simulated from the start."""
    upserts = case.writer.upsert is not None and not case.key_columns
    return case.writer.writers == 1 and not case.has_changes and not upserts
