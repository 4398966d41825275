"""Settings of one request simulated at several horizons, for a page's sliders."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wasim.capacity.figures import Figures, SettingSimulator
from wasim.capacity.settings import Setting, case_of
from wasim.ledger import Summed
from wasim.scenario import Case


@dataclass(slots=True, kw_only=True)
class HorizonSimulator:
    """Simulates a request's settings at several horizons, each history in one pass.

    At the request's own horizon they are those of `SettingSimulator.figures`.
    """

    simulator: SettingSimulator

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
        return self.simulator.years_of(case, setting).simulate_at(case, horizons_s)


def has_one_history(case: Case) -> bool:
    """Whether one pass over a case's history serves every horizon, and is quick: that of one writer who appends."""
    upserts = case.writer.upsert is not None and not case.key_columns
    return case.writer.writers == 1 and not case.has_changes and not upserts
