"""Which cases may share coefficients, and what of them is fitted.

Cases share coefficients when everything that makes a file's constants is the same: writer, table (format version,
partition spec, properties, kinds of columns), environment and how rows are distributed. What may differ within a group
is what the equations have drivers for: commit interval, horizon, rows per second, files per commit, and how many
columns there are.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from wasim.fit.linear import Assumption, LinearFit, fit_linear
from wasim.ledger import Kind, Ledger, PlanningProbe
from wasim.model import Appends, Drivers, drivers_at, read_appends
from wasim.runs import CaseRun
from wasim.scenario.case import Case
from wasim.units import Floats, Ints, format_duration

PARQUET_BYTES_PER_COLUMN = 300.0  # of an empty data file, about


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """One case's ledger and probes, with the drivers that the model computes for each commit."""

    case: Case
    ledger: Ledger
    probes: tuple[PlanningProbe, ...]
    appends: Appends
    drivers: Drivers

    def written(self, kind: Kind) -> Floats:
        """Bytes of one kind written by each commit."""
        return self.ledger.written_bytes[kind].astype(np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Cases that share coefficients, shortest interval first.

    `name` is the writer's, with the swept values that distinguish the group from others of that writer.
    """

    name: str
    observed: tuple[Observed, ...]
    ingest: LinearFit

    @property
    def merges(self) -> bool:
        """Whether any of the commits merge manifests."""
        return any(one.appends.merges for one in self.observed)

    @property
    def columns_vary(self) -> bool:
        """Whether the cases differ in how many columns the table has."""
        return len({one.appends.columns for one in self.observed}) > 1

    def data_bytes(self, appends: Appends) -> float:
        """Data bytes per commit that the group's ingest law gives such appends."""
        return max(1.0, float(self.ingest.predict(_ingest_drivers(appends))[0]))

    def restricted(self, observed: tuple[Observed, ...]) -> "Group":
        """The group fitted to these cases, or parts of cases, alone."""
        return replace(self, observed=observed, ingest=_fit_ingest(observed))


def group_cases(cases: Iterable[CaseRun]) -> tuple[Group, ...]:
    """The groups of some cases, in their order.

    Left out are cases without commits, cases that do more than append, which the equations do not cover, and cases of
    which only some commits are known.
    """
    members: dict[str, list[CaseRun]] = {}
    for case_run in cases:
        if len(case_run.ledger) and not case_run.is_sampled and case_run.case.is_appends_of_one_writer:
            members.setdefault(_shared_constants(case_run.case), []).append(case_run)
    names = _names([tuple(one.case for one in group) for group in members.values()])
    groups = []
    for name, group in zip(names, members.values(), strict=True):
        ordered = sorted(group, key=lambda one: (one.case.commit_interval_s, one.case.repetition))
        observed = tuple(observe(one.case, one.ledger, one.probes) for one in ordered)
        groups.append(Group(name=name, observed=observed, ingest=_fit_ingest(observed)))
    return tuple(groups)


def observe(case: Case, ledger: Ledger, probes: tuple[PlanningProbe, ...] = ()) -> Observed:
    """A case with its drivers. Where files per commit differ from the scenario's, the ledger's median is taken."""
    appends = read_appends(case, data_bytes_per_commit=float(ledger.written_bytes[Kind.DATA].mean()) or None)
    files = int(np.median(ledger.entries_added))
    if files and files != appends.files_per_commit:
        appends = replace(appends, files_per_commit=files)
    drivers = drivers_at(appends, ledger.commit)
    return Observed(case=case, ledger=ledger, probes=probes, appends=appends, drivers=drivers)


def name_without_interval(case: Case) -> str:
    """The case's label without its interval and repetition: `streaming`, `batch columns=100`."""
    named = case.label.replace(f" every {format_duration(case.commit_interval_s)}", "", 1)
    return named.removesuffix(f" #{case.repetition + 1}") if case.repetition else named


def cases_by_table(group: Group) -> list[list[Case]]:
    """One case per interval, shortest first, for each of the tables and workloads that share the fit."""
    tables: dict[str, dict[float, Case]] = {}
    for one in group.observed:
        case = one.case
        tables.setdefault(name_without_interval(case), {}).setdefault(case.commit_interval_s, case)
    return [[cases[interval] for interval in sorted(cases)] for cases in tables.values()]


def series_numbers(observed: tuple[Observed, ...]) -> Ints:
    """The number of its case for each commit, cases one after the other."""
    return np.repeat(np.arange(len(observed)), [len(one.ledger) for one in observed])


def _shared_constants(case: Case) -> str:
    document = case.document()
    table = case.table.model_dump(mode="json")
    table["columns"] = sorted(json.dumps({**column, "count": 0}, sort_keys=True) for column in table["columns"])
    workload = case.workload.model_dump(mode="json")
    constants = [table, workload["partitions_per_commit"], workload["distribution_mode"], document["writer"]]
    return json.dumps([*constants, document["environment"], case.clock], sort_keys=True)


def _names(groups: list[tuple[Case, ...]]) -> list[str]:
    writers = [cases[0].writer_name for cases in groups]
    names = []
    for writer, cases in zip(writers, groups, strict=True):
        rivals = [other[0].swept for other in groups if other[0].writer_name == writer]
        swept = cases[0].swept
        differing = [
            f"{key}={value}"
            for key, value in swept.items()
            if all(one.swept.get(key) == value for one in cases) and any(other.get(key) != value for other in rivals)
        ]
        names.append(" ".join([writer, *differing]))
    return names


def _ingest_drivers(appends: Appends) -> Floats:
    return np.array([[float(appends.files_per_commit), float(appends.rows_per_commit)]])


def _fit_ingest(observed: tuple[Observed, ...]) -> LinearFit:
    """Data bytes per commit = file · files + row · rows."""
    design = np.concatenate([np.repeat(_ingest_drivers(one.appends), len(one.ledger), axis=0) for one in observed])
    written = np.concatenate([one.written(Kind.DATA) for one in observed])
    empty = PARQUET_BYTES_PER_COLUMN * observed[0].appends.columns
    empty_file = Assumption(
        mean=min(empty, 0.5 * float(written.mean())), deviation=0.25 * empty, reason="an empty Parquet file"
    )
    return fit_linear(design, written, series_numbers(observed), {0: empty_file})
