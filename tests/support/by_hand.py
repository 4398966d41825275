"""Figures that nobody simulated, plans of them, and a simulator that answers by a law written down in a test."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from support.plans import a_request
from wasim.capacity import NO_MAINTENANCE, Figures, Plan, PlanRequest, Setting
from wasim.capacity.choice import frontier_of
from wasim.capacity.cost import MonthlyCost
from wasim.capacity.last_cycle import Spread
from wasim.capacity.milestones import Milestones
from wasim.capacity.settings import case_of
from wasim.contention import Footprint
from wasim.ledger import Kind
from wasim.scenario import Case
from wasim.scenario.metrics import METRICS, Limit

HELD = (
    *("metadata_json_bytes", "manifests", "snapshots", "files", "delete_files", "metadata_on_disk_bytes"),
    *("load_p50_ms", "planning_p50_ms"),
)
NOTHING: dict[Kind, int] = dict.fromkeys(Kind, 0)
FREE = MonthlyCost(requests=0, storage=0, transfer=0, commits=0, maintenance=0, planning=0, opening=0)


def some_figures(setting: Setting | float = 30.0, cost: float = 1.0, /, **given: Any) -> Figures:
    """Figures of a setting, or of one without maintenance at an interval: a month's cost, and whatever else is given,
    by metric or by field. Every other metric is 1, of what is held half of that on average.
    """
    values = dict.fromkeys(METRICS, 1.0) | {"delete_files": 0.0, "monthly_cost": cost}
    values |= {name: float(given.pop(name)) for name in [*given] if name in values}
    spreads = {name: Spread(mean=values[name] / 2, most=values[name], final=values[name]) for name in HELD}
    return Figures(
        **{
            "setting": setting if isinstance(setting, Setting) else Setting(interval_s=setting),
            "values": values,
            "spreads": spreads,
            "bands": {"monthly_cost": 0.05},
            "approximated": (),
            "keeps_up_s": None,
            "cost": replace(FREE, storage=cost),
            "written_bytes": NOTHING,
            "written_bands": dict.fromkeys(Kind, 0.0),
            "on_disk_bytes": NOTHING,
            "milestones": Milestones(json_passes={}, metadata_outweighs=None),
            "extrapolated": False,
            "footprint": Footprint(metadata_json_bytes=1e4, manifest_list_bytes=1e3, manifest_bytes=1e3),
        }
        | given
    )


def some_plan(
    best: Sequence[Figures], chosen: Figures | None, request: PlanRequest | None = None, **given: Any
) -> Plan:
    """A plan of these settings, for a plain request."""
    request = request or a_request()
    setting = Setting(interval_s=request.longest_s) if chosen is None else chosen.setting
    return Plan(
        request=request,
        case=given.pop("case", None) or case_of(request, setting),
        best=tuple(best),
        chosen=chosen,
        frontier=frontier_of(best),
        **given,
    )


def at_most(metric: str, bound: float, comparison: str = "<=") -> Limit:
    return Limit(metric=metric, comparison=comparison, bound=float(bound), text=f"{comparison} {bound:g}")  # type: ignore[arg-type]


Law = Callable[[Setting, float], Figures]  # a setting at a multiple of the rate


@dataclass(slots=True, kw_only=True)
class ByLaw:
    """What a search or a plan asks of a simulator, answered by a law instead of simulations; `asked` keeps what was."""

    request: PlanRequest
    law: Law
    least: Callable[[Setting], float] = lambda setting: 0.0
    reachable_s: float = 0.0  # the shortest interval at which a writer could keep up
    full: bool = False  # whether manifests are
    exact: Law | None = None  # once an interval has been encoded
    over: Callable[[Figures, float], Figures] = lambda figures, horizon_s: figures  # at other horizons
    asked: dict[tuple[Setting, float], Figures] = field(default_factory=dict)
    ahead: list[tuple[Setting, float]] = field(default_factory=list)
    encoded: set[float] = field(default_factory=set)

    def figures(self, setting: Setting, *, rate: float = 1.0, horizon_s: float | None = None) -> Figures:
        is_exact = self.exact is not None and setting.interval_s in self.encoded
        found = (self.exact if is_exact else self.law)(setting, rate)  # type: ignore[misc]
        self.asked[setting, rate] = found
        return found

    def figures_over(self, setting: Setting, horizons_s: Sequence[float]) -> tuple[Figures, ...]:
        return tuple(self.over(self.figures(setting), one) for one in horizons_s)

    def for_settings(self, settings: Iterable[Setting]) -> "ByLaw":
        return self

    @property
    def case_at_longest(self) -> Case:
        return self.case(Setting(interval_s=self.request.longest_s))

    def with_commits(self, figures: Figures) -> Figures:
        return figures

    def with_measured_bands(self, figures: Figures) -> Figures:
        return figures

    def simulate_ahead(self, settings: Iterable[tuple[Setting, float]], horizon_s: float | None = None) -> None:
        self.ahead += [*settings]

    def encode(self, interval_s: float) -> None:
        self.encoded.add(interval_s)

    def of_other_rate(self, request: PlanRequest) -> "ByLaw":
        return replace(self, request=request, asked={})

    of_other_table = of_other_rate

    def case(self, setting: Setting, rate: float = 1.0) -> Case:
        return case_of(self.request, setting, rate=rate)

    def least_cost(self, setting: Setting) -> float:
        return self.least(setting)

    def is_out_of_reach(self, setting: Setting, kept_s: float) -> bool:
        return setting.interval_s < self.reachable_s

    def fills_manifests(self, setting: Setting) -> bool:
        return self.full

    def files_per_commit(self, setting: Setting) -> float:
        return 1.0

    @property
    def evaluated(self) -> int:
        return len(self.asked)


def plain(interval_s: float = 30.0) -> Setting:
    return Setting(interval_s=interval_s, maintenance=NO_MAINTENANCE)
