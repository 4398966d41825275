"""The laws that fast mode sums: what a case's files weigh, fitted to exact simulations of short histories of its table.

`appends` fits what the writer alone writes, `upserts` the same of one that deletes by key, `upkeep` what maintenance
adds to that.
"""

from wasim.calibration.appends import (
    CALIBRATION_COMMITS,
    as_profiled,
    calibrate,
    case_run_exact,
    exact_case_run,
    first_metadata_bytes,
    with_summary,
)
from wasim.calibration.upkeep import UpkeepLaws, calibrate_upkeep, maintained_model
from wasim.calibration.upserts import calibrate_upserts

__all__ = [
    "CALIBRATION_COMMITS",
    "UpkeepLaws",
    "as_profiled",
    "calibrate",
    "calibrate_upkeep",
    "calibrate_upserts",
    "case_run_exact",
    "exact_case_run",
    "first_metadata_bytes",
    "maintained_model",
    "with_summary",
]
