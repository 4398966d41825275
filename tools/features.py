"""What may happen to a table, each piece as the fields of a scenario that say so."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wasim.errors import WasimError
from wasim.iceberg.properties import METADATA_PREVIOUS_VERSIONS_MAX
from wasim.scenario import Case
from wasim.scenario.examine import examine
from wasim.scenario.faults import format_place
from wasim.scenario.sweep import make_case


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """One row: what happens to the table, in words, and the fields of a scenario that say so."""

    words: str
    fields: Mapping[str, Any] = field(default_factory=dict)


def case_of(feature: Feature) -> Case:
    """The case of a small scenario with the feature's fields. WasimError for what the language refuses."""
    document: dict[str, Any] = dict(_SMALL)
    for name, value in feature.fields.items():
        whole = isinstance(value, dict) and isinstance(document.get(name), dict)
        document[name] = {**document[name], **value} if whole else value
    scenario, faults = examine(document)
    if faults:
        fault = faults[0]
        raise WasimError(f"{format_place(fault.place)} {fault.problem}. {fault.remedy}")
    return make_case(scenario, repetition=0, swept={})


_SMALL: Mapping[str, Any] = {
    "name": "small",
    "question": "Is it carried out?",
    "table": {
        "columns": [
            {"name": "reading", "type": "double", "required": "true"},
            {"name": "count", "type": "int"},
            {"name": "sensor", "type": "string", "values": "5"},
        ]
    },
    "workload": {"rows_per_second": "20"},
    "writer": {"kind": "batch"},
    "commit_interval": "1s",
    "horizon": "2m",
}
_EVERY = {"every": "4s"}
_SHARE = {"every": "4s", "share": "0.1"}
_MORE = {"every": "4s", "share": "0.1", "mode": "merge-on-read"}
_HOURLY = {"table": {"partition_by": [{"column": "event_time", "transform": "hour"}]}}
_NESTED = [{"name": "tags", "type": "list<string>"}, {"name": "labels", "type": "map<string,long>"}]
_BY_KEY = {"writer": {"kind": "flink", "upsert": {"share": "0.5"}}}


def _changes(name: str, change: Mapping[str, str]) -> dict[str, Any]:
    return {"changes": {name: change}}


def _kept(name: str, job: Mapping[str, str]) -> dict[str, Any]:
    return {"maintenance": {name: job}}


def _evolved(name: str, value: object) -> dict[str, Any]:
    return {"evolution": [{"at": "10s", name: value}]}


