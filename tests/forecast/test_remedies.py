"""What the standard remedies would save: the forecasts' figures, the same on page and in JSON."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from support.synthetic import Sweep, synthetic_run

from wasim.fit import fit_run
from wasim.forecast import Remedies, find_remedies
from wasim.forecast.remedies import missing_remedies, with_change
from wasim.report.answer import Answer, answer_run
from wasim.report.pages.answer_cells import remedies_line, remedy_table
from wasim.runs import Run
from wasim.scenario import Case
from wasim.scenario.changes import ExpireSnapshots, Maintenance, RewriteManifests
from wasim.twin import Site, shipped_profile
from wasim.units import MONTH_S, format_bytes
from wasim.years import simulate_years

DAY_S = 86_400.0
EXPIRY = ExpireSnapshots(every=DAY_S, older_than=DAY_S)
REWRITING = RewriteManifests(every=DAY_S)
DELETION = {"write.metadata.delete-after-commit.enabled": "true", "write.metadata.previous-versions-max": "10"}


@pytest.fixture(scope="module")
def run() -> Run:
    return synthetic_run(sweep=Sweep(intervals_s=(60.0, 600.0), writers=("streaming",), horizon_s=6_000.0))


def answer_of(run: Run) -> Answer:
    return answer_run(run, fit_run(run))


def remedies_of(run: Run) -> Remedies | None:
    suggested = answer_of(run).suggested
    assert suggested is not None
    choice, option = suggested
    return find_remedies(option.run, choice.longer_s(option))


def of_cases(run: Run, **changed: object) -> Run:
    return replace(run, cases=tuple(replace(one, case=replace(one.case, **changed)) for one in run.cases))


@pytest.fixture(scope="module")
def remedies(run: Run) -> Remedies:
    found = remedies_of(run)
    assert found is not None
    return found


def test_figures_are_those_of_simulate_years(run: Run, remedies: Remedies) -> None:
    chosen = next(one for one in answer_of(run).choices)
    case = replace((chosen.chosen or chosen.options[-1]).run.case, horizon_s=MONTH_S)
    deleting = case.table.model_copy(update={"properties": DELETION})
    wanted: list[Case] = [
        case,
        replace(case, maintenance=Maintenance(expire_snapshots=EXPIRY)),
        replace(case, maintenance=Maintenance(rewrite_manifests=REWRITING)),
        replace(case, table=deleting),
        replace(case, table=deleting, maintenance=Maintenance(expire_snapshots=EXPIRY, rewrite_manifests=REWRITING)),
        replace(case, commit_interval_s=2 * case.commit_interval_s),
    ]
    for one, changed in zip(remedies.rows, wanted, strict=True):
        summed = simulate_years(changed, shipped_profile(changed), Site())
        assert one.forecast.written_bytes == pytest.approx(summed.totals.metadata_bytes, rel=1e-3), one.name
        for metric in ("metadata_on_disk_bytes", "manifests"):
            assert one.forecast.most(metric) == pytest.approx(summed.settled[metric], rel=1e-2), one.name


def test_remedies_save_what_they_are_for(remedies: Remedies) -> None:
    as_is, together = remedies.as_is.forecast, remedies.together
    expiry, rewriting, deletion = (one.forecast for one in remedies.alone)
    assert together is not None
    assert together.name == "all three together"
    assert expiry.written_bytes < as_is.written_bytes
    found = (rewriting, as_is, expiry, deletion)
    fewest, *others = (one.most("manifests") for one in found)
    assert fewest < min(others) == max(others)
    on_disk = "metadata_on_disk_bytes"
    assert deletion.most(on_disk) < as_is.most(on_disk)
    assert together.forecast.most(on_disk) < min(one.forecast.most(on_disk) for one in remedies.alone)
    assert remedies.longer.forecast.written_bytes < as_is.written_bytes
    assert remedies_line(remedies).startswith("Daily expiry, manifest rewriting and deletion after commit would cut")


def test_what_a_table_has_is_not_offered(run: Run) -> None:
    table = run.cases[0].case.table.model_copy(update={"properties": DELETION})
    kept = Maintenance(expire_snapshots=EXPIRY)
    found = remedies_of(of_cases(run, maintenance=kept))
    assert found is not None
    assert [one.name.split(",")[0] for one in found.rows[1:4]] == [
        "+ rewrite manifests",
        "+ delete metadata.json after commit",
        "both",
    ]
    found = remedies_of(of_cases(run, maintenance=kept, table=table))
    assert found is not None
    assert found.together is None
    assert len(found.rows) == 3


def test_expiry_goes_by_a_table_s_own_limits(run: Run) -> None:
    own = {"history.expire.max-snapshot-age-ms": "7200000", "history.expire.min-snapshots-to-keep": "5"}
    deleting = {"write.metadata.delete-after-commit.enabled": "true"}  # keeps a hundred
    (name, _, expiry), _, (_, words, _) = missing_remedies(with_change(run.cases[0].case, own | deleting))
    assert (name, words) == ("expire snapshots older than 2h, daily", "deletion after commit")
    assert expiry == Maintenance(expire_snapshots=ExpireSnapshots(every=DAY_S, older_than=7_200.0, retain_last=5))


def test_a_writer_that_cannot_keep_up_is_not_given_figures(run: Run) -> None:
    hasty = synthetic_run(sweep=Sweep(intervals_s=(1.0,), writers=("streaming",)))
    found = remedies_of(hasty)
    assert found is not None
    assert not found.as_is.forecast.keeps_up
    assert remedies_line(found).startswith(
        "Even with daily expiry, manifest rewriting and deletion after commit, no writer keeps up"
    )
    assert not any(one.forecast.keeps_up for one in found.rows)
    assert remedy_table(found).rows == ()


def test_expiry_lets_a_writer_keep_up_that_did_not() -> None:
    found = remedies_of(synthetic_run(sweep=Sweep(intervals_s=(5.0,), writers=("streaming",))))
    assert found is not None
    assert not found.as_is.forecast.keeps_up
    assert remedies_line(found).endswith("as it is, no writer keeps up (streaming every 5s).")


def test_what_years_refuses_has_no_remedies(run: Run) -> None:
    writer = run.cases[0].case.writer
    unknown = writer.model_copy(update={"profile": "no/such/profile.json"})
    assert remedies_of(of_cases(run, writer=unknown)) is None


def test_several_writers_have_remedies_within_a_band(run: Run) -> None:
    crowd = run.cases[0].case.writer.model_copy(update={"writers": 4, "kind": "batch"})
    found = remedies_of(of_cases(run, writer=crowd))
    assert found is not None
    assert found.as_is.forecast.band >= 0.1
    assert found.as_is.forecast.keeps_up
    assert (
        f"± {100 * found.as_is.forecast.band:.2g} %" in {row[0]: row[1] for row in remedy_table(found).rows}["as it is"]
    )


def test_page_and_summary_say_the_same(reported_sample: Path) -> None:
    page, summary = ((reported_sample / name).read_text() for name in ("report.html", "summary.json"))
    saved = json.loads(summary)["answer"]["remedies"]
    assert len(saved["remedies"]) == 6
    table = page[page.index('id="remedies"') : page.index('id="charts"')]
    for one in saved["remedies"]:
        cells = (
            format_bytes(one["metadata_bytes"]),
            format_bytes(one["metadata_on_disk_bytes"]),
            f"{one['manifests']:,}",
        )
        if not one["keeps_up"]:
            cells = ("–", "–", "–")
        row = next(row for row in table.split("<tr") if f">{one['remedy']}<" in row)
        assert all(f">{cell}<" in row or f">{cell} ±" in row for cell in cells)
    assert page.index('id="answer"') < page.index('id="remedies"') < page.index('id="charts"')


def test_nothing_is_summed_where_no_page_is_made() -> None:
    code = (
        "import sys, wasim.runner, wasim.report.pages; print(*(n for n in sys.modules if n.startswith('wasim.years')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
