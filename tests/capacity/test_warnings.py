"""What a plan warns of, and what it has no reason to warn of."""

from dataclasses import replace

import pytest
from support.by_hand import at_most, plain, some_figures, some_plan
from support.plans import a_request

from wasim.capacity import NO_MAINTENANCE, Figures, Plan, PlanRequest, Setting
from wasim.capacity.commits import LosingJob
from wasim.capacity.now import Money, Saving
from wasim.capacity.settings import Maintenance
from wasim.capacity.warnings import warnings_of
from wasim.contention import Footprint, LatencyRequest, commit_latency
from wasim.units import DAY_S, format_bytes

EXPIRING = Maintenance(expire_every_s=86_400.0, older_than_s=432_000.0, rewrite_every_s=None)
GZIPPED = Setting(interval_s=30.0, gzips_json=True, maintenance=EXPIRING)


def of(chosen: Figures, request: PlanRequest | None = None, **given: object) -> str:
    return "\n".join(warnings_of(some_plan([chosen], chosen, request, **given)))


def test_nothing_is_warned_of_where_nothing_is_the_matter():
    assert of(some_figures(GZIPPED)) == ""
    request = replace(a_request(), warnings=("Mind the gap.",))
    assert of(some_figures(GZIPPED), request) == "Mind the gap."
    assert [*warnings_of(some_plan([some_figures(GZIPPED)], None, request))] == ["Mind the gap."]


@pytest.mark.parametrize(
    ("stored", "text", "mark"),
    [(5e6, 6e6, None), (5e6 + 1, 6e6, "5 MB"), (1e6, 7e6 + 1, "7 MB"), (9e6, 9e6, "7 MB"), (10e6, 86e6, "50 MB")],
)
def test_the_largest_size_that_metadata_json_passes_is_named(stored: float, text: float, mark: str | None):
    read = Footprint(metadata_json_bytes=stored, json_text_bytes=text, manifest_list_bytes=1e3, manifest_bytes=1e3)
    said = of(some_figures(GZIPPED, metadata_json_bytes=stored, footprint=read))
    assert said.count("beyond") == (mark is not None)
    assert mark is None or f"gzipped to {format_bytes(stored)}: beyond {mark} (" in said


def test_what_is_stored_uncompressed_is_said_once():
    read = Footprint(metadata_json_bytes=60e6, json_text_bytes=60e6, manifest_list_bytes=1e3, manifest_bytes=1e3)
    said = of(some_figures(replace(GZIPPED, gzips_json=False), metadata_json_bytes=60e6, footprint=read))
    assert "metadata.json reaches 57.2 MiB of JSON: beyond 50 MB (a second a load)." in said


@pytest.mark.parametrize(("band", "warns"), [(0.25, False), (0.3, True)])
def test_figures_with_a_wide_band_are_ranges(band: float, warns: bool):
    chosen = some_figures(GZIPPED, metadata_bytes_per_day=10 << 20, bands={"metadata_bytes_per_day": band})
    said = "Metadata a day may be anything from 7.00 MiB to 13.0 MiB."
    assert of(chosen) == (said if warns else "")


@pytest.mark.parametrize(("count", "warns"), [(1_000, False), (1_001, True)])
def test_more_than_a_thousand_delete_files_are_warned_of(count: int, warns: bool):
    assert (f"{count:,} delete files are live" in of(some_figures(GZIPPED, delete_files=count))) == warns


def test_metadata_beyond_the_data_is_warned_of_unless_limited():
    assert of(some_figures(GZIPPED, wa_metadata=1.0)) == ""
    assert "more metadata than data" in of(some_figures(GZIPPED, wa_metadata=1.01))
    limited = replace(a_request(), limits=(at_most("wa_metadata", 5.0),))
    assert of(some_figures(GZIPPED, wa_metadata=1.01), limited) == ""


@pytest.mark.parametrize(("planning_ms", "warns"), [(2_990.0, False), (3_010.0, True)])
def test_rows_seen_a_tenth_later_than_asked_are_warned_of(planning_ms: float, warns: bool):
    said = of(some_figures(GZIPPED, planning_p50_ms=planning_ms))
    assert ("A row can be read after 33.0s at the most" in said) == warns
    shorter = some_figures(replace(GZIPPED, interval_s=10.0), planning_p50_ms=planning_ms)  # fresher than asked for
    assert of(shorter) == ""
    unasked = replace(a_request(), freshness_s=None)
    assert ("A row can be read" in of(some_figures(GZIPPED, planning_p50_ms=planning_ms), unasked)) == warns


def test_commits_to_several_tables_in_turn_delay_rows_too():
    commit = commit_latency(LatencyRequest(provider="s3", footprint=some_figures().footprint, commit_interval_s=30.0))
    chosen = some_figures(GZIPPED, commit=commit, planning_p50_ms=2_000.0)
    assert 100 < commit.p50_ms < 1_000
    assert of(chosen) == ""
    case = some_plan([chosen], chosen).case
    twelve = replace(case, writer=case.writer.model_copy(update={"kind": "batch", "tables": 12}))
    assert "A row can be read after" in of(chosen, case=twelve)


def test_a_job_that_always_fails_fails_all_of_its_runs():
    said = of(some_figures(GZIPPED), losing=(job(1.0, 0.5),), avoided=(10.0, job(1.0, 1.0)))
    assert said.count("100 %") == 2
    assert "it is 50 %" in said


def job(share: float, retried: float) -> LosingJob:
    return LosingJob(name="rewrite_manifests", share=share, share_retried=retried)


