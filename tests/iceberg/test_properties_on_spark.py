"""Table properties against the constants and the parsers of Iceberg's own jar."""

from typing import Any

import pytest

pytest.importorskip("pyspark")

from py4j.protocol import Py4JError
from pyspark.errors import IllegalArgumentException

from wasim.iceberg import properties as module
from wasim.iceberg.properties import PROPERTIES, PropertyError, TableProperties
from wasim.spark import Session

KEYS = {name: value for name, value in vars(module).items() if name.isupper() and isinstance(value, str)}
# Not set in wasim, so that the engine decides: Spark takes others than the constants say.
LEFT_TO_THE_ENGINE = {"DELETE_GRANULARITY", "SPARK_WRITE_PARTITIONED_FANOUT_ENABLED", "DEFAULT_WRITE_METRICS_MODE"}


@pytest.fixture
def iceberg(session: Session) -> Any:
    return session.jvm.org.apache.iceberg


def test_keys_are_those_of_icebergs_constants(iceberg: Any) -> None:
    assert {name: getattr(iceberg.TableProperties, name) for name in KEYS} == KEYS


def test_defaults_are_those_of_icebergs_constants(iceberg: Any) -> None:
    expected, found = {}, {}
    rows = {row.key: row for row in PROPERTIES}
    for name, key in KEYS.items():
        default = _constant(iceberg, f"{name}_DEFAULT")
        if default is not None and key in rows and name not in LEFT_TO_THE_ENGINE:
            expected[key], found[key] = default, rows[key].default
    assert found == expected
    assert len(found) > 20


def _constant(iceberg: Any, name: str) -> Any:
    try:
        return getattr(iceberg.TableProperties, name)
    except Py4JError:  # there is no such field
        return None


@pytest.mark.parametrize("text", ["true", "TRUE", "yes", "1", "", " true", "false", "on"])
def test_booleans_are_parsed_as_iceberg_parses_them(text: str, iceberg: Any) -> None:
    key = module.MANIFEST_MERGE_ENABLED
    java = iceberg.util.PropertyUtil.propertyAsBoolean({key: text}, key, True)
    assert TableProperties.read({key: text}).manifest_merge_enabled == java


@pytest.mark.parametrize("text", ["7", "+7", "-7", "007", "2147483647", "2147483648", "1_000", " 7", "7.0", "0x10", ""])
def test_whole_numbers_are_parsed_as_iceberg_parses_them(text: str, iceberg: Any) -> None:
    key = module.MANIFEST_MIN_MERGE_COUNT
    try:
        java = iceberg.util.PropertyUtil.propertyAsInt({key: text}, key, 0)
    except IllegalArgumentException:
        with pytest.raises(PropertyError):
            TableProperties.read({key: text})
    else:
        assert TableProperties.read({key: text}).manifest_min_merge_count == java


@pytest.mark.parametrize("text", ["none", "COUNTS", "full", "truncate(16)", "Truncate(3)", "truncate(0)", "truncate"])
def test_metrics_modes_are_parsed_as_iceberg_parses_them(text: str, iceberg: Any) -> None:
    key = module.DEFAULT_WRITE_METRICS_MODE
    try:
        java = str(iceberg.MetricsModes.fromString(text).toString())
    except IllegalArgumentException:
        with pytest.raises(PropertyError):
            TableProperties.read({key: text})
    else:
        mode = TableProperties.read({key: text}).default_write_metrics_mode
        assert mode == TableProperties.read({key: java}).default_write_metrics_mode
