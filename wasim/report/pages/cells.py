"""Tables as text: what pages and the terminal show of a run, one function per table."""

from collections.abc import Sequence

import numpy as np

from wasim.fit.groups import name_without_interval
from wasim.fit.report import Estimate
from wasim.ledger import Kind, PlanningProbe, RequestKind, percentile_ms, warm_full_scans
from wasim.ledger.readers import BOUNDARIES, Boundary
from wasim.report.answer import Answer
from wasim.report.modelled import stops_keeping_up
from wasim.report.series import horizons_s, kinds_written
from wasim.report.tables import TextTable, table_of
from wasim.report.words import ABSENT, KIND_NAMES, format_sum
from wasim.runs import Bill, CaseRun, Run, bill_case
from wasim.runs.documents import GIB
from wasim.runs.limits import measure
from wasim.scenario.prices import Prices
from wasim.units import MONTH_S, Floats, format_bytes, format_duration, format_figure

_OWN_COLUMN = (Kind.METADATA_JSON, Kind.MANIFEST_LIST, Kind.DATA_MANIFEST)


def headline_table(run: Run) -> TextTable:
    """What each case wrote, by kind, and the most on disk and live: a row per case, shortest interval first."""
    horizons = horizons_s(run)
    others = [kind for kind in kinds_written(run.cases) if kind not in _OWN_COLUMN]
    over = f" over {format_duration(horizons[0])}" if len(horizons) == 1 else ", each over its own horizon"
    own_horizon, changed = len(horizons) > 1, any(not case.case.only_appends for case in run.cases)
    return table_of(
        f"Written by kind{over}; on disk and live at the most in its later half",
        (
            _headline(case, others, own_horizon=own_horizon, changed=changed)
            for case in sorted(run.cases, key=lambda case: case.case.commit_interval_s)
        ),
        words=("writer",),
        spare=("WA_data", "data", "other metadata", "live manifests", "manifest lists"),
    )


def _headline(run: CaseRun, others: Sequence[Kind], *, own_horizon: bool, changed: bool) -> dict[str, str]:
    wa, totals, manifests = run.amplification, run.of_all_tables, measure(run, "manifests")
    repetition = f" #{run.case.repetition + 1}" if run.case.repetition else ""
    other_bytes = sum(totals.written_bytes[kind] for kind in others)
    figures = {
        **{KIND_NAMES[kind]: format_bytes(totals.written_bytes[kind]) for kind in _OWN_COLUMN},
        **({"other metadata": format_bytes(other_bytes)} if others else {}),
        "metadata on disk": format_bytes(measure(run, "metadata_on_disk_bytes") or 0.0),
        "data": format_bytes(totals.data_bytes),
        **({"WA_data": format_figure(wa.data)} if changed else {}),
        "WA_metadata": format_figure(wa.metadata),
        "live manifests": ABSENT if manifests is None else f"{manifests:,.0f}",
    }
    if stops_keeping_up(run) is not None:  # no writer gets there: figures would be taken at their word
        figures = dict.fromkeys(figures, ABSENT)
    return {
        "interval": format_duration(run.case.commit_interval_s),
        "writer": name_without_interval(run.case) + repetition,
        **({"horizon": format_duration(wa.horizon_s)} if own_horizon else {}),
        "commits": f"{run.commits:,}",
        **figures,
    }


def planning_table(run: Run, *, at_end: bool) -> TextTable:
    """Planning at the last checkpoint of each case, or at those before it: load, planning and execution apart."""
    rows = []
    for case in run.cases:
        last = max((probe.after_commit for probe in case.probes), default=0)
        rows += [_planning(case, probe) for probe in case.probes if (probe.after_commit == last) == at_end]
    when = "at the end of each case" if at_end else "at earlier checkpoints"
    caption = f"Planning {when}: medians in milliseconds; a 95th percentile needs 20 rounds or more"
    return table_of(caption, rows, words=("reader", "query", "process"), grouped=True)


def _planning(run: CaseRun, probe: PlanningProbe) -> dict[str, str]:
    after = f"after {probe.after_commit:,} commits, metadata.json of {format_bytes(probe.metadata_json_bytes)}"
    p95_ms = percentile_ms(probe.together_ms, 95)  # of fewer rounds it would be their maximum under another name
    return {
        "": f"{run.case.label}, {after}",
        "reader": f"{probe.reader}, {probe.variant}" if probe.variant else probe.reader,
        "query": probe.query.replace("_", " "),
        "process": probe.temperature,
        "rounds": f"{len(probe.planning_ms):,}",
        "load ms": _median(probe.load_ms),
        "planning ms": _median(probe.planning_ms),
        "load + planning p95 ms": ABSENT if p95_ms is None else format_figure(p95_ms),
        "execution ms": _median(probe.execution_ms),
        "manifests": _count(probe.manifests_total),
        "scanned": _count(probe.manifests_scanned),
        "skipped": _count(probe.manifests_skipped),
        "opened": _count(probe.manifests_opened),
        "files": _count(probe.files_planned),
        "files skipped": _count(probe.files_skipped),
    }


