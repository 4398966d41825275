"""Coefficients of the cost model from measured or simulated runs, with uncertainty and held-out error.

`report` holds what a fit says; `run` makes it; `document` gives it as JSON values.
"""

from wasim.fit.document import fit_document
from wasim.fit.report import FitReport
from wasim.fit.run import fit_run

__all__ = ["FitReport", "fit_document", "fit_run"]
