"""The answer in words: two short sentences, and the facts behind them; and as JSON."""

from operator import itemgetter
from typing import Any

from wasim.fit.groups import name_without_interval
from wasim.fit.sustain import describe_keeping_up, describe_slope
from wasim.report.answer.choice import Answer, Choice, Option
from wasim.report.modelled import stops_keeping_up
from wasim.report.series import horizon_words, short_names
from wasim.report.words import format_share, format_sum
from wasim.runs import CaseRun, Run
from wasim.units import DAY_S, MONTH_S, YEAR_S, format_bytes, format_duration

MOST_WITH_FACTS = 3  # tables and writers that facts are stated for one by one
WORTH_NAMING = 0.05  # of data written more: what small files cost


def conclude(answer: Answer, run: Run) -> str:
    """Two sentences of at most twenty words each: which interval, or which case, and what it costs."""
    if not run.cases:
        return "No case finished, so there is nothing to conclude."
    if answer.limited:
        return " ".join(_within_limits(answer))
    if not answer.swept:
        option = answer.choices[0].options[0] if len(run.cases) == 1 and answer.shown else None
        costs = _cost(option) if option is not None and MONTH_S in option.by_horizon else ""
        return f"{_of_cases(run)} {costs}".strip()
    if _differ_beyond_writer(answer.swept):
        return " ".join(_of_groups(answer.swept))
    return " ".join(_at_the_knee(answer.swept[0], alone=len(answer.swept) == 1))


def _within_limits(answer: Answer) -> list[str]:
    found = [choice for choice in answer.choices if choice.chosen is not None]
    if not found:
        return ["No interval of this sweep is within all limits.", _nearest(answer)]
    named = ", ".join(f"{_interval(choice.chosen)} ({choice.group.name})" for choice in found[:3])
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    judged = all(verdict.holds is not None for verdict in found[0].options[0].verdicts)
    limits = "all limits" if judged else "all limits that a simulation judges"
    return [f"Shortest interval within {limits}: {named}{more}.", _cost(found[0].chosen)]


def _nearest(answer: Answer) -> str:
    option = answer.choices[0].options[-1]
    broken = next(verdict for verdict in option.verdicts if verdict.holds is False)
    return f"Even at {_interval(option)}, {broken.limit} is not met: {broken.text[2:]}."


def _at_the_knee(choice: Choice, *, alone: bool) -> list[str]:
    chosen, shorter = choice.chosen, choice.shorter
    first, last = choice.options[0], choice.options[-1]
    whose = "" if alone else f" ({choice.group.name})"
    if choice.because == "none":
        stops = describe_keeping_up(last.keeps_up) if last.keeps_up else "does not keep up"
        return [
            f"No interval of this sweep keeps up for {_judged(last)} without maintenance.",
            f"The longest, {_interval(last)}, {stops}.",
        ]
    if chosen is None:
        return [f"{_saving(first, last)}.", _costs(first, last)]
    if choice.because == "below_data":
        return [
            f"Commit every {_interval(chosen)}{whose}: its metadata stays below the data for {_judged(chosen)}.",
            f"{_saving(first, last)}.",
        ]
    if shorter is None:
        return [f"Commit every {_interval(chosen)}{whose}, the shortest interval of this sweep.", _cost(chosen)]
    if choice.because == "lasting":
        stops = f"{_interval(shorter)} {describe_keeping_up(shorter.keeps_up)}" if shorter.keeps_up else ""
        return [f"Commit every {_interval(chosen)}{whose}: {stops} without maintenance.", _cost(chosen)]
    return [f"Commit every {_interval(chosen)}{whose}: {_saving(shorter, chosen, named=False)}.", _cost(chosen)]


def _judged(option: Option) -> str:
    return "a month" if option.judged_s == MONTH_S else format_duration(option.judged_s)


def _saving(shorter: Option, longer: Option, *, named: bool = True) -> str:
    """`30s instead of 15s saves 75 % of the metadata and costs 15s of freshness`."""
    before, after = _comparable(shorter, longer)
    saved = 1 - after / before if before else 0.0
    given_up = format_duration(longer.interval_s - shorter.interval_s)
    start = (
        f"{_interval(longer)} instead of {_interval(shorter)} saves"
        if named
        else f"against {_interval(shorter)} it saves"
    )
    return f"{start} {format_share(saved)} of the metadata and costs {given_up} of freshness"


