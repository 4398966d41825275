"""The answer as plain JSON values, for summary.json."""

from typing import Any

from wasim.report.answer.choice import Answer, Choice
from wasim.report.answer.options import Option
from wasim.report.answer.sentences import conclude
from wasim.runs import Run
from wasim.units import DAY_S, MONTH_S, YEAR_S


def answer_document(answer: Answer, run: Run) -> dict[str, Any]:
    """The conclusion, and per table and writer the chosen interval with every option's figures."""
    return {
        "conclusion": conclude(answer, run),
        "currency": answer.currency,
        "choices": [_choice(choice) for choice in answer.choices],
    }


def _choice(choice: Choice) -> dict[str, Any]:
    return {
        "group": choice.group.name,
        "commit_interval_s": None if choice.chosen is None else choice.chosen.interval_s,
        "because": choice.because,
        "options": [_option(option) for option in choice.options],
    }


def _option(option: Option) -> dict[str, Any]:
    keeps_up = option.keeps_up
    until_s = None if keeps_up is None or keeps_up.until_s == float("inf") else keeps_up.until_s
    return {
        "commit_interval_s": option.interval_s,
        "metadata_bytes": option.metadata_bytes,
        "data_bytes": option.data_bytes,
        "planning_ms": option.planning_ms,
        "keeps_up_until_s": until_s,
        "keeps_up_rests_on": None if keeps_up is None else keeps_up.slope,
        "day_bytes": option.by_horizon.get(DAY_S),
        "month_bytes": option.by_horizon.get(MONTH_S),
        "year_bytes": option.by_horizon.get(YEAR_S),
        "month_price": option.month_price,
        "limits": [{"limit": one.limit, "value": one.value, "holds": one.holds} for one in option.verdicts],
    }