def boundaries(run: Run) -> tuple[tuple[str, str], ...]:
    """(reader, what its times hold and how its opens are known), for each reader of the run."""

    def words(boundary: Boundary) -> str:
        load = f"Load: {boundary.load}." if boundary.load else "No load apart from planning."
        return f"{load} Planning: {boundary.planning}. Manifests opened: {boundary.opened}."

    readers = dict.fromkeys(probe.reader for case in run.cases for probe in case.probes)
    return tuple((reader, words(BOUNDARIES[reader])) for reader in readers if reader in BOUNDARIES)


def listing_table(run: Run) -> TextTable:
    """Data files found by listing directories, and those that the full scan of the same table planned."""
    rows = []
    for case in run.cases:
        planned = {probe.after_commit: probe for probe in warm_full_scans(case.probes)}
        for listing in case.listings:
            probe = planned.get(listing.after_commit)
            row = {
                "case": case.case.label,
                "LIST calls": f"{listing.list_calls:,}",
                "files found": f"{listing.files:,}",
                "listing ms": _median(listing.scan_ms),
                "manifests opened": _count(probe.manifests_opened) if probe else ABSENT,
                "files planned": _count(probe.files_planned) if probe else ABSENT,
                "load + planning ms": _median(probe.together_ms) if probe else ABSENT,
            }
            rows.append(row)
    return table_of(
        "Data files by listing directories, and by metadata in a warm process: medians in milliseconds", rows
    )


def _count(count: int | None) -> str:
    return ABSENT if count is None else f"{count:,}"


def _median(rounds: Floats) -> str:
    return format_figure(float(np.median(rounds))) if len(rounds) else ABSENT


def format_estimate(estimate: Estimate) -> tuple[str, str]:
    """(best, `low to high`) with as many digits as the interval's width is worth: `1,001.4`, `1,001.3 to 1,001.5`."""
    width = estimate.high - estimate.low
    if not np.isfinite(width) or width <= 0:
        return format_figure(estimate.best), f"{format_figure(estimate.low)} to {format_figure(estimate.high)}"
    digits = min(max(1 - int(np.floor(np.log10(width))), 0), 6)
    return f"{estimate.best:,.{digits}f}", f"{estimate.low:,.{digits}f} to {estimate.high:,.{digits}f}"


def format_error(share: float) -> str:
    """A signed share in per cent: `+0.02 %`, and no minus before nothing."""
    text = f"{share:+.2%}".replace("-", "−").replace("%", " %")
    return "0.00 %" if text[1:] == "0.00 %" else text


def bill_table(run: Run, answer: Answer, prices: Prices) -> TextTable:
    """Requests per commit by kind and what they cost, and what is kept by month; one row per case on S3."""
    bills = [(case, bill) for case in run.cases if (bill := bill_case(case, prices)) is not None]
    kinds = [kind for kind in RequestKind if any(bill.requests_per_commit[kind] for _, bill in bills)]
    options = [option for choice in answer.choices for option in choice.options]
    months = {option.run.case.label: option.by_horizon.get(MONTH_S) for option in options}
    return table_of(
        f"Requests per commit and their price: {prices.source}, as of {prices.as_of}",
        (
            {
                "case": case.case.label,
                **{str(kind).upper(): format_figure(bill.requests_per_commit[kind]) for kind in kinds},
                **_sums(bill, months.get(case.case.label), prices),
            }
            for case, bill in bills
        ),
    )


def _sums(bill: Bill, month_bytes: float | None, prices: Prices) -> dict[str, str]:
    unit = prices.currency
    kept = ABSENT if month_bytes is None else format_sum(month_bytes / GIB * prices.storage_per_gib_month)
    return {
        f"{unit} per 1,000 commits": format_figure(bill.price_per_commit * 1000),
        f"requests, {unit} per month": format_sum(bill.requests_price_per_month),
        f"metadata kept, {unit} per month": format_sum(bill.metadata_price_per_month),
        f"data kept, {unit} per month": format_sum(bill.data_price_per_month),
        f"metadata of 30 days kept, {unit} per month": kept,
    }
