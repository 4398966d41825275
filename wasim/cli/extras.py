"""Optional packages: found before a verb imports them, so that a missing one is a line and not a traceback."""

from importlib.util import find_spec

from wasim.errors import EnvironmentFault

_SPARK = {"pyspark": "Spark", "py4j": "Spark's gateway", "pandas": "pandas"}


def require_spark(use: str, extra: str = "bench") -> None:
    """EnvironmentFault naming the first of Spark's packages that `use`, a verb, misses and the extra brings."""
    for module, name in _SPARK.items():
        if find_spec(module) is None:
            raise EnvironmentFault(f'{use} needs {name}: pip install "wasim[{extra}]"')


def require_pyiceberg(use: str) -> None:
    """EnvironmentFault if `use`, a verb, misses pyiceberg."""
    if find_spec("pyiceberg") is None:
        raise EnvironmentFault(f'{use} needs pyiceberg: pip install "wasim[pyiceberg]"')