def _comparable(one: Option, other: Option) -> tuple[float, float]:
    """A month of both, or what both wrote over the run's horizon."""
    months = one.judged_bytes, other.judged_bytes
    if months[0] is not None and months[1] is not None:
        return months[0], months[1]
    return one.metadata_bytes, other.metadata_bytes


def _cost(option: Option | None) -> str:
    """`In the first month, without maintenance, 30s writes 3.91 TiB of metadata`, or what it wrote over the horizon."""
    if option is None:
        return ""
    month = option.by_horizon.get(MONTH_S)
    if month is not None:
        without = "" if option.run.case.has_maintenance else " without maintenance,"
        return f"In the first month,{without} {_interval(option)} writes {format_bytes(month)} of metadata."
    horizon = format_duration(option.run.case.horizon_s)
    return f"Over {horizon}, {_interval(option)} wrote {format_bytes(option.metadata_bytes)} of metadata."


def _costs(shorter: Option, longer: Option) -> str:
    before, after = (format_bytes(size) for size in _comparable(shorter, longer))
    by_month = MONTH_S in shorter.by_horizon and MONTH_S in longer.by_horizon
    over = "the first month" if by_month else format_duration(shorter.run.case.horizon_s)
    return f"Over {over} that is {after} of metadata instead of {before}."


def _of_groups(choices: tuple[Choice, ...]) -> list[str]:
    """Sentences on groups that differ in more than their writer: which writes least at the shortest interval."""
    base, names = choices[0], short_names([choice.group.name for choice in choices])
    by_interval = [_at(choices, option.interval_s) for option in base.options]
    of_months = (one for one in by_interval if all(MONTH_S in option.by_horizon for option in one.values()))
    of_month = next(of_months, None)
    by_month, options = of_month is not None, of_month or by_interval[0]

    def written(choice: Choice) -> float:
        option = options[choice.group.name]
        return option.by_horizon[MONTH_S] if by_month else option.metadata_bytes

    among = [choice for choice in choices if choice.group.name in options]
    least, interval_s = min(among, key=written), options[base.group.name].interval_s
    over = "in the first month" if by_month else f"over {format_duration(base.options[0].run.case.horizon_s)}"
    other = max(among, key=written) if least is base else base
    compared = (
        f"At {format_duration(interval_s)}, {names[least.group.name]} writes the least metadata {over}: "
        f"{format_bytes(written(least))}, against {format_bytes(written(other))} ({names[other.group.name]})."
    )
    first = base.options[0]
    if first.keeps_up is not None and not first.keeps_up_for(MONTH_S):
        return [compared, f"{_interval(first)} {describe_keeping_up(first.keeps_up)} ({names[base.group.name]})."]
    return [compared, f"{_saving(first, base.options[-1])} ({names[base.group.name]})."]


def _at(choices: tuple[Choice, ...], interval_s: float) -> dict[str, Option]:
    return {
        choice.group.name: option for choice in choices for option in choice.options if option.interval_s == interval_s
    }


def _differ_beyond_writer(choices: tuple[Choice, ...]) -> bool:
    """Whether some of the groups have the same writer, so that something else tells them apart."""
    writers = [choice.options[0].run.case.writer_name for choice in choices]
    return len(set(writers)) < len(writers)


def _of_cases(run: Run) -> str:
    in_all = any(not case.case.only_appends for case in run.cases)

    def written(case: CaseRun) -> int:
        return case.of_all_tables.metadata_bytes + (case.of_all_tables.data_bytes if in_all else 0)

    reached = [case for case in run.cases if stops_keeping_up(case) is None] or run.cases
    most, least = max(reached, key=written), min(reached, key=written)
    horizon, what = horizon_words(run), "data and metadata" if in_all else "metadata"
    if len(reached) == 1:
        wrote = "wrote" if stops_keeping_up(most) is None else "would have written, had it kept up,"
        return f"Over {horizon}, {most.case.label} {wrote} {format_bytes(written(most))} of {what}."
    if contended := _contended(run):
        return f"{contended} {_by_landed_commit(run)}"
    saved = format_share(1 - written(least) / max(written(most), 1))
    return (
        f"Over {horizon}, {least.case.label} wrote the least {what}: {format_bytes(written(least))}. "
        f"{most.case.label} wrote the most, {format_bytes(written(most))}; the difference is {saved}."
    )


