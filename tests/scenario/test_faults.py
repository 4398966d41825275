"""Faults as people read them: position, field, what is wrong, what to do."""

import re
from pathlib import Path

import pytest
from support.scenarios import faults_of, loaded

from wasim.errors import ScenarioError
from wasim.scenario import load_scenario
from wasim.twin.rows import DATE_SPAN_DAYS

SOUND = """\
name: crash
question: What breaks?
table:
  columns:
    - {name: region, type: string, values: 8}
    - {name: amount, type: double}
workload: {rows_per_second: 100}
horizon: 1m
sweep:
  commit_interval: [1s, 5s]
  writer: [streaming, batch]
"""

GOLDEN: dict[str, tuple[str, str, list[str]]] = {
    "interval below zero": (
        "[1s, 5s]", "[1s, -3s]",
        ['10:25: sweep.commit_interval[1] is "-3s". '
         "Give a duration greater than zero in ms, s, m, h, d, w or y, such as 5s, 2m or 365d."],
    ),
    "interval without a unit": (
        "[1s, 5s]", "[1:30]",
        ['10:21: sweep.commit_interval[0] is "1:30". '
         "Give a duration greater than zero in ms, s, m, h, d, w or y, such as 5s, 2m or 365d."],
    ),
    "interval beyond the horizon": (
        "[1s, 5s]", "[1s, 2m]",
        ['10:25: sweep.commit_interval[1] is "2m", longer than the horizon of "1m", so that the case makes no commit. '
         "Give at most 1m, or a longer horizon."],
    ),
    "the same interval twice": (
        "[1s, 5s]", "[60s, 1m]",
        ["10:26: sweep.commit_interval[1] is the same as sweep.commit_interval[0]. "
         "Keep one; `repetitions` measures a case more than once."],
    ),
    "no list to sweep": (
        "[streaming, batch]", "streaming",
        ["11:11: sweep.writer is no list. Give a list, such as writer: [a, b]."],
    ),
    "unknown part": (
        "workload:", "worklaod:",
        ["1:1: workload is missing. Add it: what arrives, in event time.",
         "7:1: worklaod is unknown. Did you mean workload?"],
    ),
    "unknown field": (
        "rows_per_second: 100", "rows_per_second: 100, files: 2",
        ["7:34: workload.files is unknown. Known here: rows_per_second, files_per_commit, partitions_per_commit, "
         "distribution_mode, active."],
    ),
    "unknown swept field": (
        "  writer: [", "  workload.files_per_comit: [1]\n  writer: [",
        ["11:3: sweep.workload.files_per_comit is unknown. Did you mean files_per_commit?"],
    ),
    "a field that holds for the whole": (
        "  writer: [", "  repetitions: [1, 2]\n  writer: [",
        ["11:3: sweep.repetitions cannot be swept. Known here: table, workload, writer, commit_interval, horizon, "
         "clock, changes, maintenance, evolution, environment, planning, seed."],
    ),
    "swept column that is none": (
        "  writer: [", "  table.columns.amont.count: [1]\n  writer: [",
        ['11:3: sweep.table.columns.amont.count names "amont", which is not in its list. Did you mean amount?'],
    ),
    "a swept field within another": (
        "  writer: [streaming, batch]", "  writer: [streaming, batch]\n  writer.append: [merge]",
        ["12:3: sweep.writer.append overlaps sweep.writer. Sweep only one of them; "
         "a list of whole values of writer can say all."],
    ),
    "key given twice": (
        "horizon: 1m", "horizon: 1m\nhorizon: 2m",
        ["9:1: horizon is given twice. Keep one; the first is in line 8."],
    ),
    "key without a value": (
        "horizon: 1m", "horizon:",
        ["8:1: horizon is empty. Give it a value, or take it out."],
    ),
    "missing field": (
        "{rows_per_second: 100}", "{files_per_commit: 2}",
        ["7:1: workload.rows_per_second is missing. Add it: rows that arrive in a second of event time for one table; "
         "rounded to whole rows in each commit."],
    ),
    "list where a mapping belongs": (
        "{rows_per_second: 100}", "[100]",
        ["7:1: workload is a list. Give keys and values, indented below it."],
    ),
    "an exponent for a count": (
        "type: double}", "type: double, count: 1e3}",
        ['6:43: table.columns[1].count is "1e3". Give a whole number, such as 5.'],
    ),
    "out of range": (
        "type: double}", "type: double, count: 0}",
        ['6:43: table.columns[1].count is "0". Give at least 1.'],
    ),
    "not among the words": (
        "horizon: 1m", "horizon: 1m\nclock: wall",
        ['9:8: clock is "wall". Give virtual or real.'],
    ),
    "yes is no switch": (
        "horizon: 1m", "horizon: 1m\nplanning: {cold: yes}",
        ['9:18: planning.cold is "yes". Give true or false.'],
    ),
    "a sink for Flink": (
        "[streaming, batch]", "[{kind: flink, sink: foreach_batch}]",
        ['11:32: sweep.writer[0].sink is "foreach_batch", but Flink streams into the table. '
         "Take it out, or give another writer."],
    ),
    "Flink cannot append fast": (
        "[streaming, batch]", "[{kind: flink, append: fast}]",
        ['11:34: sweep.writer[0].append is "fast", but Flink always appends by merge. '
         "Take it out, or give kind: streaming with sink: table."],
    ),
    "a size that is none": (
        "horizon: 1m", "maintenance: {rewrite_data_files: {every: 5s, target_file_size_bytes: 128 mib}}\nhorizon: 1m",
        ['8:71: maintenance.rewrite_data_files.target_file_size_bytes is "128 mib". '
         "Give bytes, such as 536870912, 512 MiB or 128MB."],
    ),
    "misspelt writer": (
        "[streaming, batch]", "[streaming, bacth]",
        ['11:23: sweep.writer[1] is "bacth". Give streaming, batch, flink or a mapping such as {kind: streaming}.'],
    ),
    "a batch cannot append fast": (
        "[streaming, batch]", "[{kind: batch, append: fast}]",
        ['11:34: sweep.writer[0].append is "fast", but a batch always appends by merge in Spark. '
         "Take it out, or give kind: streaming with sink: table."],
    ),
    "a sink for a batch": (
        "[streaming, batch]", "[{kind: batch, sink: table}]",
        ["11:32: sweep.writer[0].sink is given, but the writer is batch. Take it out, or give kind: streaming."],
    ),
    "reserved column": (
        "name: amount", "name: Event_Time",
        ['6:14: table.columns[1].name is "Event_Time", but Event_Time is in the table without being listed, unless '
         "table.key_column and time_column name others. Give another name."],
    ),
    "a key that numbers no rows, a time that no column holds": (
        "table:", "table:\n  key_column: region\n  time_column: at\n"
        "  partition_by: [{column: event_time, transform: day}]",
        ['4:15: table.key_column is "region", a string. Name a long, or give none.',
         '5:16: table.time_column is "at", no column of the table. Known here: region, amount.',
         '6:27: table.partition_by[0].column is "event_time", which is no column of the table. '
         "Known here: region, amount."],
    ),
    "rows that are changed in a table without a key": (
        "workload:", "  key_column: none\nchanges: {delete: {every: 5s, share: 0.1}, "
        "overwrite: {every: 5s, share: 0.1, kind: static}}"
        "\nworkload:",
        ["8:11: changes.delete has no column to tell rows apart by: table.key_column is none. "
         "Name a column of type long there, or leave it out for event_id."],
    ),
    "a map that is cut at its comma": (
        "type: double", "type: map<string,long>",
        ['6:28: table.columns[1].type is "map<string". Give it in quotes, as in {type: "decimal(10,2)"}: '
         "within braces, a comma ends a value.",
         '6:39: table.columns[1].long> is empty. Give it a value, or take it out.'],
    ),
    "items of a number, and a map that the table is partitioned by": (
        "{name: amount, type: double}", "{name: amount, type: double, items: 3}\n"
        '    - {name: m, type: "map<string,long>", length: 4}\n  partition_by: [{column: m}]',
        ["6:43: table.columns[1].items is given, but the type is double. Take it out: only list and map have them.",
         "7:51: table.columns[2].length is 4, in which the keys of a map may not differ. Give at least 8.",
         '8:27: table.partition_by[0].column is "m", a map. Give a plain column.'],
    ),
    "metadata column": (
        "name: amount", "name: _file",
        ['6:14: table.columns[1].name is "_file", but _file is one of Iceberg\'s metadata columns. '
         "Give another name."],
    ),
    "column named twice": (
        "name: amount", "name: REGION",
        ['6:14: table.columns[1].name is "REGION", but REGION is taken by column 1 already. Give another name.'],
    ),
    "a comma in braces": (
        "type: double}", "type: decimal(10,2)}",
        ['6:28: table.columns[1].type is "decimal(10". Give it in quotes, as in {type: "decimal(10,2)"}: '
         "within braces, a comma ends a value.",
         "6:39: table.columns[1].2) is empty. Give it a value, or take it out."],
    ),
    "too precise": (
        "type: double}", 'type: "decimal(39,2)"}',
        ['6:28: table.columns[1].type is "decimal(39,2)". '
         "Give a precision from 1 to 38 and a scale no greater, of 37 at most, such as decimal(10,2)."],
    ),
    "a struct of nothing": (
        "type: double}", "type: struct}",
        ["6:7: table.columns[1].fields is missing. Give a struct at least one field."],
    ),
    "length of a number": (
        "type: double}", "type: double, length: 4}",
        ["6:44: table.columns[1].length is given, but the type is double. "
         "Take it out: only string and binary have one."],
    ),
    "partition by no column": (
        "workload:", "  partition_by: [{column: regoin}]\nworkload:",
        ['7:27: table.partition_by[0].column is "regoin", which is no column of the table. Did you mean region?'],
    ),
    "transform that does not fit": (
        "workload:", "  partition_by: [{column: region, transform: day}]\nworkload:",
        ['7:46: table.partition_by[0].transform is "day", but region is of type string. '
         "Give identity or bucket or truncate."],
    ),
    "more partitions than values": (
        "workload: {rows_per_second: 100}",
        "  partition_by: [{column: region}]\nworkload: {rows_per_second: 100, partitions_per_commit: 9}",
        ['8:57: workload.partitions_per_commit is "9", but region has 8 values. Give region at least 9 values.'],
    ),
    "partitions of an unpartitioned table": (
        "100}", "100, partitions_per_commit: 2}",
        ["7:57: workload.partitions_per_commit is given, but no column with `values` is partitioned by identity. "
         "Add one to table.partition_by, or take it out."],
    ),
    "more files than rows": (
        "100}", "100, files_per_commit: 101}",
        ['7:52: workload.files_per_commit is "101", but a commit every 1s has 100 rows. '
         "Give at most 100, or more workload.rows_per_second."],
    ),
    "unknown limit": (
        "horizon: 1m", 'horizon: 1m\nlimits: {wa_metdata: "< 1"}',
        ["9:10: limits.wa_metdata is unknown. Did you mean wa_metadata?"],
    ),
    "limit that is no upper bound": (
        "horizon: 1m", 'horizon: 1m\nlimits: {metadata_bytes: "> 1 GB"}',
        ['9:26: limits.metadata_bytes is "> 1 GB". Give an upper bound, such as "< 10 GiB" or "<= 5000000".'],
    ),
    "percentile from few rounds": (
        "horizon: 1m", 'horizon: 1m\nplanning: {rounds_at_end: 5}\nlimits: {planning_p95_ms: "< 800"}',
        ["10:27: limits.planning_p95_ms is a 95th percentile, but planning.rounds_at_end is 5. "
         "Give planning.rounds_at_end of at least 20."],
    ),
    "unknown reader": (
        "horizon: 1m", "horizon: 1m\nplanning: {readers: [iceberg_java, duckdb]}",
        ['9:36: planning.readers[1] is "duckdb". '
         "Give iceberg_java, iceberg_java_distributed, pyiceberg or clickhouse."],
    ),
    "reader given twice": (
        "horizon: 1m", "horizon: 1m\nplanning: {readers: [pyiceberg, pyiceberg]}",
        ["9:12: planning.readers is a list. Give each name once."],
    ),
    "limit on a load that the first reader does not have": (
        "horizon: 1m", 'horizon: 1m\nplanning: {readers: [clickhouse]}\nlimits: {load_p95_ms: "< 800"}',
        ["10:23: limits.load_p95_ms is of a load, but clickhouse, the first of planning.readers, has none apart from "
         "planning. Name another reader first, or limit planning_p95_ms."],
    ),
    "property that is a field": (
        "workload:", "  properties: {format-version: 3}\nworkload:",
        ["7:32: table.properties.format-version has a field of its own. Write table.format_version instead."],
    ),
    "properties that Iceberg cannot parse": (
        "workload:",
        "  properties: {commit.manifest.min-count-to-merge: abc, write.metadata.compression-codec: zip}\nworkload:",
        ['7:52: table.properties.commit.manifest.min-count-to-merge is "abc". Give a whole number.',
         '7:91: table.properties.write.metadata.compression-codec is "zip". Give gzip or none.'],
    ),
    "not YAML": (
        "[1s, 5s]", "[1s, 5s",
        ["11:9: not YAML: expected ',' or ']', but got ':'. "
         "Check quotes and indents here; within braces, text that holds , [ ] or : needs quotes."],
    ),
    "alias and anchor": (
        "[1s, 5s]", "&all [*all]",
        ["10:20: sweep.commit_interval has an anchor (&). Take it out, or put the text in quotes.",
         "10:26: sweep.commit_interval[0] is an alias (*). Write the value out."],
    ),
    "tag": (
        "question: What", "question: !!python/name:os.system What",
        ["2:11: question has a tag (!). Take it out, or put the text in quotes."],
    ),
    "no row in a commit": (
        "100}", "0.001}",
        ['7:29: workload.rows_per_second is "0.001", which makes 0.001 rows in a commit every "1s", less than one. '
         "Give at least 1, or a longer commit interval.",
         '7:29: workload.rows_per_second is "0.001", which makes 0.005 rows in a commit every "5s", less than one. '
         "Give at least 0.2, or a longer commit interval."],
    ),
    "more rows than a commit can carry": (
        "100}\nhorizon: 1m\nsweep:\n  commit_interval: [1s, 5s]", "1e9}\nhorizon: 1d\nsweep:\n  commit_interval: [1h]",
        ['7:29: workload.rows_per_second is "1e9", which makes 3,600,000,000,000 rows in a commit every "1h", more '
         "than 1,000,000,000. Give at most 277777.7778, or a shorter commit interval."],
    ),
    "more rows a second than can be": (
        "100}", "1e999}",
        ['7:29: workload.rows_per_second is "1e999". Give at most 1000000000.'],
    ),
    "digits of another script": (
        "100}", "١٠}",
        ['7:29: workload.rows_per_second is "١٠". Give a number, such as 0.5 or 200.'],
    ),
    "digits of another script in a type": (
        "type: double}", 'type: "decimal(١٠,٢)"}',
        ['6:28: table.columns[1].type is "decimal(١٠,٢)". Give boolean, int, long, float, double, date, timestamp, '
         "timestamptz, string, binary, decimal(10,2), struct, list<string> or map<string,string>."],
    ),
    "a part of a millisecond": (
        "[1s, 5s]", "[0.1ms, 1.5ms]",
        ['10:21: sweep.commit_interval[0] is "0.1ms". Give whole milliseconds, at least 1ms.',
         '10:28: sweep.commit_interval[1] is "1.5ms". Give whole milliseconds, at least 1ms.'],
    ),
    "longer than a million days": (
        "horizon: 1m", "horizon: 1000001d",
        ['8:10: horizon is "1000001d". Give at most 1000000d.'],
    ),
    "an interval written in an unusual way": (
        "[1s, 5s]", "[1s, 60s1m]",
        ['10:25: sweep.commit_interval[1] is "60s1m", longer than the horizon of "1m", so that the case makes no '
         "commit. Give at most 1m, or a longer horizon."],
    ),
    "too many columns": (
        "type: double}", "type: struct, count: 200, fields: [{name: x, type: double, count: 51}]}",
        ["4:3: table.columns makes 10201 columns, with counts multiplied and nested ones taken apart. "
         "Give at most 10000."],
    ),
    "more values than fit": (
        "values: 8}", "length: 1, values: 17}",
        ['5:55: table.columns[0].values is "17", but wasim makes 16 different values of a string of length 1. '
         "Give at most 16, or a greater length."],
    ),
    "more values than a decimal has": (
        "type: double}", 'type: "decimal(1,0)", values: 5000}',
        ['6:52: table.columns[1].values is "5000", but wasim makes 10 different values of a decimal(1,0). '
         "Give at most 10."],
    ),
    "a scale of 38": (
        "type: double}", 'type: "decimal(38,38)"}',
        ['6:28: table.columns[1].type is "decimal(38,38)". '
         "Give a precision from 1 to 38 and a scale no greater, of 37 at most, such as decimal(10,2)."],
    ),
    "a partition for each row": (
        "workload:", "  partition_by: [{column: amount}]\nworkload:",
        ['7:27: table.partition_by[0].column is "amount", which has no `values`, so that each row would make a '
         "partition of its own. Give amount `values`, or a transform."],
    ),
    "a change that says nothing of how many rows": (
        "horizon: 1m", "changes: {update: {every: 5s}}\nhorizon: 1m",
        ["8:11: changes.update says nothing of how many rows. Give share or rows, one of them."],
    ),
    "the hadoop catalog on S3": (
        "horizon: 1m", "environment: {catalog: hadoop, store: s3proxy}\nhorizon: 1m",
        ['8:39: environment.store is "s3proxy", but the hadoop catalog commits by renaming: S3 cannot. '
         "Give local, or another catalog, such as rest or jdbc."],
    ),
    "a reader of local files on S3": (
        "horizon: 1m", "planning: {readers: [iceberg_java, clickhouse]}\nenvironment: {store: s3proxy}\nhorizon: 1m",
        ['8:36: planning.readers[1] is "clickhouse", but environment.store is s3proxy: it is asked on local files '
         "only. Take it out, or give environment.store: local."],
    ),
    "a store that is unknown": (
        "horizon: 1m", "environment: {store: s3a}\nhorizon: 1m",
        ['8:22: environment.store is "s3a". Give local, s3proxy or s3.'],
    ),
    "a mode that is given twice": (
        "workload:", "  properties: {write.update.mode: merge-on-read}\n"
        "changes: {update: {every: 5s, share: 0.1}}\nworkload:",
        ["7:16: table.properties.write.update.mode has a field of its own here: changes.update.mode. Take it out."],
    ),
    "delete files in a table that has none": (
        "workload:", "  format_version: 1\nchanges: {delete: {every: 5s, rows: 1, mode: merge-on-read}}\nworkload:",
        ['8:46: changes.delete.mode is "merge-on-read", but tables of format version 1 have no delete files. '
         "Give copy-on-write, or table.format_version 2 or 3."],
    ),
    "maintenance that does not say when": (
        "horizon: 1m", "maintenance: {rewrite_manifests: {}, expire_snapshots: "
        "{every: 1s, when_snapshots: 5, older_than: 5s}}\nhorizon: 1m",
        ["8:15: maintenance.rewrite_manifests does not say when. Give every or when_manifests.",
         "8:38: maintenance.expire_snapshots gives both every and when_snapshots. Give every or when_snapshots."],
    ),
    "an upsert into a stream's table": (
        "writer: [streaming, batch]", "writer: [{kind: streaming, upsert: {share: 0.5}}]",
        ["11:30: sweep.writer[0].upsert is given, but a stream into the table only appends. "
         "Give sink: foreach_batch, or kind: batch; or mode: equality-deletes, which is Flink's."],
    ),
    "an upsert that replaces no row, or each": (
        "writer: [streaming, batch]", "writer: [{kind: batch, upsert: {share: 0.004}}, "
        "{kind: batch, upsert: {share: 0.999}}]",
        ['11:42: sweep.writer[0].upsert.share is "0.004", which of 100 rows in a commit leaves none new or none '
         "replaced. Give another share, or more rows per commit.",
         '11:81: sweep.writer[1].upsert.share is "0.999", which of 100 rows in a commit leaves none new or none '
         "replaced. Give another share, or more rows per commit.",
         '11:81: sweep.writer[1].upsert.share is "0.999", which of 500 rows in a commit leaves none new or none '
         "replaced. Give another share, or more rows per commit."],
    ),
    "equality deletes by a batch, of a table without delete files": (
        "writer: [streaming, batch]", "writer: [{kind: batch, upsert: {share: 0.5, mode: equality-deletes}}]\n"
        "  table.format_version: [1]",
        ["11:53: sweep.writer[0].upsert.mode is equality-deletes, but tables of format version 1 have no delete files. "
         "Give table.format_version 2 or 3.",
         "11:53: sweep.writer[0].upsert.mode is equality-deletes, which a Flink stream writes into its table, and no "
         "batch. Give kind: streaming without a sink."],
    ),
    "a key that cannot be one": (
        "writer: [streaming, batch]", "writer: [{kind: streaming, upsert: {share: 0.5, mode: equality-deletes, "
        "key: [regoin, amount]}}]",
        ["11:75: sweep.writer[0].upsert.key lacks event_id, which tells rows apart. Add it.",
         "11:81: sweep.writer[0].upsert.key[0] is 'regoin', no column of the table. Give event_id, event_time, region, "
         "amount.",
         "11:89: sweep.writer[0].upsert.key[1] is 'amount', a double. Give columns of long, int, string, date, "
         "timestamp, timestamptz, boolean."],
    ),
    "a key of a MERGE": (
        "writer: [streaming, batch]", "writer: [{kind: batch, upsert: {share: 0.5, key: [event_id, region]}}]",
        ["11:47: sweep.writer[0].upsert.key is given, but the mode is copy-on-write. Take it out, or give mode: "
         "equality-deletes."],
    ),
    "an evolution that the table does not allow": (
        "horizon: 1m", "evolution: [{at: 5s, drop_column: region}, {at: 6s, widen_column: {column: region, "
        "type: long}}]\nhorizon: 1m",
        ['8:76: evolution[1].widen_column.column is "region", which is no column of the table at that time. '
         "Known here: amount."],
    ),
    "a decimal that becomes a long": (
        "horizon: 1m", 'evolution: [{at: 5s, add_column: {name: d, type: "decimal(4,2)"}}, '
        "{at: 6s, widen_column: {column: d, type: long}}]\nhorizon: 1m",
        ['8:109: evolution[1].widen_column.type is "long", but the column is decimal(4,2). '
         "Give long for an int, double for a float, or for a decimal more digits and the same scale."],
    ),
    "a decimal of no more digits": (
        "horizon: 1m", 'evolution: [{at: 5s, add_column: {name: d, type: "decimal(4,2)"}}, '
        '{at: 6s, widen_column: {column: d, type: "decimal(4,2)"}}]\nhorizon: 1m',
        ['8:109: evolution[1].widen_column.type is "decimal(4,2)", but the column is decimal(4,2). '
         "Give long for an int, double for a float, or for a decimal more digits and the same scale."],
    ),
    "a decimal of other digits behind the point": (
        "horizon: 1m", 'evolution: [{at: 5s, add_column: {name: d, type: "decimal(4,2)"}}, '
        '{at: 6s, widen_column: {column: d, type: "decimal(9,3)"}}]\nhorizon: 1m',
        ['8:109: evolution[1].widen_column.type is "decimal(9,3)", but the column is decimal(4,2). '
         "Give long for an int, double for a float, or for a decimal more digits and the same scale."],
    ),
    "an evolution of several columns at once": (
        "horizon: 1m", "evolution: [{at: 5s, add_column: {name: n, type: int, count: 3}}, {at: 6s, drop_column: n}]\n"
        "horizon: 1m",
        ['8:89: evolution[1].drop_column is "n", which stands for 3 columns. Give the column a list item of its own, '
         "without a count."],
    ),
    "an evolution of two things at once": (
        "horizon: 1m", "evolution: [{at: 5s, create_tag: a, create_branch: b}]\nhorizon: 1m",
        ["8:52: evolution[0].create_branch is given as well as create_tag. Give each a list item of its own."],
    ),
    "an evolution out of order": (
        "horizon: 1m", "evolution: [{at: 2m, create_tag: a}, {at: 5s, create_tag: b}]\nhorizon: 1m",
        ['8:43: evolution[1].at is "5s", earlier than the one before it. Put them in the order of time.'],
    ),
    "an evolution that moves files": (
        "horizon: 1m", "evolution: [{at: 5s, set_properties: {location: /else}}]\nhorizon: 1m",
        ["8:39: evolution[0].set_properties.location would put files where no measurement finds them. "
         "Take it out."],
    ),
    "a property that moves files": (
        "workload:", "  properties: {write.data.path: /elsewhere, owner: me}\nworkload:",
        ['7:33: table.properties.write.data.path is "/elsewhere", which is no folder below the table. Give one such as '
         "files or lake/files: the table's own location comes before it.",
         "7:45: table.properties.owner is reserved: Spark or Iceberg sets it, or refuses it. Take it out."],
    ),
    "a property of a folder that orphans hide in": (
        "workload:", "  properties: {write.metadata.path: lake/_log}\nworkload:",
        ['7:37: table.properties.write.metadata.path is "lake/_log", which is no folder below the table. Give one such '
         "as files or lake/files: the table's own location comes before it."],
    ),
    "a property that Iceberg has renamed": (
        "workload:", "  properties: {write.object-storage.path: lake}\nworkload:",
        ["7:16: table.properties.write.object-storage.path is refused by Iceberg, which has another property for it. "
         "Write write.data.path instead."],
    ),
    "metadata that a hadoop catalog would not find": (
        "workload:", "  properties: {write.metadata.path: log}\nenvironment: {catalog: hadoop}\nworkload:",
        ["7:16: table.properties.write.metadata.path is given, but the hadoop catalog finds a table by its folder "
         "metadata. Take it out, or give another catalog, such as jdbc."],
    ),
    "a property without a name": (
        "workload:", '  properties: {"": x}\nworkload:',
        ["7:3: table.properties has an empty name. Give the property's name, or take it out."],
    ),
    "the Spark that it runs on": (
        "horizon: 1m", "horizon: 1m\nenvironment: {spark: {spark.master: local}}",
        ["9:23: environment.spark.spark.master is not the scenario's to set. "
         "Take it out, and give --master to wasim bench."],
    ),
    "a setting that is ours": (
        "horizon: 1m", "horizon: 1m\nenvironment: {spark: {spark.jars.packages: a, spark.sql.catalog.mine: b}}",
        ["9:23: environment.spark.spark.jars.packages is not the scenario's to set. "
         "Take it out: wasim sets it, or measures by its default.",
         "9:47: environment.spark.spark.sql.catalog.mine is not the scenario's to set. "
         "Take it out: wasim sets it, or measures by its default."],
    ),
    "no Spark setting": (
        "horizon: 1m", "horizon: 1m\nenvironment: {spark: {spark.: a}}",
        ['9:23: environment.spark.spark. names "spark.", which is no Spark setting. '
         "Give a name that starts with spark., such as spark.sql.shuffle.partitions."],
    ),
    "a limit beyond all bounds": (
        "horizon: 1m", f'horizon: 1m\nlimits: {{metadata_bytes: "< {"9" * 400} GiB"}}',
        [f'9:26: limits.metadata_bytes is "< {"9" * 57}…". Give an upper bound, such as "< 10 GiB" or "<= 5000000".'],
    ),
    "a limit that nothing keeps": (
        "horizon: 1m", 'horizon: 1m\nlimits: {manifests: "< 0"}',
        ['9:21: limits.manifests is "< 0". Give an upper bound, such as "< 0.5" or "<= 100"; nothing keeps this one.'],
    ),
    "a question of blanks": (
        "What breaks?", '"   "',
        ['2:11: question is "   ". Give a sentence.'],
    ),
    "a writer without a kind": (
        "[streaming, batch]", "[{append: merge}]",
        ["11:12: sweep.writer[0].kind is missing. "
         "Add it: what commits: Spark Structured Streaming, one DataFrame append per commit, or Flink."],
    ),
    "second document": (
        "horizon: 1m", "horizon: 1m\n---",
        ["9:1: a second document starts here. Keep one per file."],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GOLDEN)
def test_a_broken_scenario_says_where_what_and_what_to_do(name: str, tmp_path: Path) -> None:
    old, new, expected = GOLDEN[name]
    assert SOUND.count(old) == 1, "each entry breaks the sound scenario in one place"
    assert faults_of(tmp_path, SOUND.replace(old, new)) == expected


def test_the_scenario_that_is_broken_above_is_sound(tmp_path: Path) -> None:
    assert len(loaded(tmp_path, SOUND).cases()) == 4


def test_all_faults_come_at_once_in_the_file_s_order(tmp_path: Path) -> None:
    broken = SOUND.replace("crash", "Crash").replace("double", "dobule").replace("1m", "soon").replace("batch", "bash")
    faults = faults_of(tmp_path, broken)
    assert [fault.split(":")[0] for fault in faults] == ["1", "6", "8", "11"]


def test_faults_of_fields_do_not_hide_those_between_fields(tmp_path: Path) -> None:
    broken = SOUND.replace("crash", "Crash").replace("[streaming, batch]", "[{kind: batch, append: fast}]")
    assert len(faults_of(tmp_path, broken)) == 2


def test_a_fault_shared_by_cases_is_named_once(tmp_path: Path) -> None:
    broken = SOUND.replace("  writer", f"  seed: {list(range(40))}\n  writer").replace("100}", "-1}")
    assert faults_of(tmp_path, broken) == ['7:29: workload.rows_per_second is "-1". Give more than 0.']


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"no such file\. Give the path of a scenario"):
        load_scenario(tmp_path / "none.yaml")


