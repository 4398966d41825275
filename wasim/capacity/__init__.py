"""Capacity: which commit interval and which maintenance to choose, under limits.

`request` says what is asked; `settings` what may be set, and the case that makes; `figures` what each setting costs
(`shapes`, `latency`, `cost`, `milestones`); `search` finds the best setting at an interval, `choice` takes one of them;
`plan` brings it together; `answer`, `document` and `commands` put it into words, JSON and SQL.

For a lattice of settings, whatever it is to be used for:

    request = request_from_flags({"rows_per_second": "5000"}, Wishes())
    figures = SettingSimulator(request=request).evaluate([Setting(interval_s=60.0, maintenance=NO_MAINTENANCE), ...])
"""

from wasim.capacity.answer import plan_lines
from wasim.capacity.document import figures_document, plan_document, setting_document
from wasim.capacity.figures import Figures, SettingSimulator
from wasim.capacity.plan import Plan, make_plan
from wasim.capacity.request import (
    PlanRequest,
    Wishes,
    request_from_document,
    request_from_file,
    request_from_flags,
    request_from_run,
)
from wasim.capacity.settings import NO_MAINTENANCE, Maintenance, Setting

__all__ = [
    "NO_MAINTENANCE",
    "Figures",
    "Maintenance",
    "Plan",
    "PlanRequest",
    "Setting",
    "SettingSimulator",
    "Wishes",
    "figures_document",
    "make_plan",
    "plan_document",
    "plan_lines",
    "request_from_document",
    "request_from_file",
    "request_from_flags",
    "request_from_run",
    "setting_document",
]
