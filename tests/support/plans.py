"""A plain request for a plan, and the plan."""

from functools import cache

from wasim.capacity import (
    NO_MAINTENANCE,
    Plan,
    PlanRequest,
    Requirements,
    Setting,
    SettingSimulator,
    make_plan,
    request_from_flags,
)


def a_request(freshness: str | None = "30s", prefer: str | None = None, **limits: str) -> PlanRequest:
    """500 rows/s over ten days, with a day of time travel."""
    requirements = Requirements(freshness=freshness, time_travel="1d", limits=limits, prefer=prefer)
    return request_from_flags({"rows_per_second": "500", "horizon": "10d"}, requirements)


@cache
def _plain() -> SettingSimulator:
    simulator = SettingSimulator(request=a_request())
    simulator.figures(Setting(interval_s=30.0, maintenance=NO_MAINTENANCE))
    return simulator


def a_simulator(request: PlanRequest | None = None) -> SettingSimulator:
    """A simulator of a plain request, whatever its limits, jobs or horizon: their table is encoded once."""
    return _plain().of_other_rate(request or a_request())


@cache
def a_plan(freshness: str | None = "30s", prefer: str | None = None, **limits: str) -> Plan:
    """Its plan."""
    request = a_request(freshness, prefer, **limits)
    return make_plan(request, a_simulator(request))
