"""What a run recommends, why, and what it says of it: two short sentences and the facts behind them."""

import json
from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import Sweep, Truth, synthetic_run

from wasim.contention import commit_slowing
from wasim.fit import FitReport, fit_run
from wasim.forecast import forecast_run
from wasim.ledger import METADATA_KINDS, Contention, Kind
from wasim.report.answer import Answer, answer_document, answer_run, conclude, measured_line, state_facts
from wasim.report.answer.choice import month_price
from wasim.report.modelled import find_keeps_up
from wasim.runs import CaseRun, Run, judge
from wasim.scenario.changes import Changes, Maintenance
from wasim.scenario.metrics import parse_limit
from wasim.scenario.prices import load_prices
from wasim.units import DAY_S, MONTH_S

NOTHING = FitReport(costs=(), latencies=(), held_out=(), sustainable=())
INTERVALS_S = (1.0, 5.0, 15.0, 30.0, 60.0)
SLOWING = Truth(snapshot_ms=0.5)


@pytest.fixture(scope="module")
def run() -> Run:
    return synthetic_run(SLOWING, Sweep(intervals_s=INTERVALS_S, writers=("streaming",)))


@pytest.fixture(scope="module")
def fit(run: Run) -> FitReport:
    return fit_run(run)


def judged(run: Run, fit: FitReport, **limits: str) -> Answer:
    outcomes = tuple(judge([parse_limit(metric, text) for metric, text in limits.items()], run))
    return answer_run(run, fit, outcomes, load_prices())


def test_the_shortest_interval_within_all_limits_is_chosen(run: Run, fit: FitReport) -> None:
    (choice,) = judged(run, fit, wa_metadata="< 0.5", manifests="<= 20").swept
    assert choice.chosen is not None
    assert (choice.chosen.interval_s, choice.because) == (15.0, "limits")
    kept = [[verdict.holds for verdict in option.verdicts] for option in choice.options]
    assert kept == [[False, False], [False, False], [True, True], [True, True], [True, True]]


def test_the_conclusion_within_limits(run: Run, fit: FitReport) -> None:
    assert conclude(judged(run, fit, wa_metadata="< 0.5"), run) == (
        "Shortest interval within all limits: 15s (streaming). Over 4m, 15s wrote 371 KiB of metadata."
    )


def test_limits_that_nothing_keeps_say_how_near_the_longest_comes(run: Run, fit: FitReport) -> None:
    assert conclude(judged(run, fit, manifests="<= 3"), run) == (
        "No interval of this sweep is within all limits. Even at 1m, manifests <= 3 is not met: 4."
    )


def test_without_limits_a_sustained_knee_is_chosen(run: Run) -> None:
    sweep = Sweep(intervals_s=INTERVALS_S, writers=("streaming",))
    steady = synthetic_run(Truth(snapshot_ms=0.0, load_ms=(1.5, 0.0)), sweep)
    fit = fit_run(steady)
    answer = answer_run(steady, fit, (), None, forecast_run(steady))
    choice = answer.swept[0]
    assert (choice.because, choice.chosen) == ("knee", choice.options[3])
    assert [option.keeps_up_for(MONTH_S) for option in choice.options] == [False, False, True, True, True]
    assert conclude(answer, steady) == (
        "Commit every 30s: against 15s it saves 75 % of the metadata and costs 15s of freshness. "
        "In the first month, without maintenance, 30s writes 3.69 TiB of metadata."
    )


def test_the_shorter_interval_is_chosen_where_the_others_stop() -> None:
    steady = synthetic_run(Truth(snapshot_ms=0.0), Sweep(intervals_s=(2.0, 10.0, 30.0), writers=("streaming",)))
    answer = answer_run(steady, fit_run(steady))
    (choice,) = answer.swept
    assert (choice.because, choice.chosen) == ("lasting", choice.options[1])
    assert "Commit every 10s: 2s stops after about " in conclude(answer, steady)


