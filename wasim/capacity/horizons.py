"""Settings of one request simulated at several horizons, for a page's sliders."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from wasim.capacity.figures import Figures, SettingSimulator
from wasim.capacity.settings import Setting, case_of
from wasim.ledger import Summed
from wasim.scenario import Case
from wasim.years.history import Samples
from wasim.years.horizons import histories_at, sums_at
from wasim.years.summed import of_one_writer


@dataclass(slots=True, kw_only=True)
class HorizonSimulator:
    """Simulates a request's settings at several horizons, each history in one pass.

    At the request's own horizon they are those of `SettingSimulator.figures`.
    """

    simulator: SettingSimulator
    _histories: dict[tuple[object, ...], tuple[Samples, ...]] = field(default_factory=dict)

    def figures(self, setting: Setting, horizons_s: Sequence[float]) -> tuple[Figures, ...]:
        """The figures of a setting at these horizons, ascending, in seconds. WasimError for an invalid setting."""
        case = case_of(self.simulator.request, setting)
        sums = self._sums(setting, horizons_s)
        plain = self._sums(replace(setting, gzips_json=False), horizons_s) if setting.gzips_json else sums
        return tuple(
            self.simulator.figures_of(case.over(horizon_s), setting, summed, uncompressed)
            for horizon_s, summed, uncompressed in zip(horizons_s, sums, plain, strict=True)
        )

    def _sums(self, setting: Setting, horizons_s: Sequence[float]) -> list[Summed]:
        case = case_of(self.simulator.request, setting)
        years = self.simulator.years_of(case, setting)
        if not has_one_history(case):
            return [years.simulate(case.over(horizon_s)) for horizon_s in horizons_s]
        case = of_one_writer(case)
        shape = years.shape_of(case)
        kept = case.maintenance
        key = id(years.histories), f"{kept.rewrite_data_files!r} {kept.rewrite_manifests!r}", *horizons_s
        own = next((at for at, one in enumerate(horizons_s) if one >= case.horizon_s), len(horizons_s))
        parts: list[Sequence[float]] = [part for part in (horizons_s[:own], horizons_s[own:]) if part]
        if case.merges:  # how full merged manifests are at a horizon depends on where earlier leaps ended
            parts = [[horizon_s] for horizon_s in horizons_s]
        if key not in self._histories:
            self._histories[key] = tuple(one for part in parts for one in histories_at(case, shape, part))
        return list(sums_at(case, shape, self._histories[key], horizons_s, kept))


def has_one_history(case: Case) -> bool:
    """Whether one pass over a case's history serves every horizon; else each horizon is simulated from the start."""
    upserts = case.writer.upsert is not None and not case.key_columns
    return case.writer.writers == 1 and not case.has_changes and not upserts