FEATURES: Mapping[str, tuple[Feature, ...]] = {
    "the writer": (
        Feature(words="append: MergeAppend, Spark's batches"),
        Feature(words="append: FastAppend, Spark's streams", fields={"writer": {"kind": "streaming"}}),
        Feature(words="append by Flink", fields={"writer": {"kind": "flink"}}),
        Feature(words="append by another profile", fields={"writer": {"kind": "batch", "profile": "kafka_connect"}}),
        Feature(words="several files a commit", fields={"workload": {"files_per_commit": "3"}}),
        Feature(words="commits by a trigger", fields={"writer": {"trigger": {"rows": "15"}}}),
        Feature(
            words="commits of nothing in idle time",
            fields={"workload": {"active": {"lasts": "10s", "every": "40s"}}, "writer": {"idle_commit_every": "10"}},
        ),
        Feature(words="several writers", fields={"writer": {"writers": "3"}}),
        Feature(words="several tables of one job", fields={"writer": {"tables": "3"}}),
        Feature(words="upsert by MERGE, copy-on-write", fields={"writer": {"upsert": {"share": "0.5"}}}),
        Feature(
            words="upsert by MERGE, merge-on-read",
            fields={"writer": {"upsert": {"share": "0.5", "mode": "merge-on-read"}}},
        ),
        Feature(words="upsert by equality deletes", fields=_BY_KEY),
    ),
    "the table": (
        *(Feature(words=f"format version {number}", fields={"table": {"format_version": number}}) for number in "1234"),
        Feature(words="columns of its own alone", fields={"table": {"key_column": None, "time_column": None}}),
        Feature(words="columns that are lists and maps", fields={"table": {"columns": _NESTED}}),
        Feature(words="partitioned by hour", fields=_HOURLY),
        Feature(words="partitioned by identity", fields={"table": {"partition_by": [{"column": "sensor"}]}}),
        Feature(
            words="partitioned by bucket",
            fields={"table": {"partition_by": [{"column": "event_id", "transform": "bucket[4]"}]}},
        ),
        Feature(words="partitioned, distribution hash", fields={**_HOURLY, "workload": {"distribution_mode": "hash"}}),
        Feature(
            words="partitioned, distribution range", fields={**_HOURLY, "workload": {"distribution_mode": "range"}}
        ),
        *(
            Feature(words=f"catalog `{name}`", fields={"environment": {"catalog": name}})
            for name in ("jdbc", "postgresql", "hadoop", "rest", "in_memory")
        ),
    ),
    "changes of rows": (
        Feature(words="UPDATE, copy-on-write", fields=_changes("update", _SHARE)),
        Feature(words="UPDATE, merge-on-read", fields=_changes("update", _MORE)),
        Feature(words="DELETE, copy-on-write", fields=_changes("delete", _SHARE)),
        Feature(words="DELETE, merge-on-read", fields=_changes("delete", _MORE)),
        Feature(words="DELETE of whole commits", fields=_changes("delete", {**_SHARE, "locality": "oldest_commits"})),
        Feature(words="MERGE INTO, copy-on-write", fields=_changes("merge", {**_SHARE, "new_rows": "5"})),
        Feature(words="MERGE INTO, merge-on-read", fields=_changes("merge", {**_MORE, "new_rows": "5"})),
        Feature(
            words="INSERT OVERWRITE, dynamic",
            fields={**_HOURLY, **_changes("overwrite", {**_SHARE, "kind": "dynamic"})},
        ),
        Feature(words="INSERT OVERWRITE, static", fields=_changes("overwrite", {**_SHARE, "kind": "static"})),
    ),
    "maintenance": (
        Feature(words="expire_snapshots", fields=_kept("expire_snapshots", {**_EVERY, "older_than": "6s"})),
        Feature(words="rewrite_manifests", fields=_kept("rewrite_manifests", _EVERY)),
        Feature(words="rewrite_data_files", fields=_kept("rewrite_data_files", _EVERY)),
        Feature(
            words="rewrite_data_files, partial progress",
            fields=_kept("rewrite_data_files", {**_EVERY, "partial_progress_commits": "2"}),
        ),
        Feature(words="remove_orphan_files", fields=_kept("remove_orphan_files", {**_EVERY, "older_than": "6s"})),
        Feature(
            words="rewrite_data_files with UPDATE",
            fields={**_kept("rewrite_data_files", _EVERY), **_changes("update", _SHARE)},
        ),
        Feature(
            words="rewrite_data_files with equality deletes", fields={**_BY_KEY, **_kept("rewrite_data_files", _EVERY)}
        ),
    ),
    "evolution": (
        Feature(words="add_column", fields=_evolved("add_column", {"name": "more", "type": "long"})),
        Feature(words="drop_column", fields=_evolved("drop_column", "sensor")),
        Feature(words="widen_column", fields=_evolved("widen_column", {"column": "count", "type": "long"})),
        Feature(words="make_optional", fields=_evolved("make_optional", "reading")),
        Feature(
            words="drop_partition_field",
            fields={**_HOURLY, **_evolved("drop_partition_field", {"column": "event_time", "transform": "hour"})},
        ),
        Feature(words="rename_column", fields=_evolved("rename_column", {"column": "sensor", "to": "probe"})),
        Feature(words="move_column", fields=_evolved("move_column", {"column": "sensor", "after": "event_time"})),
        Feature(
            words="add_partition_field",
            fields=_evolved("add_partition_field", {"column": "event_time", "transform": "hour"}),
        ),
        Feature(
            words="add_partition_field with UPDATE",
            fields={
                **_evolved("add_partition_field", {"column": "event_time", "transform": "hour"}),
                **_changes("update", _SHARE),
            },
        ),
        Feature(words="set_properties", fields=_evolved("set_properties", {METADATA_PREVIOUS_VERSIONS_MAX: "5"})),
        Feature(words="create_tag", fields=_evolved("create_tag", "kept")),
        Feature(words="create_branch", fields=_evolved("create_branch", "kept")),
        Feature(words="rollback_commits", fields=_evolved("rollback_commits", "2")),
        Feature(
            words="UPDATE with add_column",
            fields={**_evolved("add_column", {"name": "more", "type": "long"}), **_changes("update", _SHARE)},
        ),
    ),
}
"""What may happen to a table, by group, in the order of the page."""
