"""Capacity: which commit interval and which maintenance to choose, under limits.

`request` is the question; `settings` are the candidates, each as a case; `figures` is what a setting costs (`shapes`,
`latency`, `cost`, `milestones`); `search` finds the best setting at an interval, `choice` picks the interval; `plan`
combines them; `answer`, `document` and `commands` render a plan as text, JSON and SQL.

To evaluate settings without a plan:

    request = request_from_flags({"rows_per_second": "5000"}, Requirements())
    figures = SettingSimulator(request=request).figures(Setting(interval_s=60.0, maintenance=NO_MAINTENANCE))
"""

from wasim.capacity.answer import plan_lines
from wasim.capacity.document import plan_document, setting_document
from wasim.capacity.figures import Figures, SettingSimulator
from wasim.capacity.plan import Plan, make_plan
from wasim.capacity.request import (
    PlanRequest,
    Requirements,
    request_from_document,
    request_from_file,
    request_from_flags,
    request_from_run,
)
from wasim.capacity.settings import NO_MAINTENANCE, Maintenance, Setting