def test_a_sweep_that_does_not_keep_up_says_so(fit: FitReport, run: Run) -> None:
    short = replace(run, cases=run.cases[:2])
    answer = answer_run(short, fit)
    assert answer.swept[0].because == "none"
    stops = round(answer.swept[0].options[-1].keeps_up.until_s / 3600)  # type: ignore[union-attr]
    assert conclude(answer, short) == (
        f"No interval of this sweep keeps up for a month without maintenance. The longest, 5s, stops after {stops}h."
    )


def test_the_longer_interval_is_taken_unless_metadata_stays_below_data() -> None:
    pair = synthetic_run(Truth(snapshot_ms=0.0), Sweep(intervals_s=(30.0, 60.0), writers=("streaming",)))
    forecasts = forecast_run(pair)
    answer = answer_run(pair, fit_run(pair), (), None, forecasts)
    assert (answer.swept[0].because, answer.swept[0].chosen) == ("saving", answer.swept[0].options[1])
    assert conclude(answer, pair).startswith("Commit every 1m: against 30s it saves 75 % of the metadata and costs 30s")
    rich = replace(pair, cases=tuple(replace(one, ingested_bytes=2**40) for one in pair.cases))
    answer = answer_run(rich, fit_run(rich), (), None, forecasts)
    assert (answer.swept[0].because, answer.swept[0].chosen) == ("below_data", answer.swept[0].options[0])
    assert conclude(answer, rich) == (
        "Commit every 30s: its metadata stays below the data for a month. "
        "1m instead of 30s saves 75 % of the metadata and costs 30s of freshness."
    )
    year = [replace(one, case=replace(one.case, horizon_s=365 * DAY_S), ingested_bytes=1) for one in rich.cases]
    answer = answer_run(replace(rich, cases=tuple(year)), fit_run(rich), (), None, forecasts)
    assert answer.swept[0].because == "saving"  # by what that year wrote, whatever a month of it would


def test_two_intervals_of_unknown_months_are_compared_without_a_recommendation() -> None:
    pair = synthetic_run(sweep=Sweep(intervals_s=(1.0, 60.0)))
    answer = answer_run(pair, NOTHING)
    assert [choice.because for choice in answer.swept] == ["open", "open"]
    assert conclude(answer, pair) == (
        "1m instead of 1s saves 99.8 % of the metadata and costs 59s of freshness. "
        "Over 4m that is 64.3 KiB of metadata instead of 35.3 MiB."
    )


def test_cases_of_one_interval_are_compared_with_each_other() -> None:
    pair = synthetic_run(sweep=Sweep(intervals_s=(1.0,)))
    assert conclude(answer_run(pair, NOTHING), pair) == (
        "Over 4m, batch every 1s wrote the least metadata: 34.5 MiB. "
        "streaming every 1s wrote the most, 35.3 MiB; the difference is 2 %."
    )
    alone = replace(pair, cases=pair.cases[:1])
    assert conclude(answer_run(alone, NOTHING), alone) == "Over 4m, streaming every 1s wrote 35.3 MiB of metadata."
    nobody = replace(pair, cases=())
    assert conclude(answer_run(nobody, NOTHING), nobody).startswith("No case finished")


@pytest.mark.parametrize("limits", [{}, {"wa_metadata": "< 0.5"}, {"manifests": "<= 3"}])
def test_no_sentence_of_a_conclusion_has_more_than_twenty_words(
    run: Run, fit: FitReport, limits: dict[str, str]
) -> None:
    assert longest_sentence(conclude(judged(run, fit, **limits), run)) <= 20


def longest_sentence(text: str) -> int:
    return max(len(sentence.split()) for sentence in text.split(". "))


def test_nothing_is_foreseen_after_a_writer_stops_keeping_up(run: Run, fit: FitReport) -> None:
    options = answer_run(run, fit, (), None, forecast_run(run)).swept[0].options
    assert DAY_S in options[-1].by_horizon
    for option in options:
        assert option.keeps_up is not None
        assert all(horizon_s <= option.keeps_up.until_s for horizon_s in option.by_horizon)


