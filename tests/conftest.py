"""What tests of every room share; those on Spark find their session in `support.on_spark`, where Spark is installed."""

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from support.command_line import report_sample
from support.small import small_case_in

from wasim.fit.robust import BOOTSTRAP_DRAWS
from wasim.scenario import Case
from wasim.years.sizes import Sizes, read_sizes

HAS_SPARK = find_spec("pyspark") is not None
pytest_plugins = ["support.on_spark"] if HAS_SPARK else []
collect_ignore = [] if HAS_SPARK else ["bench", "core", "spark"]  # rooms that are all on Spark
collect_ignore += [] if find_spec("selenium") else ["browser"]

# No deadline, as the machine may have other work. `make test-all` asks for the thorough one.
settings.register_profile("quick", deadline=None, max_examples=20)
settings.register_profile("thorough", deadline=None, max_examples=300)
settings.load_profile("quick")


@pytest.hookimpl(tryfirst=True)  # before -m selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests on Spark, and puts those that look at what the others left behind at the end."""
    for item in items:
        if isinstance(item, pytest.Function) and {"session", "servers", "run_case", "run_on"} & set(item.fixturenames):
            item.add_marker("spark")
            item.add_marker(pytest.mark.skipif(not HAS_SPARK, reason="Spark is not installed"))
    items.sort(key=lambda item: item.get_closest_marker("last") is not None)


@pytest.fixture(scope="session", autouse=True)
def one_core() -> Iterator[None]:
    """`make test` runs two parts beside each other: what a process forked for one call has cached ends with that call.

    What is asked for more processes by name has them, and so has a `wasim` that a test starts.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("wasim.processes.available_cores", lambda: 1)
        yield


@pytest.fixture(scope="session", autouse=True)
def few_draws() -> Iterator[None]:
    """Intervals of latencies from a fifth of their draws, which take most of a fit's time; not in `make test-all`."""
    with pytest.MonkeyPatch.context() as patched:
        if settings.get_current_profile_name() == "quick":
            patched.setattr("wasim.fit.latency.BOOTSTRAP_DRAWS", BOOTSTRAP_DRAWS // 5)
        yield


@pytest.fixture(scope="session", autouse=True)
def sizes_once() -> Iterator[None]:
    """Many tests sum the same table, the sizes of whose files are read once."""
    known: dict[str, Sizes] = {}

    def read(*of: Any) -> Sizes:
        key = repr(of)
        if key not in known:
            known[key] = read_sizes(*of)
        return known[key]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("wasim.years.shape.read_sizes", read)
        yield


@pytest.fixture(scope="session")
def reported_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sample run, with the report that is made of it today: to be read only."""
    return report_sample(tmp_path_factory.mktemp("reported"))


@pytest.fixture
def small_case(tmp_path: Path) -> Callable[..., Case]:
    """The first case of the small scenario, with lines of it replaced: `small_case(horizon="9s")`."""
    return partial(small_case_in, tmp_path)