def test_a_directory_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"is no regular file, but a folder\. Give the path of a scenario"):
        load_scenario(tmp_path)


def test_a_path_that_no_system_can_open_is_one_line() -> None:
    with pytest.raises(ScenarioError, match=r"cannot be read: (open: )?embedded null "):  # in words of Python's version
        load_scenario(Path("a\0b"))


def test_what_the_system_says_of_a_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="cannot be read: File name too long"):
        load_scenario(tmp_path / ("a" * 300))


def test_a_fault_stays_on_one_line_whatever_the_value_holds(tmp_path: Path) -> None:
    (fault,) = faults_of(tmp_path, SOUND.replace("name: crash", r'name: "a\n\u2028b"'))
    assert fault.startswith(r'1:7: name is "a\u000a\u2028b".')


def test_too_many_cases_are_counted_and_refused(tmp_path: Path) -> None:
    many = SOUND.replace("  commit_interval: [1s, 5s]", f"  commit_interval: [1s]\n  seed: {list(range(60))}")
    many = many.replace("horizon: 1m", "horizon: 1m\nrepetitions: 100")
    assert faults_of(tmp_path, many) == [
        "10:1: sweep makes 12000 cases, counting 100 of each. Sweep fewer values: 10000 cases are the most."
    ]


def test_holding_out_intervals_needs_two_of_them(tmp_path: Path) -> None:
    broken = SOUND.replace("[1s, 5s]", "[1s]").replace("horizon: 1m", "horizon: 1m\nfit: {held_out: intervals}")
    assert faults_of(tmp_path, broken) == [
        '9:17: fit.held_out is "intervals", but all cases share one commit interval. '
        "Sweep commit_interval, or give second_half or none."
    ]


