"""Tables by their names in a catalog of pyiceberg's."""

import sys
from pathlib import Path

import pytest

from wasim.doctor.catalogs import load_named, tables_of
from wasim.errors import WasimError

OWN = """
from pyiceberg.catalog.noop import NoopCatalog

class Own(NoopCatalog):
    def list_namespaces(self, namespace=()):
        return [("db",), ("empty",)]

    def list_tables(self, namespace):
        return [(*namespace, "b"), (*namespace, "a")] if namespace == ("db",) else []
"""


def test_a_catalog_of_ones_own_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("pyiceberg")
    (tmp_path / "own_catalog_of_a_test.py").write_text(OWN)
    (tmp_path / ".pyiceberg.yaml").write_text("catalog:\n  mine:\n    py-catalog-impl: own_catalog_of_a_test.Own\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setenv("PYICEBERG_HOME", str(tmp_path))
    assert tables_of("mine") == ("mine.db.a", "mine.db.b")
    assert tables_of("mine.empty") == tables_of("other") == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("catalog:\n  a: {type: sql, password: secret}\n", "line 2: Found ugly disallowed JSONesque flow mapping"),
        ("catalog:\n  a: [\n", "line "),
        ("catalog: a\n", "Catalog configurations needs to be an object"),
    ],
    ids=["flow", "unended", "no catalogs"],
)
def test_a_malformed_configuration_is_said_in_one_line(
    text: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    pytest.importorskip("pyiceberg")
    (tmp_path / ".pyiceberg.yaml").write_text(text)
    monkeypatch.setenv("PYICEBERG_HOME", str(tmp_path))
    for read, name in ((tables_of, "a"), (load_named, "a.db.t")):
        with pytest.raises(WasimError) as refused:
            read(name)
        assert str(refused.value).startswith(f"{name}: pyiceberg cannot read its configuration: {reason}")
        assert "\n" not in str(refused.value)
        assert "secret" not in str(refused.value)
