"""Coefficients of the cost model from measured or simulated runs, with uncertainty and held-out error.

`report` holds what a fit says, also as JSON values; `run` makes it.
"""

from wasim.fit.report import FitReport, fit_document
from wasim.fit.run import fit_run