def test_a_month_costs_its_requests_and_what_it_keeps(run: Run, fit: FitReport) -> None:
    prices, (option, *_) = load_prices(), answer_run(run, fit, (), load_prices()).swept[0].options
    assert option.month_price is None
    steady = synthetic_run(Truth(snapshot_ms=0.0), Sweep(intervals_s=(60.0,)))
    forecasts = forecast_run(steady)
    (first, _) = answer_run(steady, fit_run(steady), (), prices, forecasts).choices
    minute = first.options[0]
    month = forecasts.of(minute.run)[MONTH_S]
    kept = sum(month.run.totals.on_disk_bytes[kind] for kind in METADATA_KINDS) / 2**30 * prices.storage_per_gib_month
    files = sum(month.run.totals.files_written.values())
    assert files == pytest.approx(4 * 30 * 1440, rel=0.01)
    assert minute.month_price == pytest.approx(kept + files / 1000 * prices.per_1000_requests.put)


def test_small_files_are_said_in_a_sentence(run: Run, fit: FitReport) -> None:
    short, long = run.cases[0], run.cases[-1]
    more = round(100 * (short.totals.data_bytes / long.totals.data_bytes - 1))
    facts = state_facts(answer_run(run, fit), run)
    assert facts[0] == "5 of 5 cases finished, in 1m21s; every file written is accounted for."
    assert facts[-1] == f"Small files: 1s wrote {more} % more data than 1m for the same rows."


def test_what_was_measured_is_one_line(run: Run) -> None:
    assert measured_line(run) == (
        "100 rows a second in 10 columns; format v2; unpartitioned; default table properties; "
        "streaming for 4m of event time; real Spark and Iceberg, jdbc catalog, on local files"
    )


def test_a_simulation_in_sums_is_answered_too(run: Run) -> None:
    sampled = replace(run, cases=tuple(sums(case) for case in run.cases))
    answer = answer_run(sampled, NOTHING)
    assert len(answer.swept[0].options) == 5
    assert state_facts(answer, sampled)[0].startswith("5 of 5 cases finished")


def sums(case: CaseRun) -> CaseRun:
    """The case as an engine of sums returns it: some of the commits, no times, no probes."""
    ledger = case.ledger.head(len(case.ledger))
    some = replace(
        ledger,
        commit=ledger.commit * 1000,
        step_ms=np.full(len(ledger), np.nan),
        commit_ms=np.full(len(ledger), np.nan),
        entries_added=np.full(len(ledger), np.nan),
    )
    return replace(
        case,
        engine="sim",
        ledger=some,
        probes=(),
        approximated=("Rows' values are taken at their mean.",),
        wall_s=0.0,
        is_sampled=True,
    )


def test_a_commit_longer_than_its_interval_is_the_end(run: Run) -> None:
    case = sums(run.cases[0])
    assert find_keeps_up(case, NOTHING) is None
    large = {kind: written * 2**10 for kind, written in case.ledger.written_bytes.items()}
    huge = replace(case, ledger=replace(case.ledger, written_bytes=large))
    ends = find_keeps_up(huge, NOTHING)
    assert ends is not None
    assert ends.slope == "untimed"
    slowing = commit_slowing()
    longest = (1000 - slowing.base_ms) / slowing.ms_per_mib * 2**20
    first = int(np.argmax(huge.ledger.written_bytes[Kind.METADATA_JSON] > longest))
    assert 0 < first < len(huge.ledger) - 1
    assert ends.until_s == huge.ledger.commit[first]


def test_the_document_is_plain_json(run: Run, fit: FitReport) -> None:
    document = answer_document(judged(run, fit, wa_metadata="< 0.5"), run)
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert document["choices"][0]["commit_interval_s"] == 15.0
    assert document["choices"][0]["options"][0]["limits"][0]["holds"] is False


