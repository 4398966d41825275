"""Benchmarks: planning timed inside a run (`timing`, `planning`), what recording costs, and a published table."""