def test_a_fault_in_the_only_column_is_the_only_fault(tmp_path: Path) -> None:
    only = SOUND.replace("    - {name: region, type: string, values: 8}\n", "").replace("double", "dobule")
    assert [fault.split(" ")[1] for fault in faults_of(tmp_path, only)] == ["table.columns[0].type"]


def test_an_empty_list_of_columns_is_a_fault(tmp_path: Path) -> None:
    columns = SOUND[SOUND.index("  columns:") : SOUND.index("workload")]
    assert faults_of(tmp_path, SOUND.replace(columns, "  columns: []\n")) == [
        "4:3: table.columns is an empty list. Give at least one."
    ]


def test_a_commit_has_at_most_a_thousand_partitions(tmp_path: Path) -> None:
    table = SOUND.replace("values: 8}", "values: 5000}").replace(
        "workload: {rows_per_second: 100}", "  partition_by: [{column: region}]\nworkload: {rows_per_second: 2000}"
    )
    told = (
        "7:3: table.partition_by can make {} partitions in one commit. Give at most 1000, by fewer `values`, "
        "a coarser transform or workload.partitions_per_commit."
    )
    assert faults_of(tmp_path, table) == [told.format(2000), told.format(5000)]
    assert loaded(tmp_path, table.replace("2000}", "2000, partitions_per_commit: 1000}"))


