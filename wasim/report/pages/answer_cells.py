"""The answer as tables: what each interval means, which limits it keeps, and what the remedies would save."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wasim.fit.sustain import describe_keeping_up, round_duration
from wasim.report.answer import Answer, Choice, Option
from wasim.report.modelled import stops_keeping_up
from wasim.report.series import horizons_s
from wasim.report.tables import TextTable, table_of
from wasim.report.words import ABSENT, format_sum, listed
from wasim.runs import Run
from wasim.runs.limits import measure
from wasim.units import DAY_S, MONTH_S, YEAR_S, format_bytes, format_duration, format_figure

if TYPE_CHECKING:
    from wasim.forecast import Forecast, Remedies


CHOSEN = "→"  # marks the interval that the run recommends
LEAST_BAND = 0.005  # of what is written: narrower ones are not worth a word


def options_table(answer: Answer, run: Run) -> TextTable:
    """One row per interval and writer, sorted by interval: bytes, data, planning, until when it keeps up, and money.

    Empty where no writer has two intervals and no day of any case is known. Columns that no row can fill are left out.
    """
    horizons = horizons_s(run)
    over = f"in {format_duration(horizons[0])}" if len(horizons) == 1 else "in its horizon"
    columns = {
        over: lambda option: _figure(option, option.metadata_bytes),
        "metadata.json size": lambda option: _figure(option, measure(option.run, "metadata_json_bytes")),
        "first day": lambda option: _of_horizon(option, DAY_S),
        "first month": lambda option: _of_horizon(option, MONTH_S),
        f"store, {answer.currency} a month": lambda option: (
            ABSENT if option.month_price is None else format_sum(option.month_price)
        ),
        "data": lambda option: format_bytes(option.data_bytes),
        "planning ms": lambda option: ABSENT if option.planning_ms is None else format_figure(option.planning_ms),
        "keeps up": _keeps_up,
    }
    for name, horizon_s in (("first day", DAY_S), ("first month", MONTH_S)):
        if horizons == [horizon_s]:
            del columns[name]
    options = [option for choice in answer.shown for option in choice.options]
    tells_more = bool(answer.swept) or any(DAY_S in option.by_horizon for option in options)
    rows = _by_interval(answer.shown) if tells_more else []
    cells = {name: [cell(option) for _, option in rows] for name, cell in columns.items()}
    known = {name: column for name, column in cells.items() if any(text != ABSENT for text in column)}
    marks = [f"{CHOSEN} is what this run suggests"] if any(choice.chosen for choice, _ in rows) else []
    marks += ["≈ an estimate"] if any("≈" in text for text in cells["keeps up"]) else []
    return table_of(
        f"Metadata by commit interval{'; ' if marks else ''}{', '.join(marks)}",
        (
            _named(choice, option) | {name: column[at] for name, column in known.items()}
            for at, (choice, option) in enumerate(rows)
        ),
        words=["writer"],
        spare=("data", "first day"),
    )


def options_remarks(answer: Answer) -> list[str]:
    """Where the figures of `options_table` come from, a sentence each, as far as this run has them."""
    options = [option for choice in answer.shown for option in choice.options]
    remarks = []
    if any(one.by_horizon for one in options):
        band = max(one.forecast_band for one in options)
        width = f" (± {band * 100:.2g} %)" if band else ""
        remarks.append(f"The first day and month are simulated, maintenance included{width}.")
    if any(one.month_price is not None for one in options):
        remarks.append("Store: a month's requests, and the metadata it leaves; `wasim plan` adds queries and jobs.")
    if any(not one.keeps_up_for(MONTH_S) for one in options):
        remarks.append("–: the writer falls behind before then.")
    if any(one.planning_ms is not None for one in options):
        remarks.append("Planning is reading metadata.json and planning a full scan: median, warm, at the end.")
    return remarks


def horizons_table(answer: Answer) -> TextTable:
    """Metadata that each case writes over longer horizons, one row per table, writer and interval.

    A horizon that the writer does not reach, because it stops keeping up before, has no figure but says when.
    """
    options = [(choice.group.name, option) for choice in answer.choices for option in choice.options]
    horizons = sorted({horizon_s for _, option in options for horizon_s in option.by_horizon})
    named = tuple(format_duration(horizon) for horizon in horizons)
    rows = []
    for name, option in options:
        cells = [_of_horizon(option, horizon) for horizon in horizons]
        stop = next((at for at, horizon in enumerate(horizons) if not option.keeps_up_for(horizon)), None)
        if stop is not None and option.keeps_up is not None:
            cells[stop] = describe_keeping_up(option.keeps_up)
        rows.append((name, format_duration(option.interval_s), *cells))
    return TextTable(
        caption="Metadata written: simulated, but where the run itself was as long",
        head=("interval", *named),
        rows=tuple(rows) if horizons else (),
        figures=named,
        grouped=True,
    )


def matrix_table(answer: Answer) -> TextTable:
    """Every interval against every limit: whether it is kept, and the value. Empty without limits."""
    return table_of(
        f"Which interval keeps which limit; {CHOSEN} is the shortest within them all",
        (
            _named(choice, option) | {verdict.limit: verdict.text for verdict in option.verdicts}
            for choice, option in (_by_interval(answer.choices) if answer.limited else [])
        ),
        words=["writer"],
    )


def _by_interval(choices: Sequence[Choice]) -> list[tuple[Choice, Option]]:
    pairs = [(choice, option) for choice in choices for option in choice.options]
    return sorted(pairs, key=lambda pair: pair[1].interval_s)


def _named(choice: Choice, option: Option) -> dict[str, str]:
    mark = f"{CHOSEN} " if option is choice.chosen else ""
    return {"interval": f"{mark}{format_duration(option.interval_s)}", "writer": choice.group.name}


def _of_horizon(option: Option, horizon_s: float) -> str:
    size = option.by_horizon.get(horizon_s)
    return ABSENT if size is None else format_bytes(size)


def _figure(option: Option, size: float | None) -> str:
    return ABSENT if stops_keeping_up(option.run) else format_bytes(size or 0.0)


def _keeps_up(option: Option) -> str:
    """`≈ 13h` where nothing slowed down and Iceberg's library is the measure, `13h` where it did, `> 1y`."""
    if option.keeps_up is None:
        return ABSENT
    until_s = option.keeps_up.until_s
    if until_s < option.interval_s:
        return "no"
    if until_s >= YEAR_S:
        return "> 1y"
    if option.keeps_up.slope == "simulated":
        return f"> {round_duration(until_s, figures=2)}"
    return f"{'' if option.keeps_up.slope == 'measured' else '≈ '}{round_duration(until_s, figures=2)}"


