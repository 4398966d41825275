"""Runs a scenario's cases into a run's folder, on any engine, and concludes the run: fit, limits, answer, report."""

from wasim.runner.conclude import Job, Outcome, conclude, conclude_run, run_cases
