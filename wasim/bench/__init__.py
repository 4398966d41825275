"""Orchestrates: cases in, runs out. Finished cases are skipped, a failing one does not stop the others."""

from wasim.bench.run import BenchOptions, bench, engine_named, keyed_cases
