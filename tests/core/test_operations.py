"""Engine `core` beyond appends: real Iceberg maintains and evolves tables whose data files nobody wrote."""

from collections.abc import Callable

import pytest
from support.agreement import check_agreement, check_close, recording_of, simulated_like

from wasim import collect
from wasim.bench.probing import CaseContext
from wasim.core import check_describable
from wasim.errors import WasimError
from wasim.ledger import Action, Kind
from wasim.ledger.vocabulary import METADATA_KINDS
from wasim.runs import CaseRun
from wasim.scenario import Case

MakeCase = Callable[..., Case]
RunOn = Callable[..., tuple[CaseRun, CaseContext]]
TWO_PARTITIONS = (
    "{columns: [{name: region, type: string, values: 2}, {name: reading, type: double}],"
    " partition_by: [{column: region}]}"
)
MERGES_SOON = "{columns: [{name: reading, type: double}], properties: {commit.manifest.min-count-to-merge: '4'}}"

# Long enough for ids of 18 digits, one in ten, to even out: 0.1 % of a snapshot's bytes each, 0.02 % of eighty.
CASES: dict[str, dict[str, str]] = {
    "maintained": {
        "writer": "streaming",
        "horizon": "80s",
        "maintenance": "{rewrite_data_files: {every: 20s, min_input_files: 2}, rewrite_manifests: {every: 30s},"
        " expire_snapshots: {every: 24s, older_than: 10s}, remove_orphan_files: {every: 40s, older_than: 16s}}",
    },
    "by count": {
        "horizon": "9s",
        "maintenance": "{rewrite_data_files: {when_small_files: 5, min_input_files: 2},"
        " rewrite_manifests: {when_manifests: 6}, expire_snapshots: {when_snapshots: 8, older_than: 1s}}",
    },
    "compacted into several": {
        "horizon": "20s",
        "maintenance": "{rewrite_data_files: {every: 10s, min_input_files: 2, target_file_size_bytes: 5000}}",
    },
    "partitioned": {
        "table": TWO_PARTITIONS,
        "horizon": "60s",
        "maintenance": "{rewrite_data_files: {every: 25s, min_input_files: 2},"
        " expire_snapshots: {every: 30s, older_than: 10s}}",
    },
    "deleted": {
        "table": MERGES_SOON,
        "horizon": "80s",
        "changes": "{delete: {every: 16s, rows: 160, locality: oldest_commits}}",
        "maintenance": "{expire_snapshots: {every: 36s, older_than: 12s}}",
    },
    "evolved": {
        "table": MERGES_SOON,
        "horizon": "80s",
        "maintenance": "{expire_snapshots: {every: 35s, older_than: 14s}, rewrite_manifests: {every: 75s}}",
        "evolution": "[{at: 8s, add_column: {name: late, type: int}}, {at: 12s, create_tag: two},"
        " {at: 16s, rename_column: {column: late, to: later}}, {at: 20s, widen_column: {column: later, type: long}},"
        " {at: 24s, add_partition_field: {column: event_time, transform: hour}},"
        " {at: 28s, set_properties: {write.metadata.previous-versions-max: '20',"
        " write.metadata.delete-after-commit.enabled: 'true'}},"
        " {at: 32s, move_column: {column: reading, after: later}}, {at: 44s, rollback_commits: 2},"
        " {at: 52s, create_branch: audit}, {at: 60s, drop_partition_field: {column: event_time, transform: hour}},"
        " {at: 68s, drop_column: later}]",
    },
    "rewritten in new shapes": {
        "table": "{format_version: 3, columns: [{name: host, type: string, length: 12, values: 40},"
        " {name: status, type: int, values: 9}, {name: reading, type: float}]}",
        "horizon": "60s",
        "changes": "{update: {every: 16s, rows: 30}, merge: {every: 22s, rows: 30, mode: merge-on-read}}",
        "maintenance": "{rewrite_data_files: {every: 20s, min_input_files: 2}}",
        "evolution": "[{at: 6s, add_column: {name: late, type: string, length: 9, values: 4}},"
        " {at: 20s, rename_column: {column: host, to: node}}, {at: 25s, widen_column: {column: status, type: long}},"
        " {at: 30s, add_column: {name: actor, type: struct, fields: [{name: ip, type: string, length: 9}]}},"
        " {at: 35s, move_column: {column: reading, after: node}}, {at: 45s, drop_column: reading}]",
    },
}


SLOW = {"partitioned", "deleted", "evolved"}


