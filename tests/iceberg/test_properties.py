"""Table properties: defaults as Iceberg documents them, values as its Java library parses them."""

import ast
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

import wasim
from wasim.iceberg import properties
from wasim.iceberg.properties import PLACING_KEYS, PROPERTIES, PropertyError, Support, TableProperties, property_of
from wasim.iceberg.property_values import DEFAULT_METRICS, NO_METRICS, MetricsMode
from wasim.ledger import Kind

# As docs/configuration.md of Iceberg 1.12 writes them; those that it leaves out, as TableProperties.java does.
DOCUMENTED = {
    "commit.manifest-merge.enabled": "true",
    "commit.manifest.min-count-to-merge": "100",
    "commit.manifest.target-size-bytes": "8388608",
    "commit.retry.num-retries": "4",
    "commit.retry.min-wait-ms": "100",
    "commit.retry.max-wait-ms": "60000",
    "commit.retry.total-timeout-ms": "1800000",
    "compatibility.snapshot-id-inheritance.enabled": "false",
    "gc.enabled": "true",
    "history.expire.max-snapshot-age-ms": "432000000",
    "history.expire.min-snapshots-to-keep": "1",
    "history.expire.max-ref-age-ms": "9223372036854775807",
    "write.object-storage.enabled": "false",
    "write.object-storage.partitioned-paths": "true",
    "write.delete.mode": "copy-on-write",
    "write.update.mode": "copy-on-write",
    "write.merge.mode": "copy-on-write",
    "write.target-file-size-bytes": "536870912",
    "write.manifest.compression-codec": "gzip",
    "write.metadata.compression-codec": "none",
    "write.metadata.delete-after-commit.enabled": "false",
    "write.metadata.previous-versions-max": "100",
    "write.metadata.metrics.max-inferred-column-defaults": "100",
    "write.summary.partition-limit": "0",
}
NOT_SET = {  # "(not set)", or what the engine has another default for
    "write.data.path",
    "write.metadata.path",
    "write.delete.granularity",
    "write.distribution-mode",
    "write.manifest.compression-level",
    "write.metadata.metrics.default",
}
ROWS = [row for row in PROPERTIES if row.name]


def test_every_field_has_a_documented_default_or_none():
    plain = {row.key for row in ROWS if not row.key.endswith(".")}
    assert plain == DOCUMENTED.keys() | NOT_SET
    assert {row.name for row in ROWS} == {one.name for one in fields(TableProperties)}


@pytest.mark.parametrize(("key", "text"), DOCUMENTED.items())
def test_the_default_is_the_documented_one(key, text):
    row = property_of(key)
    assert row.default == row.parse(text) == getattr(TableProperties(), row.name)
    assert TableProperties.read({key: text}) == TableProperties()


@pytest.mark.parametrize("key", sorted(NOT_SET))
def test_what_is_not_set_is_none(key):
    assert property_of(key).default is None
    assert getattr(TableProperties.read({}), property_of(key).name) is None


@pytest.mark.parametrize("text", ["true", "TRUE", "True"])
def test_true_in_any_case_is_true(text):
    assert TableProperties.read({"write.object-storage.enabled": text}).object_store_enabled


@pytest.mark.parametrize("text", ["yes", "1", "on", " true", "false", ""])
def test_anything_else_is_false(text):
    assert not TableProperties.read({"commit.manifest-merge.enabled": text}).manifest_merge_enabled


@pytest.mark.parametrize(("text", "number"), [("7", 7), ("+7", 7), ("-7", -7), ("007", 7), ("2147483647", 2**31 - 1)])
def test_whole_numbers_are_read_as_java_reads_them(text, number):
    assert TableProperties.read({"commit.manifest.min-count-to-merge": text}).manifest_min_merge_count == number


