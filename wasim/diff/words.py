"""Differences in words: a line for each, a table of its figures, one JSON document, and a comment to post."""

from collections.abc import Iterator
from typing import Any

from wasim.capacity.request import place_words
from wasim.capacity.words import judged_words, limit_words, value_words
from wasim.diff.difference import Difference, Differences, Kept
from wasim.report.gate import Figure, Gate, Verdict, judge_growth
from wasim.report.tables import Comment, Judged, TextTable, render_comment, table_lines, table_of
from wasim.report.words import ABSENT
from wasim.units import format_times

MARKER = "wasim diff"
HEADLINED = ("metadata_bytes_per_day", "monthly_cost", "metadata_json_bytes", "planning_p50_ms")
_SAME = 0.005  # a relative change that is not worth a word


def judge_differences(differences: Differences, gate: Gate | None, *, fails_on_missing: bool) -> Verdict:
    """The gate's verdict on all figures; what was not read counts as missing."""
    figures = ((one.name, figure) for one in differences.found for figure in one.figures)
    return judge_growth(figures, gate, missing=differences.unread, fails_on_missing=fails_on_missing)


def headline(difference: Difference) -> str:
    """`1m → 10s: metadata a day 1.00 → 34.2 GiB, + 52.10 USD a month, limit metadata_json_bytes breached`."""
    changes = difference.changes[:2]
    more = f" and {len(difference.changes) - 2} more" if len(difference.changes) > 2 else ""
    by_metric = {figure.metric: figure for figure in difference.figures}
    parts = [said for metric in HEADLINED if (said := _moved(by_metric[metric], difference.currency))]
    parts += [f"limit `{one.limit.metric}` breached" for one in difference.broken]
    if not difference.keeps_up[1]:
        before = "" if difference.keeps_up[0] else ", as before"
        parts.append(f"commits will take longer than the interval{before}")
    changed = f"{', '.join(changes)}{more}" or "nothing that is counted"
    return f"{changed}: {', '.join(parts) or 'no figure changes'}"


def _moved(figure: Figure, currency: str) -> str:
    """`metadata a day 1.00 → 34.2 GiB`; empty where it stays as it is."""
    before, after = figure.before or 0.0, figure.after or 0.0
    if abs(after - before) <= _SAME * max(abs(before), abs(after)):
        return ""
    if figure.metric == "monthly_cost":
        change = value_words(figure.metric, abs(after - before), currency)
        return f"{'+' if after > before else '−'} {change} a month"
    one, other = (value_words(figure.metric, value, currency) for value in (before, after))
    unit = other.rpartition(" ")[2]
    shared = one.removesuffix(f" {unit}") if " " in other else one
    return f"{figure.name} {shared} → {other}"


def figures_table(difference: Difference) -> TextTable:
    """A row per metric: before, after, their ratio, and the band of the figure after."""
    return table_of(difference.name, (_row(figure, difference) for figure in difference.figures))


def _row(figure: Figure, difference: Difference) -> dict[str, str]:
    before, after = (
        ABSENT if value is None else value_words(figure.metric, value, difference.currency)
        for value in (figure.before, figure.after)
    )
    ratio = ABSENT if figure.ratio is None else format_times(figure.ratio)
    band = difference.bands.get(figure.metric, 0.0)
    share = f"{band * 100:.2g} %" if band else ABSENT
    return {"": figure.name, "before": before, "after": after, "ratio": ratio, "±": share}


def difference_lines(differences: Differences) -> Iterator[str]:
    """For a terminal: the headline of each difference, its table, its limits and notes; then what was not read."""
    for one in differences.found:
        yield f"{one.name}: {headline(one)}"
        yield from (f"  {line}" for line in table_lines(figures_table(one)))
        yield from (f"  limit {_limit_text(kept, one.currency)}" for kept in one.limits)
        yield from (f"  limit {said}" for said in one.not_judged)
        yield from (f"  {note}" for note in one.notes)
        yield ""
    if not differences.found:
        yield f"{_title(differences)}."
    yield from (f"Not compared: {one}." for one in differences.unread)
    yield from _remarks(differences)


def _remarks(differences: Differences) -> tuple[str, ...]:
    """Where files lie, as their metadata repeats that, and what was assumed."""
    return (*dict.fromkeys(place_words(one.location) for one in differences.found), *differences.assumed)


def _limit_text(kept: Kept, currency: str) -> str:
    value, bound = judged_words(kept.limit, kept.value, currency), limit_words(kept.limit, currency)
    state = "holds" if kept.after else "breached" if kept.before else "breached, before the change too"
    return f"`{kept.limit.metric}` {bound}: {value}, {state}"


def differences_comment(differences: Differences, verdict: Verdict, link: str = "") -> str:
    """The comment for a pull request: what changes first, the tables folded."""
    judged = [Judged(text=verdict.sentence, holds=verdict.passed)] if verdict.asked else []
    judged += [Judged(text=line, holds=False) for line in verdict.lines]
    for one in differences.found:
        place = f"{one.name}: " if len(differences.found) > 1 else ""
        judged += [Judged(text=f"{place}{_limit_text(kept, one.currency)}", holds=kept.after) for kept in one.limits]
    several = len(differences.found) > 1
    said = [f"**{one.name}**: {headline(one)}" for one in differences.found] if several else []
    notes = [note for one in differences.found for note in (*one.not_judged, *one.notes)]
    return render_comment(
        Comment(
            marker=MARKER,
            headline=_title(differences),
            judged=judged,
            notes=[*said, *dict.fromkeys(notes), *(f"Not compared: {one}." for one in differences.unread)],
            details=[figures_table(one) for one in differences.found],
            remarks=_remarks(differences),
            link=link,
        )
    )


def _title(differences: Differences) -> str:
    if not differences.found:
        within = "in what was compared" if differences.unread else "that wasim counts"
        return f"Nothing changes {within}" if differences.compared else "Nothing was compared"
    if len(differences.found) == 1:
        return headline(differences.found[0])
    costs = [one for found in differences.found for one in found.figures if one.metric == "monthly_cost"]
    cost = sum((one.after or 0.0) - (one.before or 0.0) for one in costs)
    sign = "+" if cost >= 0 else "−"
    money = value_words("monthly_cost", abs(cost), differences.found[0].currency)
    return f"{len(differences.found)} tables change: {sign} {money} a month in all"


def differences_document(differences: Differences, verdict: Verdict) -> dict[str, Any]:
    """All of it as plain JSON values."""
    return {
        "schema_version": 1,
        "verdict": verdict.document(),
        "differences": [
            {
                "name": one.name,
                "headline": headline(one),
                "changes": list(one.changes),
                "figures": [{**figure.document(), "band": one.bands[figure.metric]} for figure in one.figures],
                "limits": [
                    {
                        "metric": kept.limit.metric,
                        "bound": kept.limit.bound,
                        "value": kept.value,
                        "held": kept.before,
                        "holds": kept.after,
                    }
                    for kept in one.limits
                ],
                "not_judged": list(one.not_judged),
                "keeps_up": {"before": one.keeps_up[0], "after": one.keeps_up[1]},
                "tables": {"before": one.tables[0], "after": one.tables[1]},
                "location": one.location,
                "currency": one.currency,
                "notes": list(one.notes),
            }
            for one in differences.found
        ],
        "unread": list(differences.unread),
        "assumed": list(differences.assumed),
    }


def difference_records(differences: Differences) -> list[dict[str, Any]]:
    """One flat record per figure of every difference."""
    return [{"table": one.name, **figure.document()} for one in differences.found for figure in one.figures]
