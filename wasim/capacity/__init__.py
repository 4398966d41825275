"""Capacity: which commit interval and which maintenance to choose, under limits.

`request` says what is asked, `settings` what is tried, `figures` what each setting costs, `choice` which one to take,
`plan` brings them together, `answer` and `commands` put the plan into words, SQL and JSON.
"""

from wasim.capacity.answer import plan_document, plan_lines
from wasim.capacity.plan import Plan, make_plan
from wasim.capacity.request import PlanRequest, request_from_file, request_from_flags

__all__ = [
    "Plan",
    "PlanRequest",
    "make_plan",
    "plan_document",
    "plan_lines",
    "request_from_file",
    "request_from_flags",
]