@pytest.mark.parametrize("text", ["abc", "", " 7", "7 ", "1_000", "1e3", "7.0", "0x10", "8MB"])
def test_nonsense_is_refused_with_what_to_give(text):
    with pytest.raises(PropertyError) as refused:
        TableProperties.read({"commit.manifest.min-count-to-merge": text})
    expected = f'table.properties.commit.manifest.min-count-to-merge is "{text}". Give a whole number.'
    assert str(refused.value) == expected


def test_an_int_has_32_bits_and_a_long_64():
    with pytest.raises(PropertyError, match="from -2147483648 to 2147483647"):
        TableProperties.read({"commit.manifest.min-count-to-merge": "2147483648"})
    assert TableProperties.read({"commit.manifest.target-size-bytes": "2147483648"}).manifest_target_size_bytes == 2**31
    assert TableProperties.read({"commit.manifest.target-size-bytes": str(-(2**63))}).manifest_target_size_bytes == -(
        2**63
    )
    with pytest.raises(PropertyError, match="-9223372036854775808"):
        TableProperties.read({"commit.manifest.target-size-bytes": str(-(2**63) - 1)})
    with pytest.raises(PropertyError, match="9223372036854775807"):
        TableProperties.read({"commit.manifest.target-size-bytes": str(2**63)})


def test_a_lenient_reading_leaves_what_it_cannot_parse_at_default():
    nonsense = {"commit.manifest.min-count-to-merge": "abc", "write.metadata.metrics.column.a": "some"}
    level = {"write.manifest.compression-level": "99"}
    read = TableProperties.read_leniently({"write.summary.partition-limit": "7"} | nonsense | level)
    assert read == TableProperties(write_partition_summary_limit=7)


def test_keys_that_wasim_does_not_use_are_passed_over():
    assert TableProperties.read({"comment": "mine", "write.wap.enabled": "?", "read.split.target-size": "?"}) == (
        TableProperties()
    )


@pytest.mark.parametrize(("text", "least"), [("-5", 2), ("0", 2), ("1", 2), ("9", 9)])
def test_no_manifest_merges_alone(text, least):
    assert TableProperties.read({"commit.manifest.min-count-to-merge": text}).merged_from == least


def test_retries_below_zero_are_refused():
    with pytest.raises(PropertyError, match="from 0 to"):
        TableProperties.read({"commit.retry.num-retries": "-1"})


def test_the_metadata_log_keeps_one_entry_at_least():
    assert TableProperties.read({"write.metadata.previous-versions-max": "-3"}).metadata_previous_versions_max == 1


def test_a_negative_number_of_inferred_columns_is_the_default():
    read = TableProperties.read({"write.metadata.metrics.max-inferred-column-defaults": "-1"})
    assert read.metrics_max_inferred_column_defaults == 100


def test_codecs_and_modes_are_named_in_any_case():
    read = TableProperties.read({"write.manifest.compression-codec": "ZSTD", "write.update.mode": "Merge-On-Read"})
    assert (read.manifest_compression, read.is_merge_on_read("update")) == ("zstd", True)
    assert not read.is_merge_on_read("delete")
    with pytest.raises(PropertyError, match="Give gzip or none"):
        TableProperties.read({"write.metadata.compression-codec": "zstd"})


def test_a_level_belongs_to_its_codec():
    level, codec = "write.manifest.compression-level", "write.manifest.compression-codec"
    assert TableProperties.read({level: "19", codec: "zstd"}).manifest_compression_level == 19
    assert TableProperties.read({level: "19", codec: "snappy"}).manifest_compression_level is None
    with pytest.raises(PropertyError, match=r'is "19", which is no level of gzip\. Give one from -1 to 9'):
        TableProperties.read({level: "19"})


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("none", NO_METRICS),
        ("Counts", MetricsMode(has_counts=True, bound_length=None)),
        ("FULL", MetricsMode(has_counts=True, bound_length=0)),
        ("truncate(16)", DEFAULT_METRICS),
        ("Truncate(5)", MetricsMode(has_counts=True, bound_length=5)),
    ],
)
def test_metrics_modes_are_read_as_iceberg_reads_them(text, mode):
    assert TableProperties.read({"write.metadata.metrics.default": text}).metrics_modes(["a"]) == [mode]


