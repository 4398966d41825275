"""A plain request for a plan, and the plan."""

from functools import cache

from wasim.capacity import Plan, PlanRequest, Requirements, make_plan, request_from_flags


def a_request(freshness: str | None = "30s", prefer: str | None = None, **limits: str) -> PlanRequest:
    """500 rows/s over ten days, with a day of time travel."""
    requirements = Requirements(freshness=freshness, time_travel="1d", limits=limits, prefer=prefer)
    return request_from_flags({"rows_per_second": "500", "horizon": "10d"}, requirements)


@cache
def a_plan(freshness: str | None = "30s", prefer: str | None = None, **limits: str) -> Plan:
    """Its plan."""
    return make_plan(a_request(freshness, prefer, **limits))
