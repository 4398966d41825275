"""The cost equations fitted to the cases of a group, kind by kind, and what they predict for other cases."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from wasim import model
from wasim.fit.groups import Group, series_numbers
from wasim.fit.linear import Assumption, LinearFit, fit_linear
from wasim.fit.report import Coefficient, CostFit
from wasim.ledger import Kind
from wasim.model.appends import entry_bytes
from wasim.model.equations import FITTED_KINDS
from wasim.scenario.case import Case
from wasim.units import Floats, Ints

# What the format gives where a run cannot tell: a log entry is 50 B and a path, the path 66 characters and the table's
# location
_LOG_ENTRY = Assumption(mean=176.0, deviation=40.0, reason="50 B and a path of 126 ± 40 characters")
_HEADER_DEVIATION_BYTES = 60.0  # of a manifest header computed from the schema
_FROM_SCHEMA = "the header that the schema makes"
_LATER_COLUMN = Assumption(mean=14.0, deviation=7.0, reason="measured elsewhere, 12 to 14 B per column")

_WHAT_IDENTIFIES = {
    "retained_snapshot": "a case with more commits than write.metadata.previous-versions-max",
    "log_entry": "a case with more commits than write.metadata.previous-versions-max",
    "manifest": "two values of workload.files_per_commit, or two merges",
    "entry_added": "two values of workload.files_per_commit, or two merges",
    "entry_merged": "a case with two merges: commits 100 and 199 by default",
    "live_manifest": "a case of at least two commits",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class KindFit:
    """One equation, fitted. `assumptions`, by column, are what the format implies where the rows cannot tell."""

    kind: Kind
    terms: tuple[model.Term, ...]
    fit: LinearFit
    assumptions: Mapping[int, Assumption]
    naive_bytes: float

    def bytes_of(self, drivers: model.Drivers, appends: model.Appends) -> Floats:
        """Predicted bytes for each row of drivers."""
        return self.fit.predict(model.design_matrix(self.terms, drivers)) + model.known_bytes(
            self.kind, drivers, gzip_json=appends.gzip_json
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterFit:
    """All fitted equations of one group."""

    group: Group
    kinds: tuple[KindFit, ...]

    def appends_of(self, case: Case) -> model.Appends:
        """The model's parameters for a case, measured or not, with what the group's ledgers say of its files."""
        appends = model.read_appends(case)
        seen = {one.case.workload.files_per_commit: one.appends.files_per_commit for one in self.group.observed}
        files = seen.get(case.workload.files_per_commit, appends.files_per_commit)
        return self.completed(replace(appends, files_per_commit=files), expected=appends)

    def completed(self, appends: model.Appends, *, expected: model.Appends | None = None) -> model.Appends:
        """Appends read from a scenario, with sizes of data and manifests from the group's ledgers: how large manifests
        are decides when full ones are sealed.

        `expected` are the appends whose files and rows give the data bytes, where they differ.
        """
        appends = replace(appends, data_bytes_per_commit=self.group.data_bytes(expected or appends))
        fitted = next(one for one in self.kinds if one.kind is Kind.DATA_MANIFEST)
        files = float(appends.files_per_commit)
        rows = model.drivers_of_manifests(appends, added=np.array([files, 0.0, 0.0]), merged=np.array([0.0, 0.0, 1.0]))
        new, header, with_one = fitted.bytes_of(rows, appends)
        if not (appends.merges and 0 < header < new and with_one > header):
            return appends
        sizes = model.ManifestSizes(new_bytes=new, header_bytes=header, entry_bytes=with_one - header)
        return replace(appends, sizes=sizes)


def fit_group(group: Group) -> WriterFit:
    """The group's equations, one for each kind of metadata that appends write."""
    return WriterFit(group=group, kinds=tuple(_fit_kind(group, kind) for kind in FITTED_KINDS))


def _fit_kind(group: Group, kind: Kind) -> KindFit:
    terms = model.equation(kind, merges=group.merges, columns_vary=group.columns_vary)
    design = np.concatenate([model.design_matrix(terms, one.drivers) for one in group.observed])
    known = [model.known_bytes(kind, one.drivers, gzip_json=one.appends.gzip_json) for one in group.observed]
    written = np.concatenate([one.written(kind) for one in group.observed])
    assumptions = _assumptions(terms, group)
    return KindFit(
        kind=kind,
        terms=terms,
        fit=fit_linear(design, written - np.concatenate(known), series_numbers(group.observed), assumptions),
        assumptions=assumptions,
        naive_bytes=float(written.mean()),
    )


