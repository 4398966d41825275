"""Orchestrates: cases in, runs out. Finished cases are skipped, a failing one does not stop the others."""

from wasim.bench.run import ENGINES, BenchOptions, bench, engine_named, keyed_cases

__all__ = ["ENGINES", "BenchOptions", "bench", "engine_named", "keyed_cases"]
