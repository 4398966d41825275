"""Charts of a run, the only gate to matplotlib.

A `draw_` function takes an Axes and returns it; a `plan_` function decides whether the run can give its chart, and says
why when it cannot.
"""

from wasim.report.charts.chart import Chart, DrawnChart, LeftOut, draw_figure
from wasim.report.charts.gallery import OF_DETAIL, draw_chart, draw_charts, plan_charts, render_chart, save_charts
from wasim.report.charts.inspected import plan_history, plan_states
from wasim.report.charts.lasting import plan_saving