@pytest.mark.parametrize("text", ["truncate(0)", "truncate", "truncate (16)", "truncate(99999999999)", "some"])
def test_a_column_without_metrics_mode_is_refused_by_name(text):
    with pytest.raises(PropertyError, match=r"table\.properties\.write\.metadata\.metrics\.column\.payload\.text is"):
        TableProperties.read({"write.metadata.metrics.column.payload.text": text})


def test_columns_past_the_limit_need_a_mode_for_metrics():
    limit = {"write.metadata.metrics.max-inferred-column-defaults": "1"}
    own = {"write.metadata.metrics.column.c": "counts"}
    counts = MetricsMode(has_counts=True, bound_length=None)
    assert TableProperties.read(limit | own).metrics_modes(["a", "b", "c"]) == [DEFAULT_METRICS, NO_METRICS, counts]
    given = TableProperties.read(limit | own | {"write.metadata.metrics.default": "none"})
    assert given.metrics_modes(["a", "b", "c"]) == [NO_METRICS, NO_METRICS, counts]
    assert [TableProperties.read(limit).metrics_mode_of_others(one) for one in (1, 2)] == [DEFAULT_METRICS, NO_METRICS]
    assert TableProperties.read({"write.metadata.metrics.default": "counts"}).metrics_mode_of_others(101) == counts


def test_the_longest_row_that_fits_a_key_is_its_own():
    assert property_of("write.delete.mode").key == "write.delete.mode"
    assert property_of("write.delete.target-file-size-bytes").support == Support.APPENDS_ONLY
    assert property_of("write.parquet.page-size-bytes").changes == ("data",)
    assert property_of("write.wap.enabled").support == Support.NEVER
    assert property_of("comment") is None


def test_every_property_has_its_own_key_and_known_kinds():
    assert len({row.key for row in PROPERTIES}) == len(PROPERTIES)
    assert {kind for row in PROPERTIES for kind in row.changes} <= set(Kind)


def test_locations_and_the_object_store_place_files():
    assert {"write.object-storage.enabled", "write.data.path", "write.metadata.path"} == PLACING_KEYS


PACKAGE = Path(wasim.__file__).parent
PREFIXES = ("write.", "commit.", "history.expire", "compatibility.")
HOME = Path("iceberg/properties.py")


def nodes_of(*words: str) -> Iterator[tuple[Path, ast.AST]]:
    """The nodes of all modules in whose text one of these words stands: to parse the others takes seconds."""
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text()
        if any(word in text for word in words):
            yield from ((path.relative_to(PACKAGE), node) for node in ast.walk(ast.parse(text)))


def test_no_other_module_names_a_property():
    """A key in another module is a second reading of it, with a default and a parser of its own sooner or later."""
    named = [
        f"{path}:{node.lineno}: {node.value}"
        for path, node in nodes_of(*(f"{quote}{prefix}" for quote in "\"'" for prefix in PREFIXES))
        if path != HOME
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(PREFIXES)
    ]
    assert not named


PATHS_WITHOUT_A_PARSER = {Path("bench/probing.py")}


def test_no_other_module_has_a_default_for_a_property():
    constants = {name for name, value in vars(properties).items() if name.isupper() and isinstance(value, str)}
    read = [
        f"{path}:{node.lineno}"
        for path, node in nodes_of(*constants)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get"
        if len(node.args) > 1 and isinstance(node.args[0], ast.Name) and node.args[0].id in constants
        if path not in PATHS_WITHOUT_A_PARSER
    ]
    assert not read


def test_the_search_for_keys_finds_those_of_their_home():
    texts = [
        node.value
        for path, node in nodes_of(PREFIXES[0])
        if path == HOME
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert sum(text.startswith(PREFIXES) for text in texts) > len(DOCUMENTED)
