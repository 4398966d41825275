"""What Kafka Connect's Iceberg sink really commits: `python -m tools.kafka_connect OUT` (`make bench-kafka-connect`).

A broker (KRaft, one node) and a standalone Connect worker run in a JVM of their own, on the loopback, with Iceberg's
own sink in them. The scenario's rows are sent to a topic, a commit's worth each time the one before has been seen, so
that each commit takes the rows that the simulator expects. Tables are recorded and audited as engine `flink`'s, and
compared with the shipped profile, which sees none of it. Nothing outlives the JVM but the run in OUT.

Exit code 1 if a count differs, or a kind of metadata by more than half a percent.
"""

import argparse
import json
import socket
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from rich.console import Console

from tools.fidelity import check_fidelity, render_table
from wasim.errors import CaseFailed, WasimError
from wasim.flink import rows_text
from wasim.iceberg.properties import WRITE_DISTRIBUTION_MODE
from wasim.iceberg.schemas import schema_json, type_json
from wasim.iceberg.specs import spec_json
from wasim.ledger.vocabulary import CREATE_TABLE
from wasim.runner.written import Lines, Writer, unwritten, write_scenario
from wasim.scenario import Case, load_scenario
from wasim.scenario.settings import TABLE_NAME, whole_paths
from wasim.spark import ENGINE_ERRORS, essential_line, fetch_jars
from wasim.spark.pins import SQLITE, listed_jars
from wasim.spark.recorder import java_map, read_journal, recorded_catalog, recording_jvm
from wasim.twin import shipped_profile
from wasim.twin.schema import iceberg_schema, partition_spec
from wasim.workload import Append, plan_steps

SCENARIO = Path(__file__).parents[1] / "scenarios" / "kafka_connect.yaml"
JARS = Path(__file__).with_name("kafka_connect_jars.txt")  # Kafka 4.2.1, broker and Connect; the sink of Iceberg 1.12.0
INTERVAL_MS = 3000  # between commits: rows have come long before the next begins
LONGEST_S = 60.0  # that a commit may take before the case is given up
CONNECTOR, TOPIC, CLUSTER = "iceberg-sink", "events", "wasimwasimwasimwasimwA"
NUMBERS = ("int", "long", "float", "double")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def check(case: Case) -> None:
    """Raises WasimError naming the first setting of the case that is not carried out here."""
    rows, files = case.rows_per_commit, case.workload.files_per_commit
    kinds = {str(column.type).partition("(")[0] for column in case.table.columns}
    odd = sorted(kinds - {*NUMBERS, "decimal", "string", "timestamptz"})
    for refused, what in (
        (shipped_profile(case).name != "kafka_connect", "writer.profile is not kafka_connect. Give that"),
        (
            case.has_changes or case.has_maintenance or bool(case.evolution),
            "changes, maintenance and evolution are Spark's. Take them out",
        ),
        (rows % files != 0, f"workload.files_per_commit is {files}, which does not divide {rows} rows. Give a divisor"),
        (bool(odd), f"there are columns of type {', '.join(odd)}. Give numbers, string or timestamptz"),
        *unwritten(case),
    ):
        if refused:
            raise WasimError(f"Kafka Connect's sink is one connector: {what}.")


def write_table(case: Case, warehouse: Path) -> Lines:
    """The journal of the case's table, written from nothing below the warehouse. CaseFailed with a task's cause."""
    (warehouse / "journal").mkdir()
    jars = fetch_jars((*listed_jars(JARS), SQLITE))
    with tempfile.TemporaryDirectory(prefix="wasim-kafka-") as folder:
        log = f"-Dorg.slf4j.simpleLogger.logFile={folder}/log"
        try:
            with recording_jvm("kafka", jars, options=[log]) as gateway:
                _write(gateway, case, warehouse, Path(folder))
        except ENGINE_ERRORS as error:
            raise CaseFailed(essential_line(error)) from error
    return list(read_journal(warehouse / "journal"))


def rows_json(case: Case) -> Iterator[str]:
    """The case's rows as the topic takes them, commit by commit, its partitions in turn."""
    columns = [(one.name, type_json(one.type).strip('"')) for one in iceberg_schema(case.table).columns]
    for line in rows_text(case).splitlines():
        values = zip(columns, line.split("\t"), strict=True)
        yield json.dumps({name: _json_of(kind, text) for (name, kind), text in values})


def _json_of(kind: str, text: str) -> Any:
    if kind == "timestamptz":
        return (EPOCH + timedelta(microseconds=int(text))).isoformat()
    return json.loads(text) if kind in NUMBERS else text


