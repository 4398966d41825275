"""The engines that bench can carry out steps with, by name."""

from wasim.core import CORE
from wasim.errors import WasimError
from wasim.spark.drive import SPARK, Engine

ENGINES = {engine.name: engine for engine in (SPARK, CORE)}


def engine_named(name: str) -> Engine:
    """The engine with that name. WasimError if there is none."""
    if name not in ENGINES:
        raise WasimError(f"--engine is {name!r}. Give {' or '.join(ENGINES)}; bench takes pyiceberg and flink too.")
    return ENGINES[name]
