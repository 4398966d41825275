"""A scenario's cases carried out into a run's folder, whichever engine does it, and the run concluded."""

from wasim.runner.conclude import Outcome, conclude, conclude_run
from wasim.runner.run import CaseRunner, Job, run_cases

__all__ = ["CaseRunner", "Job", "Outcome", "conclude", "conclude_run", "run_cases"]