@pytest.mark.parametrize(("kind", "most"), [("string", 248), ("binary", 124)])
def test_a_partitions_value_fits_a_folder_name(kind: str, most: int, tmp_path: Path) -> None:
    column = f"type: {kind}, values: 8, length: {most + 1}}}"
    table = SOUND.replace("type: string, values: 8}", column)
    table = table.replace("workload", "  partition_by: [{column: region}]\nworkload")
    assert faults_of(tmp_path, table) == [
        '7:27: table.partition_by[0].column is "region", whose values are too long for a folder\'s name. '
        f"Give region a length of at most {most}."
    ]


@pytest.mark.parametrize(("kind", "most"), [("date", DATE_SPAN_DAYS), ("int", 2**31 - 1), ("float", 2**24)])
def test_a_column_has_no_more_values_than_its_type(kind: str, most: int, tmp_path: Path) -> None:
    assert loaded(tmp_path, SOUND.replace("type: double}", f"type: {kind}, values: {most}}}"))
    (fault,) = faults_of(tmp_path, SOUND.replace("type: double}", f"type: {kind}, values: {most + 1}}}"))
    assert fault.endswith(f"wasim makes {most} different values of a {kind}. Give at most {most}.")


@pytest.mark.parametrize("column", ["{name: flag, type: boolean}", "{name: day, type: date, values: 90}"])
def test_columns_of_few_values_are_partitioned_by_identity(column: str, tmp_path: Path) -> None:
    name = column[7:].split(",", maxsplit=1)[0]
    partitioned = f"    - {column}\n  partition_by: [{{column: {name}}}]\nworkload"
    assert loaded(tmp_path, SOUND.replace("workload", partitioned))


