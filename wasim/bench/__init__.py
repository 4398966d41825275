"""Orchestrates: cases in, runs out. Finished cases are skipped, a failing one does not stop the others."""

from wasim.bench.engines import ENGINES, engine_named
from wasim.bench.run import BenchOptions, bench, keyed_cases

__all__ = ["ENGINES", "BenchOptions", "bench", "engine_named", "keyed_cases"]