def _write(gateway: Any, case: Case, warehouse: Path, folder: Path) -> None:
    jvm, tasks = gateway.jvm, case.workload.files_per_commit
    journal = jvm.wasim.recorder.Journal.at(str(warehouse / "journal"))
    journal.step(0, CREATE_TABLE, 0, 0, 0)
    _create(gateway, case, warehouse)
    journal.done(0)
    broker = _start_broker(gateway, folder)
    clients = jvm.org.apache.kafka.clients
    with closing(clients.admin.Admin.create(java_map(jvm, {"bootstrap.servers": broker}))) as admin:
        admin.createTopics(jvm.java.util.Collections.singleton(clients.admin.NewTopic(TOPIC, tasks, 1))).all().get()
    first = next(step for step in plan_steps(case) if isinstance(step, Append))
    interval_ms = round(case.commit_interval_s * 1000)
    journal.step(first.number, first.operation(first.commits), interval_ms, interval_ms, case.rows_per_commit)
    worker = _start_sink(gateway, broker, warehouse, folder, tasks)
    producer, record = _producer(jvm, broker), clients.producer.ProducerRecord
    rows = rows_json(case)
    for commit in range(1, case.commits + 1):
        for number, row in enumerate(islice(rows, case.rows_per_commit)):
            producer.send(record(TOPIC, number % tasks, None, row))
        producer.flush()
        _await_commit(worker, journal, commit)


def _create(gateway: Any, case: Case, warehouse: Path) -> None:
    jvm, (catalog, hadoop) = gateway.jvm, recorded_catalog(warehouse)
    conf = jvm.org.apache.hadoop.conf.Configuration()
    for key, text in hadoop.items():
        conf.set(key, text)
    location, (namespace, name) = str(warehouse.joinpath(*TABLE_NAME.split("."))), TABLE_NAME.split(".")
    properties = {
        "format-version": str(case.table.format_version),
        WRITE_DISTRIBUTION_MODE: case.workload.distribution_mode,
        **whole_paths(case.table.properties, location),
    }
    iceberg, schema = jvm.org.apache.iceberg, iceberg_schema(case.table)
    parsed = iceberg.SchemaParser.fromJson(schema_json(schema))
    spec = iceberg.PartitionSpecParser.fromJson(parsed, spec_json(partition_spec(case.table, schema)))
    loaded = iceberg.jdbc.JdbcCatalog()
    loaded.setConf(conf)
    loaded.initialize("iceberg", java_map(jvm, catalog))  # as the sink calls its catalog, which SQLite keeps
    loaded.createNamespace(iceberg.catalog.Namespace.of(_words(gateway, namespace)))
    table = loaded.buildTable(iceberg.catalog.TableIdentifier.parse(f"{namespace}.{name}"), parsed)
    table.withPartitionSpec(spec).withLocation(location).withProperties(java_map(jvm, properties)).create()


def _start_broker(gateway: Any, folder: Path) -> str:
    """Where the broker listens, once it does."""
    jvm, (own, controller) = gateway.jvm, _free_ports(2)
    settings = {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@127.0.0.1:{controller}",
        "controller.listener.names": "CONTROLLER",
        "listeners": f"PLAINTEXT://127.0.0.1:{own},CONTROLLER://127.0.0.1:{controller}",
        "log.dirs": str(folder / "broker"),
        "group.initial.rebalance.delay.ms": "0",
        "transaction.state.log.min.isr": "1",
    }
    for internal in ("offsets.topic", "transaction.state.log"):
        settings |= {f"{internal}.num.partitions": "1", f"{internal}.replication.factor": "1"}
    file = folder / "broker.properties"
    file.write_text("".join(f"{key}={text}\n" for key, text in settings.items()))
    words = _words(gateway, "format", "-t", CLUSTER, "-c", str(file))
    shipped = jvm.kafka.tools
    if shipped.StorageTool.execute(words, jvm.java.lang.System.err) != 0:
        raise CaseFailed("Kafka's storage could not be formatted.")
    properties = jvm.java.util.Properties()
    properties.putAll(java_map(jvm, settings))
    config = jvm.kafka.server.KafkaConfig.fromProps(properties)
    jvm.kafka.server.KafkaRaftServer(config, jvm.org.apache.kafka.common.utils.Time.SYSTEM).startup()
    return f"127.0.0.1:{own}"


