"""Writer profiles that come with wasim, as JSON, and the signs of the writers that they stand for.

Who made a snapshot, by what its summary says, and the profile that stands for that writer.

The one list of signs. pyiceberg, and iceberg-go before August 2026, name themselves nowhere: they number a manifest
list's attempts from 0, where Java begins at 1, and list a summary's keys in an order of their own, which some catalogs
change. Others that use Iceberg's Java library and name no engine look like Debezium Server, unless a property of their
table gives them away. Athena is taken to leave the signs of Trino, and nothing is known to show Amazon Data Firehose.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from wasim.iceberg.names import parse_manifest_list_name
from wasim.iceberg.snapshots import Snapshot

SPARK_BATCH = "spark_batch"
_FEWEST_KEYS = 4  # of which an order tells something
_PYICEBERG_ORDER = ("added-files-size", "added-data-files", "total-data-files", "total-records", "total-files-size")

_LIST_WITHOUT_ATTEMPT = re.compile(
    r"snap-\d+-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.avro"
)  # as DuckDB names its own


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownWriter:
    """A writer: a key of its summaries, the name that it gives its engine, or how its snapshots look otherwise.

    With `table_property`, the table must have that one besides.
    `profile` is the shipped profile that stands for it; another writer's where it has none of its own.
    """

    name: str
    key: str = ""
    engine: str = ""
    looks_so: Callable[[Snapshot], bool] | None = None
    table_property: str = ""
    kind: Literal["streaming", "batch", "flink"] = "batch"
    profile: str = SPARK_BATCH

    @property
    def is_itself(self) -> bool:
        """Whether the profile is its own."""
        return self.profile != SPARK_BATCH or self.name == "spark"

    def made(self, snapshot: Snapshot, properties: Mapping[str, str]) -> bool:
        """Whether a snapshot of a table with these properties bears one of its signs."""
        if self.table_property and self.table_property not in properties:
            return False
        summary = snapshot.summary or {}
        named = self.engine and summary.get("engine-name") == self.engine
        return bool(named or (self.key and self.key in summary) or (self.looks_so and self.looks_so(snapshot)))


def _is_duckdb(snapshot: Snapshot) -> bool:
    return bool(_LIST_WITHOUT_ATTEMPT.fullmatch((snapshot.manifest_list or "").rpartition("/")[2]))


def _is_pyiceberg(snapshot: Snapshot) -> bool:
    found = [key for key in snapshot.summary or {} if key in _PYICEBERG_ORDER]
    return _begins_at_0(snapshot) and found == list(_PYICEBERG_ORDER)


def _is_iceberg_go(snapshot: Snapshot) -> bool:
    keys = list(snapshot.summary or {})
    says_so = (snapshot.summary or {}).get("iceberg-version", "").startswith("Apache Iceberg Go")
    return says_so or (_begins_at_0(snapshot) and len(keys) >= _FEWEST_KEYS and keys == sorted(keys))


def _is_java_library(snapshot: Snapshot) -> bool:
    return (snapshot.summary or {}).get("iceberg-version", "").startswith("Apache Iceberg ")


def _begins_at_0(snapshot: Snapshot) -> bool:
    name = parse_manifest_list_name((snapshot.manifest_list or "").rpartition("/")[2])
    return name is not None and name.attempt == 0


KNOWN_WRITERS = (
    KnownWriter(name="redpanda", key="redpanda.commit-metadata", profile="redpanda"),
    KnownWriter(name="redpanda connect", key="redpanda-connect.commit-id", profile="redpanda_connect"),
    KnownWriter(name="fluss", key="fluss-offsets", profile="fluss"),
    KnownWriter(name="automq", key="automq.commit.id", profile="automq"),
    KnownWriter(name="kafka connect", key="kafka.connect.commit-id", engine="kafka-connect", profile="kafka_connect"),
    KnownWriter(name="flink", key="flink.job-id", engine="flink", kind="flink", profile="flink"),
    KnownWriter(name="trino", key="trino_query_id", engine="trino", profile="trino"),
    KnownWriter(name="dremio", key="dremio-job-id"),
    KnownWriter(name="spark streaming", key="spark.sql.streaming.queryId", kind="streaming", profile="spark_streaming"),
    KnownWriter(name="spark", key="spark.app.id", engine="spark"),
    KnownWriter(name="duckdb", looks_so=_is_duckdb, profile="duckdb"),
    KnownWriter(name="estuary", looks_so=_is_iceberg_go, table_property="flow_checkpoints_v1", profile="estuary"),
    KnownWriter(name="iceberg-go", looks_so=_is_iceberg_go, profile="iceberg_go"),
    KnownWriter(name="pyiceberg", looks_so=_is_pyiceberg, profile="pyiceberg"),
    KnownWriter(name="olake", looks_so=_is_java_library, table_property="olake_2pc", profile="olake"),
    KnownWriter(name="iceberg's java library", looks_so=_is_java_library, profile="debezium"),
)
"""All writers that can be recognised, the surest signs first."""


def writer_of(snapshot: Snapshot, properties: Mapping[str, str] | None = None) -> KnownWriter | None:
    """The writer that made a snapshot of a table with these properties; None if it bears no sign of any."""
    return next((writer for writer in KNOWN_WRITERS if writer.made(snapshot, properties or {})), None)


def writer_words(snapshot: Snapshot, properties: Mapping[str, str] | None = None) -> str:
    """Writer, its version and Iceberg's version, as far as the summary has them: `trino 476, Apache Iceberg 1.9.1`."""
    summary, known = snapshot.summary or {}, writer_of(snapshot, properties)
    engine = known.name if known is not None else summary.get("engine-name", "")
    library = summary.get("iceberg-version", "").partition(" (")[0]
    return ", ".join(filter(None, (f"{engine} {summary.get('engine-version', '')}".strip(), library))) or "unknown"


def never_read(ignores: Mapping[str, str]) -> frozenset[str]:
    """Of the table properties that a profile ignores, those that its writer reads nowhere: no text says where."""
    return frozenset(key for key, where in ignores.items() if not where)


def never_read_by(profile: str) -> frozenset[str]:
    """The same of a shipped profile, by its file alone."""
    document = json.loads(Path(__file__).with_name(f"{profile}.json").read_text(encoding="utf-8"))
    return never_read(document.get("ignores", {}))
