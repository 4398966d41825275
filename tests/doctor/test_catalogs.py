"""Tables by their names in a catalog of pyiceberg's."""

import sys
from pathlib import Path

import pytest

from wasim.doctor.catalogs import tables_of

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