def _contended(run: Run) -> str:
    """The case of concurrent writers that lost most; nothing where every case has one writer."""
    costs = [(one, one.contention) for one in run.cases if one.case.writer.writers > 1 and one.contention is not None]
    if not costs:
        return ""
    worst, cost = max(costs, key=lambda pair: pair[1].lost_share)
    return (
        f"{name_without_interval(worst.case)} lost most: {cost.lost_attempts:,} of {cost.attempts:,} attempts, and "
        f"{cost.failed_commits:,} of {worst.commits + cost.failed_commits:,} commits failed."
    )


def _by_landed_commit(run: Run) -> str:
    """Metadata per commit that landed, least and most: a case whose commits fail writes less, but not for less."""

    def by_commit(case: CaseRun) -> float:
        return case.totals.metadata_bytes / max(case.commits, 1)

    least, most = min(run.cases, key=by_commit), max(run.cases, key=by_commit)
    ends = (f"{format_bytes(by_commit(one))} ({name_without_interval(one.case)})" for one in (least, most))
    return f"Each commit that landed took {' to '.join(ends)} of metadata."


def state_facts(answer: Answer, run: Run) -> list[str]:
    """The facts behind the answer, most useful first, a sentence each; for the page."""
    facts = [_finished(run)]
    if len(answer.shown) <= MOST_WITH_FACTS:
        for choice in answer.shown:
            facts += _facts_of(choice, answer)
    else:
        facts += _facts_of_many(answer)
    if small_files := _small_files(answer):
        facts.append(small_files)
    return facts


def _finished(run: Run) -> str:
    total, wall_s = len(run.cases) + len(run.failures), sum(case.wall_s for case in run.cases)
    took = f", in {format_duration(round(wall_s))}" if wall_s >= 1 else ""
    checked = "" if any(case.engine == "sim" for case in run.cases) else "; every file written is accounted for"
    return f"{len(run.cases)} of {total} cases finished{took}{checked}."


def _facts_of(choice: Choice, answer: Answer) -> list[str]:
    option, facts = choice.options[0] if len(choice.options) == 1 else choice.chosen, []
    if option is not None:
        who = f"{choice.group.name} every {_interval(option)}"
        day, month = option.by_horizon.get(DAY_S), option.by_horizon.get(MONTH_S)
        if day is not None and month is not None:
            money = (
                f", for {format_sum(option.month_price)} {answer.currency} of requests and storage"
                if option.month_price is not None
                else ""
            )
            facts.append(
                f"{who}: {format_bytes(day)} of metadata in the first day, {format_bytes(month)} in the first "
                f"month{money}."
            )
        if option.keeps_up is not None:
            facts.append(f"{who}: {describe_keeping_up(option.keeps_up)} ({describe_slope(option.keeps_up)}).")
    others = [one for one in choice.options if one is not option]
    stops = [one for one in others if not one.keeps_up_for(MONTH_S) and one.keeps_up is not None]
    if stops:
        said = ", ".join(f"{_interval(one)} {describe_keeping_up(one.keeps_up)}" for one in stops if one.keeps_up)
        facts.append(f"{choice.group.name}, without maintenance: {said}.")
    return facts


def _facts_of_many(answer: Answer) -> list[str]:
    options = [choice.chosen or choice.options[0] for choice in answer.shown]
    facts = []
    months = [(month, option) for option in options if (month := option.by_horizon.get(MONTH_S)) is not None]
    months.sort(key=itemgetter(0))
    if len(months) > 1:
        range_ends = (f"{format_bytes(month)} ({option.run.case.label})" for month, option in (months[0], months[-1]))
        facts.append(f"Metadata in the first month: {' to '.join(range_ends)}.")
    ends = sorted((one.keeps_up for one in options if one.keeps_up is not None), key=lambda one: one.until_s)
    if ends and ends[0].until_s < MONTH_S:
        first, last = (describe_keeping_up(one) for one in (ends[0], ends[-1]))
        said = f"Each of {len(ends)} cases {first}"
        if first != last:
            said = f"Of {len(ends)} cases the first {first}, the last {last}"
        facts.append(f"{said} ({describe_slope(ends[0])}).")
    return facts


def _small_files(answer: Answer) -> str:
    """What short intervals cost in data: the same rows in more and smaller files."""
    for choice in answer.swept:
        first, last = choice.options[0], choice.options[-1]
        if first.run.case.only_appends and last.data_bytes and first.data_bytes / last.data_bytes > 1 + WORTH_NAMING:
            more = format_share(first.data_bytes / last.data_bytes - 1)
            return f"Small files: {_interval(first)} wrote {more} more data than {_interval(last)} for the same rows."
    return ""


def _interval(option: Option | None) -> str:
    return "" if option is None else format_duration(option.interval_s)


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
