"""The rooms that CONTRIBUTING lists are those of the import contracts, in their order."""

import re
import tomllib

from support.paths import ROOT, TESTS

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CONTRACTS = {one["name"]: one for one in PROJECT["tool"]["importlinter"]["contracts"]}
LAYERS = [layer.split(" : ") for layer in CONTRACTS["Imports go down the road only"]["layers"]]
WITH_SPARK = {"cli", "bench", "flink", "sweeps", "cluster", "core", "spark"}


def test_contributing_lists_rooms_in_the_order_of_the_contract():
    table = (ROOT / "CONTRIBUTING.md").read_text().partition("| room |")[2].partition("\n\n")[0]
    rows = [re.findall(r"`(\w+)`", line.split("|")[1]) for line in table.splitlines()[2:]]
    assert rows == LAYERS


def test_each_room_imports_spark_or_is_kept_from_it():
    kept = CONTRACTS["Only engines on real Iceberg and the cluster import Spark"]["source_modules"]
    rooms = [room for layer in LAYERS for room in layer]
    assert sorted(f"wasim.{room}" for room in rooms if room not in WITH_SPARK) == sorted(kept)


def test_no_folder_of_tests_is_imported_for_an_extra():
    """`tests` is on the path: where pyiceberg is missing, a folder of its name would be found in its place."""
    extras = {
        re.split(r"[^\w-]", one)[0] for extra in PROJECT["project"]["optional-dependencies"].values() for one in extra
    }
    assert {"pyspark", "pyiceberg", "numba"} <= extras
    assert [name for name in extras if (TESTS / name).is_dir()] == []