def test_a_job_that_loses_is_named_with_what_helps():
    said = of(some_figures(GZIPPED), losing=(job(0.4, 0.2),))
    assert "rewrite_manifests fails 40 % of its runs with a commit every 30s on local" in said
    assert "With commit.retry.num-retries=20 it is 20 %." in said
    hopeless = of(some_figures(GZIPPED), losing=(job(0.4, 0.21),))
    assert "More retries do not help (21 % with 20)" in hopeless
    avoided = of(some_figures(GZIPPED), avoided=(10.0, job(0.37, 0.3)))
    assert "10s would be preferred, but on local rewrite_manifests fails 37 %" in avoided
    left_out = of(some_figures(GZIPPED), avoided=(30.0, job(0.72, 0.6)))
    assert "with a commit every 30s on local it fails 72 % of its runs, and is left out" in left_out


def test_merge_appends_of_a_stream_are_at_least_once():
    merging = some_figures(replace(GZIPPED, appends="merge"))
    assert "at least once" in of(merging)
    assert "at least once" not in of(some_figures(replace(GZIPPED, appends="fast")))
    case = some_plan([merging], merging).case
    for changed in ({"kind": "batch"}, {"profile": "flink"}):
        other = replace(case, writer=case.writer.model_copy(update=changed))
        assert "at least once" not in of(merging, case=other)


def test_properties_that_the_statements_change_are_said():
    own = {"write.metadata.delete-after-commit.enabled": "false", "history.expire.max-snapshot-age-ms": "5000"}
    request = replace(a_request(), own_properties=own)
    kept = Maintenance(expire_every_s=3600.0, older_than_s=7200.0, rewrite_every_s=None)
    said = of(some_figures(replace(GZIPPED, maintenance=kept)), request)
    assert "change write.metadata.delete-after-commit.enabled from false to true." in said
    assert "change history.expire.max-snapshot-age-ms from 5000 to 7200000." in said
    same = replace(request, own_properties={"write.metadata.delete-after-commit.enabled": "true"})
    assert of(some_figures(GZIPPED), same) == ""
    assert "uncompressed, as the table's own properties say" in of(some_figures(plain()))
    assert "uncompressed, as its writer does" in of(some_figures(plain()), a_request().written_by("pyiceberg"))


def test_statements_without_expiry_are_warned_of():
    said = of(some_figures(replace(GZIPPED, maintenance=NO_MAINTENANCE)))
    assert "within the horizon of 10d: the statements have no expiry" in said


@pytest.mark.parametrize(("late_s", "warns"), [(None, False), (0.0, True)])
def test_what_no_writer_keeps_up_with_now_is_said(late_s: float | None, warns: bool):
    nothing = Money(month_1=0.0, month_12=0.0, year=0.0)
    now = some_figures(0.001, keeps_up_s=late_s)
    saving = Saving(now=now, now_money=nothing, then_money=nothing, once_bytes=0.0)
    assert ("keeps up with a commit every 1ms" in of(some_figures(GZIPPED), saving=saving)) == warns


@pytest.mark.parametrize(
    ("year", "kept_s", "said"),
    [
        (1.2, DAY_S, "A year costs 0.20 USD more than now: snapshots are kept for 5d, not 1d; --time-travel 1d keeps"),
        (1.2, 5 * DAY_S, "A year costs 0.20 USD more than now."),
        (1.2, None, "A year costs 0.20 USD more than now."),
        (1.04, DAY_S, ""),  # within the band
        (0.5, DAY_S, ""),
    ],
)
def test_a_plan_that_costs_more_than_now_says_why(year: float, kept_s: float | None, said: str):
    def kept(older_s: float | None) -> Setting:
        return replace(GZIPPED, maintenance=replace(NO_MAINTENANCE, expire_every_s=DAY_S, older_than_s=older_s))

    now, then = (Money(month_1=0.1, month_12=0.1, year=of_year) for of_year in (1.0, year))
    saving = Saving(now=some_figures(kept(kept_s)), now_money=now, then_money=then, once_bytes=0.0)
    found = of(some_figures(kept(5 * DAY_S)), saving=saving)
    assert said in found
    assert bool(said) == ("more than now" in found)


@pytest.mark.parametrize(
    ("later", "bound", "said"),
    [
        ({"manifests": 50.0, "planning_p50_ms": 1000}, 50, ""),
        ({"manifests": 51.0, "planning_p50_ms": 1200}, 50, "a year on, manifests 51, beyond 50. "),
        ({"planning_p50_ms": 1201}, 50, "a year on, planning takes 1.20s. --horizon 365d plans for that"),
    ],
)
def test_what_grows_on_after_the_horizon_is_said(later: dict[str, float], bound: float, said: str):
    nothing, held = Money(month_1=0.0, month_12=0.0, year=0.0), {"planning_p50_ms": 600, "manifests": 20}
    chosen, in_a_year = some_figures(GZIPPED, **held), some_figures(GZIPPED, **held | later)
    saving = Saving(now=None, now_money=None, then_money=nothing, once_bytes=0.0, in_a_year=in_a_year)
    request = replace(a_request(), limits=(at_most("manifests", bound),))
    found = of(chosen, request, saving=saving)
    assert said in found
    assert found.count("It goes on growing") == bool(said)
    longer = replace(request, document={**request.document, "horizon": "365d"})
    assert of(chosen, longer, saving=saving) == ""


def test_a_warning_is_of_the_plan_s_choice() -> None:
    late = some_figures(GZIPPED, metadata_json_bytes=60e6)
    plan: Plan = some_plan([late, some_figures(60.0)], some_figures(GZIPPED))
    assert [*warnings_of(plan)] == []
