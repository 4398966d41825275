"""Engine `core` changes rows: the real library commits what statements would have written, as the simulator says."""

from collections.abc import Callable
from pathlib import Path

import pytest
from agreement import check_agreement
from replay import differing, replay

from wasim.bench.case import CaseContext
from wasim.runs import CaseRun
from wasim.scenario import Case

MakeCase = Callable[..., Case]
RunOn = Callable[..., tuple[CaseRun, CaseContext]]
pytestmark = pytest.mark.spark


def table(version: int, *, partitioned: bool = False, properties: str = "") -> str:
    columns = "{name: region, type: string, values: 2}, {name: reading, type: double}"
    by = ", partition_by: [{column: region}]" if partitioned else ""
    return f"{{columns: [{columns}], format_version: {version}, properties: {{{properties}}}{by}}}"


def changes(mode: str) -> str:
    return (
        f"{{update: {{every: 7s, rows: 9, mode: {mode}}},"
        f" delete: {{every: 11s, rows: 5, locality: newest, mode: {mode}}},"
        f" merge: {{every: 13s, rows: 6, new_rows: 3, locality: scattered, mode: {mode}}}}}"
    )


UPKEEP = (
    "{rewrite_data_files: {every: 22s, min_input_files: 2}, expire_snapshots: {every: 27s, older_than: 12s},"
    " rewrite_manifests: {every: 33s}}"
)
CASES: dict[str, dict[str, str]] = {
    f"{mode} v{version}{' partitioned' if partitioned else ''}": {
        "table": table(version, partitioned=partitioned),
        "changes": changes(mode),
    }
    for mode in ("copy-on-write", "merge-on-read")
    for version in (2, 3)
    for partitioned in (False, True)
}
CASES |= {
    f"{mode} v{version} maintained": {"table": table(version), "changes": changes(mode), "maintenance": UPKEEP}
    for mode in ("copy-on-write", "merge-on-read")
    for version in (2, 3)
}
CASES |= {
    f"upsert {mode} v{version}": {
        "table": table(version),
        "writer": f"{{kind: batch, upsert: {{share: 0.25, locality: scattered, mode: {mode}}}}}",
    }
    for mode, version in (("copy-on-write", 3), ("merge-on-read", 2))
}
CASES |= {
    f"overwrite {kind} v{version}": {
        "table": table(version, partitioned=kind == "dynamic"),
        "changes": f"{{overwrite: {{every: 10s, rows: 20, kind: {kind}}},"
        " delete: {every: 7s, rows: 4, locality: newest, mode: merge-on-read}}",
    }
    for kind in ("static", "dynamic")
    for version in (2, 3)
}
CASES["deletes by partition"] = {
    "table": table(2, partitioned=True, properties="write.delete.granularity: partition"),
    "changes": changes("merge-on-read"),
}
CASES["upsert in foreachBatch"] = {
    "table": table(3),
    "writer": "{kind: streaming, sink: foreach_batch, upsert: {share: 0.25, locality: newest, mode: merge-on-read}}",
}


@pytest.mark.parametrize("name", CASES)
def test_the_library_commits_what_the_simulator_says(
    name: str, run_on: RunOn, small_case: MakeCase, tmp_path: Path
) -> None:
    case = small_case(**{"horizon": "70s", "environment": "{warm_up_commits: 0, catalog: in_memory}", **CASES[name]})
    _, context = run_on("core", case)
    if not case.has_maintenance:  # which deletes what a replay is told by
        replay(context.table_root, case, tmp_path / "again")
        wrong, files = differing(context.table_root, tmp_path / "again")
        assert (wrong, files) == ([], files)
    check_agreement(name, case, context)