def remedy_table(remedies: "Remedies") -> TextTable:
    """One row per remedy: metadata written over the horizon, and the most on disk and live manifests in its later half.

    Empty where no remedy lets a writer keep up that long.
    """
    over = format_duration(remedies.case.horizon_s)
    has_figures = any(one.forecast.keeps_up for one in remedies.rows)
    return table_of(
        f"{remedies.case.label}: {over} simulated, as it is and with each remedy",
        ({"remedy": one.name, **_figures(one.forecast, over)} for one in (remedies.rows if has_figures else ())),
    )


def _figures(found: "Forecast", over: str) -> dict[str, str]:
    width = f" ± {found.band * 100:.2g} %" if found.band >= LEAST_BAND else ""
    figures = {
        f"metadata written in {over}": f"{format_bytes(found.written_bytes)}{width}",
        "on disk, most": format_bytes(found.most("metadata_on_disk_bytes")),
        "manifests, most": f"{found.most('manifests'):,}",
    }
    return figures if found.keeps_up else dict.fromkeys(figures, ABSENT)


def remedies_line(remedies: "Remedies") -> str:
    """What all remedies together would save, in a sentence; empty where they save nothing."""
    best, before = remedies.together or next(iter(remedies.alone), None), remedies.as_is.forecast
    on_disk = "metadata_on_disk_bytes"
    if best is None or (before.keeps_up and best.forecast.most(on_disk) >= before.most(on_disk)):
        return ""
    case, words = remedies.case, listed(remedies.together_words)
    over = format_duration(case.horizon_s)
    writer = f"{case.writer_name} every {format_duration(case.commit_interval_s)}"
    if not best.forecast.keeps_up:
        return f"Even with {words}, no writer keeps up for {over} ({writer})."
    what, after = f"{words[0].upper()}{words[1:]} would", format_bytes(best.forecast.most(on_disk))
    if not before.keeps_up:
        return f"{what} leave {after} of metadata on disk after {over}; as it is, no writer keeps up ({writer})."
    cut = f"from {format_bytes(before.most(on_disk))} to {after}"
    return f"{what} cut metadata on disk after {over} {cut} ({writer})."


def remedies_document(remedies: "Remedies | None") -> dict[str, Any] | None:
    """The remedies as plain JSON values, for summary.json."""
    if remedies is None:
        return None
    return {
        "case": remedies.case.label,
        "horizon_s": remedies.case.horizon_s,
        "remedies": [
            {
                "remedy": one.name,
                "metadata_bytes": one.forecast.written_bytes,
                **{name: one.forecast.most(name) for name in ("metadata_on_disk_bytes", "manifests")},
                "metadata_bytes_band": one.forecast.band,
                "keeps_up": one.forecast.keeps_up,
            }
            for one in remedies.rows
        ],
    }