def case_named(name: str, small_case: MakeCase, catalog: str = "in_memory") -> Case:
    return small_case(**CASES[name], environment=f"{{warm_up_commits: 0, catalog: {catalog}}}")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in CASES if name != "maintained"],
)
def test_simulator_and_library_agree_step_by_step(name: str, run_on: RunOn, small_case: MakeCase) -> None:
    case = case_named(name, small_case)
    check_agreement(name, case, run_on("core", case)[1])


@pytest.mark.slow
@pytest.mark.parametrize("catalog", ["jdbc", "in_memory"])
def test_a_maintained_table_is_simulated_to_its_deleted_data(catalog: str, run_on: RunOn, small_case: MakeCase) -> None:
    case = case_named("maintained", small_case, catalog)
    run, context = run_on("core", case)
    check_agreement("maintained", case, context)
    events = recording_of(context).events
    deleted = events.where((events.action == Action.DELETE) & (events.kind == Kind.DATA))
    assert len(deleted) > 0  # though it never was on disk
    assert set(deleted.operation) == {"expire_snapshots"}
    written, gone = run.totals.written_bytes[Kind.DATA], int(deleted.bytes.sum())
    assert run.totals.on_disk_bytes[Kind.DATA] == written - gone >= run.live_bytes[Kind.DATA] > 0
    assert {collect.classify(file) for file in collect.list_table(context.table_root)} <= set(METADATA_KINDS)
    assert run.probes[-1].files_planned == run.ledger.live_entries[-1]


def test_a_compaction_follows_properties_just_changed(run_on: RunOn, small_case: MakeCase) -> None:
    case = small_case(
        horizon="4s",
        maintenance="{rewrite_data_files: {every: 4s, min_input_files: 2}}",
        evolution="[{at: 4s, set_properties: {write.data.path: elsewhere}}]",
        environment="{warm_up_commits: 0, catalog: in_memory}",
    )
    events = recording_of(run_on("core", case)[1]).events
    written = events.where((events.kind == Kind.DATA) & (events.action == Action.WRITE))
    folders = {
        name: {file.partition("/")[0] for file in written.file[written.operation == name]}
        for name in ("append", "rewrite_data_files")
    }
    assert folders == {"append": {"data"}, "rewrite_data_files": {"elsewhere"}}


@pytest.mark.slow
def test_both_engines_maintain_a_table_alike(run_on: RunOn, small_case: MakeCase) -> None:
    case = case_named("maintained", small_case)
    (core, _), (spark, _) = run_on("core", case), run_on("spark", case)
    assert core.totals.files_written == spark.totals.files_written
    assert core.totals.files_deleted == spark.totals.files_deleted
    assert list(core.ledger.live_manifests) == list(spark.ledger.live_manifests)
    for kind in (Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA_MANIFEST):
        assert core.totals.written_bytes[kind] == pytest.approx(spark.totals.written_bytes[kind], rel=0.003)


LONG = "2000s"


@pytest.mark.slow
def test_two_thousand_commits_are_the_simulators_within_a_thousandth(run_on: RunOn, small_case: MakeCase) -> None:
    case = small_case(
        writer="streaming",
        horizon=LONG,
        maintenance="{expire_snapshots: {every: 200s, older_than: 100s}}",
        environment="{warm_up_commits: 0, catalog: in_memory}",
    )
    run, context = run_on("core", case)
    assert run.commits == 2000
    print(f"{run.wall_s:.0f} s")
    check_close("2,000 commits", recording_of(context), simulated_like(case, context))


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        (
            {
                "changes": "{update: {every: 2s, rows: 1}}",
                "evolution": "[{at: 1s, add_partition_field: {column: sensor}}]",
            },
            r"changes\.update with add_partition_field",
        ),
        (
            {
                "table": "{columns: [{name: n, type: int}], properties: {write.merge.distribution-mode: none}}",
                "writer": "{kind: batch, upsert: {share: 0.5}}",
            },
            r"write\.merge\.distribution-mode is not modelled with changes",
        ),
        ({"writer": "{kind: batch, writers: 2}"}, "Engine core is one writer, not 2"),
        (
            {
                "maintenance": "{rewrite_data_files: {every: 2s}}",
                "evolution": "[{at: 1s, add_partition_field: {column: event_time, transform: hour}}]",
            },
            "rewrite_data_files with add_partition_field",
        ),
        ({"evolution": "[{at: 1s, set_properties: {write.format.default: orc}}]"}, r"set_properties\.write\.format"),
    ],
)
def test_what_core_cannot_describe_is_refused_by_name(lines: dict[str, str], named: str, small_case: MakeCase) -> None:
    with pytest.raises(WasimError, match=named):
        check_describable(small_case(**lines))
