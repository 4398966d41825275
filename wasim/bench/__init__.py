"""Orchestrates: cases in, runs out. Finished cases are skipped, a failing one does not stop the others."""

from wasim.bench.conclude import Outcome, conclude_run
from wasim.bench.run import BenchOptions, bench, keyed_cases

__all__ = ["BenchOptions", "Outcome", "bench", "conclude_run", "keyed_cases"]
