"""Optional packages: found before a verb imports them, so that a missing one is a line and not a traceback."""

from importlib.util import find_spec

from wasim.errors import EnvironmentFault

_SPARK = {"pyspark": "Spark", "py4j": "Spark's gateway", "pandas": "pandas"}
_BENCH = {**_SPARK, "pytest": "pytest", "pytest_benchmark": "pytest-benchmark"}
_EXTRAS = {"spark": _SPARK, "bench": _BENCH}


def require_extra(use: str, extra: str = "bench") -> None:
    """EnvironmentFault naming the first package of the extra that is not installed. `use` is what needs it: a verb."""
    for module, name in _EXTRAS[extra].items():
        if find_spec(module) is None:
            raise EnvironmentFault(f'{use} needs {name}: pip install "wasim[{extra}]"')
