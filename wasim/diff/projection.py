"""What a case comes to: the one place that asks the simulator, and that counts money and planning as a plan does."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from wasim.capacity import PlanRequest, Requirements, SettingSimulator
from wasim.capacity.figures import Figures
from wasim.capacity.request import request_from_scenario
from wasim.capacity.settings import setting_of
from wasim.scenario import Case
from wasim.scenario.load import scenario_of
from wasim.twin import shipped_profile
from wasim.twin.profile import as_triggered, as_written


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """A case as its scenario says it, its figures at the end of the horizon, and what was requested for it."""

    case: Case
    figures: Figures
    request: PlanRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What is the same on both sides: the horizon, where tables lie, and who bills them."""

    horizon: str
    location: str | None = None
    provider: str | None = None
    prices: Path | None = None


def project(text: str, overrides: Mapping[str, str], terms: Terms, source: str) -> Iterator[Projection]:
    """The projection of each case of a scenario, in its order. WasimError for what makes no sense, some of it named by
    the `source`.
    """
    content, overrides = text.encode(), {**overrides, "horizon": terms.horizon}
    requirements = Requirements(provider=terms.provider, prices=terms.prices)
    for case in scenario_of(content, overrides).cases():
        if case.repetition == 0:
            alone = scenario_of(content, {**overrides, **case.swept})
            request = request_from_scenario(alone, source, requirements, terms.horizon)
            if terms.location is not None:
                request = replace(request, location=terms.location)
            profile = shipped_profile(case)
            triggered = as_triggered(case, profile).over(request.horizon_s)
            written = as_written(triggered, profile)
            simulator = SettingSimulator(request=request)
            simulator.encode(written.commit_interval_s)
            figures = simulator.figures_of_case(written, setting_of(written))
            yield Projection(case=triggered, figures=simulator.with_measured_bands(figures), request=request)