def _assumptions(terms: tuple[model.Term, ...], group: Group) -> dict[int, Assumption]:
    entry = entry_bytes(0 if group.columns_vary else group.observed[0].appends.statistics_columns)
    header, per_column = _header_law(group)
    offered = {
        "log_entry": _LOG_ENTRY,
        "entry_merged": Assumption(mean=entry, deviation=0.5 * entry, reason="40 B and 14 B per column, by half"),
        "entry_merged_column": _LATER_COLUMN,
        "manifest": Assumption(mean=header, deviation=_HEADER_DEVIATION_BYTES, reason=_FROM_SCHEMA),
        "manifest_column": Assumption(mean=per_column, deviation=0.1 * per_column, reason=_FROM_SCHEMA),
    }
    return {column: offered[term.name] for column, term in enumerate(terms) if term.name in offered}


def _header_law(group: Group) -> tuple[float, float]:
    """A manifest's header as the format gives it: a constant, and bytes per column where columns vary."""
    headers = np.array([one.appends.sizes.header_bytes for one in group.observed])
    if not group.columns_vary:
        return float(headers.mean()), 0.0
    per_column, constant = np.polyfit([one.appends.columns for one in group.observed], headers, 1)
    return float(constant), float(per_column)


def report_cost(kind_fit: KindFit, group: Group) -> CostFit:
    """A fitted equation as a row of the report."""
    coefficients = (*_coefficients(kind_fit), *_combinations(kind_fit, group))
    return _cost_fit(group, kind_fit.kind, kind_fit.fit, coefficients)


def report_ingest(group: Group) -> CostFit:
    """The ingest law of a group as a row of the report."""
    both = group.ingest.estimates(np.eye(2))
    note = "" if group.ingest.identified.all() else "one number of rows per commit; two commit intervals would tell"
    names = (("file", "B per data file"), ("row", "B per row"))
    coefficients = tuple(
        Coefficient(name=name, unit=unit, estimate=both[i] if group.ingest.identified[i] else None, note=note)
        for i, (name, unit) in enumerate(names)
    )
    return _cost_fit(group, Kind.DATA, group.ingest, coefficients)


def _cost_fit(group: Group, kind: Kind, fit: LinearFit, coefficients: tuple[Coefficient, ...]) -> CostFit:
    written = np.concatenate([one.written(kind) for one in group.observed])
    return CostFit(
        writer=group.name,
        kind=kind,
        coefficients=coefficients,
        r_squared=fit.r_squared,
        rms_bytes=fit.rms,
        commits=fit.rows,
        naive_bytes=float(written.mean()),
        naive_rms_bytes=float(written.std()),
    )


def _coefficients(kind_fit: KindFit) -> list[Coefficient]:
    estimates = kind_fit.fit.estimates(np.eye(len(kind_fit.terms)))
    result = []
    for column, (term, estimate) in enumerate(zip(kind_fit.terms, estimates, strict=True)):
        seen = bool(kind_fit.fit.identified[column])
        note = "" if seen else _why_not(term.name, kind_fit.assumptions.get(column))
        result.append(Coefficient(name=term.name, unit=term.unit, estimate=estimate if seen else None, note=note))
    return result


def _why_not(name: str, assumption: Assumption | None) -> str:
    remedy = _WHAT_IDENTIFIES.get(name, "two numbers of columns and two of files per commit")
    taken = f"; predictions take {assumption.mean:.0f} B, from {assumption.reason}" if assumption else ""
    return f"this run cannot tell; {remedy} would{taken}"


def _combinations(kind_fit: KindFit, group: Group) -> list[Coefficient]:
    """Sums of coefficients that the run identifies where it cannot tell the coefficients apart."""
    names = [term.name for term in kind_fit.terms]
    files = {one.appends.files_per_commit for one in group.observed}
    offered: list[tuple[str, str, str, float]] = [
        ("retained_snapshot", "log_entry", "B per commit while the log grows", 1.0)
    ]
    if len(files) == 1:
        per_manifest = float(next(iter(files)))
        offered.append(("manifest", "entry_added", "B per new manifest", per_manifest))
        offered.append(("manifest_column", "entry_added_column", "B per new manifest and column", per_manifest))
    result = []
    for first, second, unit, times in offered:
        if first not in names or kind_fit.fit.identified[names.index(second)]:
            continue
        row = np.zeros((1, len(names)))
        row[0, names.index(first)], row[0, names.index(second)] = 1.0, times
        if kind_fit.fit.decides(row)[0]:
            label = f"{first} + {second}" if times == 1 else f"{first} + {times:.0f} {second}"
            result.append(Coefficient(name=label, unit=unit, estimate=kind_fit.fit.estimates(row)[0]))
    return result


def predicted_total(writer: WriterFit, kind_fit: KindFit, case: Case, commits: Ints) -> float:
    """Bytes of one kind over some commits of a case, predicted from its scenario alone."""
    appends = writer.appends_of(case)
    return float(kind_fit.bytes_of(model.drivers_at(appends, commits), appends).sum())
