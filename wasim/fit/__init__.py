"""Coefficients of the cost model from measured or simulated runs, with uncertainty and held-out error.

`report` holds what a fit says; `run` makes it; `render` and `document` give it as text and as JSON values.
"""

from wasim.fit.document import fit_document
from wasim.fit.render import render_coefficient_table, render_fit, render_held_out_table
from wasim.fit.report import FitReport
from wasim.fit.run import fit_run

__all__ = ["FitReport", "fit_document", "fit_run", "render_coefficient_table", "render_fit", "render_held_out_table"]