def _start_sink(gateway: Any, broker: str, warehouse: Path, folder: Path, tasks: int) -> Any:
    """The herder of a standalone worker that runs the sink at its defaults, but for its interval."""
    jvm, (catalog, hadoop) = gateway.jvm, recorded_catalog(warehouse)
    worker = {
        "bootstrap.servers": broker,
        "listeners": "http://127.0.0.1:0",
        "plugin.discovery": "service_load",
        "offset.storage.file.filename": str(folder / "offsets"),
        "offset.flush.interval.ms": "500",  # an idle task looks for the coordinator's word as often
    }
    for part in ("key", "value"):
        worker[f"{part}.converter"] = "org.apache.kafka.connect.json.JsonConverter"
        worker[f"{part}.converter.schemas.enable"] = "false"
    sink = {
        "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
        "topics": TOPIC,
        "tasks.max": str(tasks),
        "iceberg.tables": TABLE_NAME,
        "iceberg.control.commit.interval-ms": str(INTERVAL_MS),
        "iceberg.kafka.bootstrap.servers": broker,  # a worker of the command line reads its own file instead
        "iceberg.catalog.catalog-impl": "org.apache.iceberg.jdbc.JdbcCatalog",
        **{f"iceberg.catalog.{key}": text for key, text in catalog.items()},
        **{f"iceberg.hadoop.{key}": text for key, text in hadoop.items()},
    }
    file = folder / "sink.json"
    file.write_text(json.dumps({"name": CONNECTOR, "config": sink}))
    command = jvm.org.apache.kafka.connect.cli.ConnectStandalone(_words(gateway))
    connect = command.startConnect(java_map(jvm, worker))
    command.processExtraArgs(connect, _words(gateway, str(file)))
    return connect.herder()


def _producer(jvm: Any, broker: str) -> Any:
    """What sends the rows of a partition at once when it is flushed, so that no commit comes between them."""
    settings = {"bootstrap.servers": broker, "linger.ms": "60000", "batch.size": "1000000"}
    for part in ("key", "value"):
        settings[f"{part}.serializer"] = "org.apache.kafka.common.serialization.StringSerializer"
    return jvm.org.apache.kafka.clients.producer.KafkaProducer(java_map(jvm, settings))


def _await_commit(worker: Any, journal: Any, commit: int) -> None:
    """Waits for this commit. CaseFailed with the innermost cause of a task that failed, or when it takes too long."""
    until_s = time.monotonic() + LONGEST_S
    while len(journal.snapshotsSince(-(2**63))) < commit:
        for task in worker.connectorStatus(CONNECTOR).tasks():
            if task.state() == "FAILED":
                causes = [line for line in task.trace().splitlines() if not line.startswith("\t")]
                raise CaseFailed(f"Kafka Connect's task failed: {causes[-1]}")
        if time.monotonic() > until_s:
            raise CaseFailed(f"Kafka Connect did not make commit {commit} in {LONGEST_S:g} s.")
        time.sleep(0.05)


def _words(gateway: Any, *words: str) -> Any:
    made = gateway.new_array(gateway.jvm.java.lang.String, len(words))
    for place, word in enumerate(words):
        made[place] = word
    return made


def _free_ports(count: int) -> list[int]:
    found = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [int(one.getsockname()[1]) for one in found]
    for one in found:
        one.close()
    return ports


def versions() -> dict[str, str]:
    """What decides a case's bytes beyond wasim: the jars, by their SHA-256."""
    return {jar.name: jar.sha256 for jar in listed_jars(JARS)}


KAFKA_CONNECT = Writer(name="kafka_connect", versions=versions, check=check, write=write_table)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a scenario through a real Kafka Connect, and prints how close the simulator comes to it."""
    parser = argparse.ArgumentParser(prog="python -m tools.kafka_connect", description=main.__doc__)
    parser.add_argument("out", type=Path, metavar="OUT", help="folder that takes the run")
    parser.add_argument("--scenario", type=Path, default=SCENARIO)
    given = parser.parse_args(arguments)
    run = write_scenario(KAFKA_CONNECT, load_scenario(given.scenario), given.out, Console(stderr=True)).run
    if run.failures or run.folder is None:
        raise WasimError("; ".join(f"{label}: {error}" for label, error in run.failures.items()))
    checked = check_fidelity([run.folder])
    print(render_table(checked), end="")
    sys.exit(not all(one.meets_goal for _, kinds in checked for one in kinds))


if __name__ == "__main__":
    try:
        main()
    except WasimError as error:
        sys.exit(str(error))