@pytest.mark.parametrize(
    ("intervals", "horizon", "rate"),
    [
        ("[100ms, 300ms]", "1.2s", "10"),
        ("[1.001s]", "10.01s", "1000"),
        ("[3s]", "6s", "0.3333333"),
        ("[7d]", "21d", "1e3"),
        ("[1s]", "1m", "1e9"),
        ("[1s]", "1m", "0.5"),
    ],
)
def test_whole_commits_of_whole_rows_are_sound_however_written(
    intervals: str, horizon: str, rate: str, tmp_path: Path
) -> None:
    sound = SOUND.replace("[1s, 5s]", intervals).replace("horizon: 1m", f"horizon: {horizon}")
    assert loaded(tmp_path, sound.replace("100}", f"{rate}}}"))


def test_no_words_of_a_library_reach_a_reader(tmp_path: Path) -> None:
    values = ["1e999", "-1e999", "[]", "{}", "[1]", "{a: b}", '""', "x", "99999999999999999999", "0", "-1", "1.5"]
    lines = SOUND.splitlines()
    for number, line in enumerate(lines):
        for value in values:
            broken = [*lines[:number], f"{line.split(':')[0]}: {value}", *lines[number + 1 :]]
            faults = faults_of(tmp_path, "\n".join(broken))
            assert not re.search(r"Input|should|valid|finite|pydantic", "".join(faults))
