"""What a run measured, in a line: without its table and workload no figure means anything; and how it was simulated."""

from collections.abc import Iterator, Sequence

from wasim.contention import SUSTAINED
from wasim.ledger import Kind
from wasim.report.series import horizon_words
from wasim.report.words import KIND_NAMES
from wasim.runs import CaseRun, Run
from wasim.runs.values import say_once
from wasim.scenario import Case
from wasim.scenario.load import UNFINISHED_VERSION
from wasim.twin.profile import tables_in_turn, turn_words
from wasim.units import format_duration


def measured_line(run: Run) -> str:
    """What was measured, in one line: rows, columns, format, properties, writers, engine, location."""
    if not run.cases:
        return ""
    first = run.cases[0]
    case = first.case
    columns = sorted({len(one.case.table.all_columns) for one in run.cases})
    rows = sorted({one.case.workload.rows_per_second for one in run.cases})
    writers = ", ".join(dict.fromkeys(one.case.writer_name for one in run.cases))
    parts = [
        f"{_range(rows)} rows a second in {_range(columns)} columns",
        _format(run.cases),
        _partitioned(case),
        _properties(run.cases),
        f"{writers} for {horizon_words(run)} of event time",
        _place(first, run),
    ]
    tables = sorted({one.case.writer.tables for one in run.cases})
    if tables[-1] > 1:
        parts.append(f"{_range(tables)} tables: what is written, on disk and paid is of all, the rest of each")
    return "; ".join(parts)


def _format(cases: Sequence[CaseRun]) -> str:
    versions = sorted({one.case.table.format_version for one in cases})
    return f"format v{_range(versions)}{', which is unfinished' if versions[-1] == UNFINISHED_VERSION else ''}"


def _range(values: Sequence[float]) -> str:
    low, high = values[0], values[-1]
    return f"{low:,.10g}" if low == high else f"{low:,.10g} to {high:,.10g}"


def _partitioned(case: Case) -> str:
    if not case.table.partition_by:
        return "unpartitioned"
    fields = ", ".join(
        one.column if one.transform == "identity" else f"{one.transform}({one.column})"
        for one in case.table.partition_by
    )
    return f"partitioned by {fields}"


def _properties(cases: tuple[CaseRun, ...]) -> str:
    given = dict.fromkeys(f"{key}={value}" for one in cases for key, value in one.case.table.properties.items())
    return ", ".join(given) if given else "default table properties"


def _place(first: CaseRun, run: Run) -> str:
    environment = first.case.environment
    where = "on local files" if environment.store == "local" else "on S3"
    where = where if first.simulation is None else f"at {first.location}"
    who = {"spark": "real Spark and Iceberg", "core": "Iceberg's library", "sim": "simulated"}.get(
        first.engine, first.engine
    )
    catalogs = ", ".join(dict.fromkeys(one.case.catalog for one in run.cases))
    return f"{who}, {catalogs} catalog, {where}"


FEW = 3  # cases whose lost attempts are noted
RARELY = 0.05  # share of a statement's runs whose failures are not noted


def simulation_notes(run: Run) -> tuple[str, ...]:
    """Sentences for below the table of what was written; none for a run on real Iceberg."""
    simulated = [case for case in run.cases if case.simulation is not None]
    approximated = say_once((case.case.label, case.approximated) for case in simulated)
    return (*_locations(simulated), *_bands(simulated), *_latencies(simulated), *_lost(simulated), *approximated)


def _locations(cases: list[CaseRun]) -> Iterator[str]:
    locations = dict.fromkeys(case.location for case in cases if case.location is not None)
    if locations:
        first, more = next(iter(locations)), " and others" if len(locations) > 1 else ""
        yield (
            f"Simulated for tables at {first}{more}. Metadata repeats that path for every file, so that a longer one"
            " takes more bytes; --location gives another."
        )


def _bands(cases: list[CaseRun]) -> Iterator[str]:
    widest = {
        kind: max((case.band.get(kind, 0.0) for case in cases if case.totals.written_bytes[kind]), default=0.0)
        for kind in Kind
    }
    shown = {kind: share * 100 for kind, share in widest.items() if share > 0}
    named = [f"{KIND_NAMES[kind]} ± {percent:{'.0f' if percent >= 10 else '.2g'}} %" for kind, percent in shown.items()]
    if named:
        yield f"Bytes written are estimates, at the widest: {', '.join(named)}."


GUESSED_TOO_HIGH = "2 to 5 times"  # in twelve measured cases: of two runs, and of commits without data


def _latencies(cases: list[CaseRun]) -> Iterator[str]:
    """The latency of the slowest case's commits, and the cases that offer more commits than their tables sustain."""
    modelled = [(case.case.label, case.latency) for case in cases if case.latency is not None]
    if not modelled:
        return
    label, slowest = max(modelled, key=lambda one: one[1].end_p95_ms)
    whose = f" ({label})" if len(modelled) > 1 else ""
    times = ", ".join(
        f"{name} {_about(value / 1000)}"
        for name, value in (("p50", slowest.p50_ms), ("p95", slowest.p95_ms), ("p99", slowest.p99_ms))
    )
    yield (
        f"Guessed commit latency{whose}: {times}; of the last commits, p95 {_about(slowest.end_p95_ms / 1000)}; on"
        f" local files {GUESSED_TOO_HIGH} less was measured."
    )
    most, latency = max(((one.case, one.latency) for one in cases if one.latency), key=lambda one: one[0].writer.tables)
    if (tables := most.writer.tables) > 1:
        after = _about(tables_in_turn(most) * latency.end_p50_ms / 1000)
        yield f"Commits to {tables:,} tables {turn_words(most)}: by the end the last table's rows come {after} later."
    yield from slowest.basis
    failing = [
        (shares["failed_share"], name, label) for label, one in modelled for name, shares in one.statements.items()
    ]
    share, name, label = max(failing, default=(0.0, "", ""))
    if share > RARELY:
        yield f"At the end {100 * share:.0f} % of {name} would fail, because of concurrent commits ({label})."
    failed, label = max(((one.failed_share, label) for label, one in modelled if one.comes_slowly), default=(0.0, ""))
    if failed > 1 - SUSTAINED:
        yield f"By the end, {100 * failed:.0f} % of commits run out of retries at worst ({label})."
    late = [(label, one) for label, one in modelled if not one.comes_slowly]
    if late:
        label, one = max(late, key=lambda late_one: late_one[1].sustainable_interval_s)
        yield (
            f"By the end, commits arrive faster than the table can accept them: {len(late)} of {len(modelled)} cases,"
            f" at worst {label}, which sustains one every {_about(one.sustainable_interval_s)}."
        )


def _lost(cases: list[CaseRun]) -> Iterator[str]:
    """The shares of attempts that several writers lose, and of commits that they give up, for the worst few cases."""
    shares = sorted(
        (
            (one.contention.lost_share, one.contention.failed_commits, one)
            for one in cases
            if one.contention is not None and one.case.writer.writers > 1
        ),
        key=lambda share: -share[0],
    )
    named = [
        f"{100 * lost:.0f} % ({100 * failed / (failed + one.commits):.2g} % of the commits given up) of"
        f" {one.case.label}"
        for lost, failed, one in shares[:FEW]
    ]
    if named:
        yield f"Attempts lost to other writers: {', '.join(named)}{' at the most' if len(shares) > FEW else ''}."


def _about(seconds: float) -> str:
    """A duration to two digits: `120ms`, `1m26s`."""
    return format_duration(float(f"{seconds:.2g}"))