def test_policies_are_compared_with_the_first_of_the_sweep() -> None:
    run = synthetic_run(sweep=Sweep(intervals_s=(5.0, 60.0), writers=("streaming",)))
    half = tuple(
        replace(
            case,
            case=replace(case.case, swept={**case.case.swept, "table.format_version": "3"}),
            totals=replace(
                case.totals, written_bytes={kind: size // 2 for kind, size in case.totals.written_bytes.items()}
            ),
        )
        for case in run.cases
    )
    both = replace(run, cases=(*run.cases, *half))
    assert longest_sentence(conclude(answer_run(both, NOTHING), both)) <= 20
    assert conclude(answer_run(both, NOTHING), both) == (
        "At 5s, streaming format_version=3 writes the least metadata over 4m: 0.99 MiB, against 1.98 MiB (streaming). "
        "1m instead of 5s saves 97 % of the metadata and costs 55s of freshness (streaming)."
    )


def test_cases_that_change_rows_are_compared_by_data_and_metadata() -> None:
    pair = synthetic_run(sweep=Sweep(intervals_s=(5.0,)))
    changed = Changes.model_validate({"update": {"every": "1m", "rows": 10}})
    first, second = (replace(case, case=replace(case.case, changes=changed)) for case in pair.cases)
    more_data = replace(
        second, totals=replace(second.totals, written_bytes={**second.totals.written_bytes, Kind.DATA: 2**30})
    )
    run = replace(pair, cases=(first, more_data))
    assert conclude(answer_run(run, NOTHING), run).startswith(
        "Over 4m, streaming every 5s wrote the least data and metadata: 3.7"
    )


def test_several_writers_are_concluded_by_what_they_lost() -> None:
    pair = synthetic_run(sweep=Sweep(intervals_s=(5.0,), writers=("batch",)))
    case = pair.cases[0]
    crowd = replace(case.case, writer=case.case.writer.model_copy(update={"writers": 4}))
    lost = Contention(
        attempts=80,
        lost_attempts=30,
        failed={"CommitFailedException": 2},
        lost_bytes={},
        orphan_bytes={},
        orphan_files=0,
    )
    run = replace(pair, cases=(case, replace(case, case=crowd, contention=lost)))
    assert longest_sentence(conclude(answer_run(run, NOTHING), run)) <= 20
    assert conclude(answer_run(run, NOTHING), run).startswith(
        "4×batch lost most: 30 of 80 attempts, and 2 of 50 commits failed. Each commit that landed took "
    )


def test_a_single_interval_without_months_says_once_what_it_wrote() -> None:
    alone = synthetic_run(sweep=Sweep(intervals_s=(5.0,), writers=("streaming",)))
    fit = fit_run(alone)
    answer = answer_run(alone, fit, (), load_prices())
    assert len(answer.shown[0].options) == 1
    assert conclude(answer, alone) == "Over 4m, streaming every 5s wrote 1.98 MiB of metadata."
    facts = state_facts(answer, alone)
    assert facts[1].startswith("streaming every 5s: ")


def test_limits_that_a_simulation_cannot_judge_choose_nothing(run: Run, fit: FitReport) -> None:
    unjudged = {
        "limit": "planning_p95_ms < 50",
        "metric": "planning_p95_ms",
        "worst": None,
        "case": None,
        "holds": None,
    }
    unjudged["cases"] = [{"case": case.case.label, "value": None, "holds": None} for case in run.cases]
    answer = answer_run(run, fit, (unjudged,))
    assert not answer.limited
    assert "limits" not in conclude(answer, run)
    (judged_too,) = judge([parse_limit("wa_metadata", "< 0.5")], run)
    both = answer_run(run, fit, (unjudged, judged_too))
    assert conclude(both, run).startswith("Shortest interval within all limits that a simulation judges: 15s")
    assert both.swept[0].options[0].verdicts[0].text == "not judged"


def test_a_year_under_maintenance_costs_what_it_finally_keeps() -> None:
    (case,) = synthetic_run(sweep=Sweep(intervals_s=(3600.0,), writers=("streaming",), horizon_s=2 * MONTH_S)).cases
    expiry = Maintenance.model_validate({"expire_snapshots": {"every": "1d", "older_than": "5d"}})
    maintained = replace(case, case=replace(case.case, maintenance=expiry))
    prices = load_prices()
    price = month_price(maintained, None, prices)
    left = case.totals.metadata_bytes / 2**30 * prices.storage_per_gib_month
    puts = sum(case.totals.files_written.values()) / 2 / 1000 * prices.per_1000_requests.put
    assert price == pytest.approx(left + puts)
    assert month_price(replace(case, case=replace(case.case, horizon_s=DAY_S)), None, prices) is None
