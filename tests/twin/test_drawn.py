"""Cases that nobody chose: drawn by a seed, run on real Spark, and simulated from scenario and profile alone."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from tools.comparison import GOAL_SHARE, compare
from wasim.errors import WasimError
from wasim.ledger import Kind
from wasim.ledger.vocabulary import METADATA_KINDS
from wasim.runs import read_recording
from wasim.scenario import Case, load_scenario
from wasim.twin import Site, shipped_profile, simulate_case
from wasim.twin.supported import check_supported

pytestmark = pytest.mark.slow
SIMPLE = (
    "boolean",
    "int",
    "long",
    "float",
    "double",
    "date",
    "timestamp",
    "timestamptz",
    "decimal(9,2)",
    "decimal(24,6)",
    "list<int>",
)
PARTITIONS: tuple[tuple[dict[str, str], ...], ...] = (
    ({"column": "event_time", "transform": "hour"},),
    ({"column": "event_time", "transform": "day"},),
    ({"column": "event_id", "transform": "bucket[3]"},),
    ({"column": "event_id", "transform": "truncate[100]"},),
    ({"column": "region"},),
    ({"column": "region", "transform": "truncate[2]"}, {"column": "event_time", "transform": "month"}),
    ({"column": "event_time", "transform": "year"}, {"column": "number", "transform": "bucket[2]"}),
)
EVOLUTION: tuple[dict[str, Any], ...] = (
    {"add_column": {"name": "later", "type": "long"}},
    {"drop_column": "c0"},
    {"rename_column": {"column": "region", "to": "area"}},
    {"widen_column": {"column": "number", "type": "long"}},
    {"move_column": {"column": "number", "after": "event_time"}},
    {"add_partition_field": {"column": "number", "transform": "bucket[4]"}},
    {"set_properties": {"commit.manifest.min-count-to-merge": "4"}},
    {"create_branch": "audit"},
    {"rollback_commits": 2},
)
PROPERTIES: dict[str, tuple[str, ...]] = {
    "commit.manifest.target-size-bytes": ("9000", "20000", "60000"),
    "commit.manifest.min-count-to-merge": ("3", "8", "20"),
    "commit.manifest-merge.enabled": ("false",),
    "compatibility.snapshot-id-inheritance.enabled": ("true",),
    "write.metadata.previous-versions-max": ("4", "11"),
    "write.metadata.delete-after-commit.enabled": ("true",),
    "write.metadata.compression-codec": ("gzip",),
    "write.manifest.compression-codec": ("zstd", "snappy", "uncompressed"),
    "write.manifest.compression-level": ("1", "6"),
    "write.metadata.metrics.default": ("none", "counts", "truncate(4)", "full"),
    "write.metadata.metrics.max-inferred-column-defaults": ("3",),
    "write.object-storage.enabled": ("true",),
    "write.summary.partition-limit": ("2", "50"),
    "write.delete.granularity": ("file", "partition"),
}
WRITERS = (
    "streaming",
    "batch",
    "batch",
    {"kind": "streaming", "append": "merge"},
    {"kind": "streaming", "sink": "foreach_batch"},
    {"kind": "batch", "upsert": {"share": 0.2, "mode": "copy-on-write"}},
    {"kind": "batch", "upsert": {"share": 0.4, "mode": "merge-on-read", "locality": "newest"}},
)
OWN = ({"name": "region", "type": "string", "length": 6, "values": 4}, {"name": "number", "type": "int", "values": 100})
MAINTENANCE: dict[str, tuple[dict[str, Any], ...]] = {
    "expire_snapshots": (
        {"every": "6s", "older_than": "3s"},
        {"when_snapshots": 7, "older_than": "1s", "retain_last": 2},
    ),
    "rewrite_manifests": ({"every": "7s"}, {"when_manifests": 5}),
    "rewrite_data_files": ({"every": "9s"}, {"when_small_files": 8}),
    "remove_orphan_files": ({"every": "10s", "older_than": "5s"},),
}
CHANGES: dict[str, tuple[dict[str, Any], ...]] = {
    "update": ({"share": 0.02}, {"rows": 9, "locality": "newest"}),
    "delete": ({"rows": 30, "locality": "oldest"}, {"share": 0.03}, {"rows": 30, "locality": "oldest_commits"}),
    "merge": ({"rows": 20, "new_rows": 7}, {"share": 0.05, "locality": "newest"}),
    "overwrite": ({"rows": 40, "kind": "dynamic"}, {"rows": 40, "kind": "static"}),
}


def drawn_scenarios(random: Random) -> Iterator[dict[str, Any]]:
    """Scenarios without end; some are not allowed, or not simulated."""
    while True:
        version = random.choice([1, 2, 2, 3])
        scenario: dict[str, Any] = {
            "name": "drawn",
            "question": "Does the simulator write what Spark writes?",
            "table": {
                "columns": [*OWN, *(_column(random, number) for number in range(random.randint(1, 6)))],
                "format_version": version,
                "properties": {key: random.choice(some) for key, some in PROPERTIES.items() if random.random() < 0.25},
            },
            "workload": {"rows_per_second": random.choice([20, 60, 150]), "files_per_commit": random.randint(1, 3)},
            "writer": random.choice(WRITERS),
            "commit_interval": "1s",
            "horizon": f"{random.randint(12, 30)}s",
            "environment": {"warm_up_commits": 0},
            "planning": {"rounds": 1, "rounds_at_end": 1, "cold": False, "execution": False, "checkpoints": [1.0]},
            "seed": random.randrange(1000),
        }
        if random.random() < 0.5:
            scenario["table"]["partition_by"] = random.choice(PARTITIONS)
            scenario["workload"]["distribution_mode"] = random.choice(["none", "hash", "range"])
        if random.random() < 0.5:
            kinds = random.sample(list(MAINTENANCE), random.randint(1, 3))
            scenario["maintenance"] = {kind: random.choice(MAINTENANCE[kind]) for kind in kinds}
        if random.random() < 0.5:
            scenario["changes"] = {
                kind: _change(random, kind) for kind in random.sample(list(CHANGES), random.randint(1, 2))
            }
        if scenario["writer"] == "batch" and random.random() < 0.5:  # a stream that ends gives its last batch again
            happens = random.sample(EVOLUTION, 2)
            scenario["evolution"] = [{"at": at, **one} for at, one in zip(("4s", "9s"), happens, strict=True)]
        yield scenario


def _change(random: Random, kind: str) -> dict[str, Any]:
    mode = {} if kind == "overwrite" else {"mode": random.choice(["copy-on-write", "merge-on-read"])}
    return {"every": random.choice(["3s", "5s"]), **mode, **random.choice(CHANGES[kind])}


def _column(random: Random, number: int) -> dict[str, Any]:
    if random.random() < 0.4:
        column = {"name": f"c{number}", "type": "string", "length": random.choice([4, 15, 40])}
        return column | ({"values": random.choice([3, 50])} if random.random() < 0.5 else {})
    return {"name": f"c{number}", "type": random.choice(SIMPLE)}


def drawn_case(seed: int, folder: Path) -> Case:
    """The first drawn scenario of this seed that is allowed and simulated."""
    for scenario in drawn_scenarios(Random(seed)):  # noqa: S311 - no secret
        path = folder / "drawn.yaml"
        path.write_text(json.dumps(scenario))  # JSON is YAML
        try:
            case = load_scenario(path).cases()[0]
            check_supported(case, shipped_profile(case))
        except WasimError:
            continue
        return case
    raise AssertionError


@pytest.mark.parametrize("seed", range(12))
def test_a_drawn_case_is_simulated_as_spark_writes_it(seed: int, run_case, tmp_path: Path) -> None:
    case = drawn_case(seed, tmp_path)
    _, context = run_case(case)
    site = Site(location=str(context.table_root.absolute()))
    real = read_recording(context.folder.case(context.key))
    simulated = simulate_case(case, shipped_profile(case), np.random.default_rng(seed), site=site)
    found = compare(real, simulated)
    for kind in found:
        print(seed, kind.kind, kind.files_real, kind.files_simulated, f"{kind.error:+.3%}")
    # deflate tells how evenly commits came: on a busy machine their times have more digits that differ
    is_gzip = case.table.properties.get("write.metadata.compression-codec") == "gzip"
    bounds = {Kind.METADATA_JSON: 0.01} if is_gzip else {}
    missed = [
        one
        for one in found
        if one.kind in METADATA_KINDS
        if not (one.counts_agree and abs(one.error) <= bounds.get(one.kind, GOAL_SHARE))
    ]
    assert not missed, (tmp_path / "drawn.yaml").read_text()
