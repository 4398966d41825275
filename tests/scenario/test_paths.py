"""Properties that say where a table's files lie."""

import pytest

from wasim.scenario.settings import SCHEMES_SINCE, is_below_table, whole_paths


@pytest.mark.parametrize("path", ["lake", "lake/files", "a.b=c-d_1/2"])
def test_a_folder_below_the_table_is_taken(path):
    assert is_below_table(path)
    properties = {"write.data.path": path, "write.metadata.path": path, "write.format.default": path}
    whole = f"s3://bucket/t/{path}"
    assert list(whole_paths(properties, "s3://bucket/t").values()) == [whole, whole, path]


@pytest.mark.parametrize("path", ["", "/lake", "../lake", "lake/", "a//b", "_lake", "a/.b", "s3://bucket/a", "a b"])
def test_any_other_is_not(path):
    assert not is_below_table(path)


def test_tables_of_version_4_name_the_scheme_of_their_disk():
    assert SCHEMES_SINCE == 4
