"""When maintenance falls due on the way through a table's commits, computed by hand."""

from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import resting_case, synthetic_case

from wasim.scenario.changes import Maintenance, RewriteManifests
from wasim.workload import schedule
from wasim.years.arrivals import Arrivals
from wasim.years.jobs import interval_after, jobs_of

ARRIVALS = Arrivals(files=4.0, rows_per_file=25.0, partitions=5.0, open_partitions=5.0, lifetime_s=np.inf)


@pytest.mark.parametrize(
    ("idle_every", "rewritten_s", "before", "after"), [(10, 18, 1, 1), (10, 14, 0, 2), (10, 26, 2, 0), (1, 18, 13, 12)]
)
def test_another_job_parts_the_commits_of_nothing(idle_every, rewritten_s, before, after):
    """Rows come until 5 s of every 30; the interval that ends with the 18th second is the 13th without any."""
    upkeep = Maintenance.model_validate({"rewrite_manifests": {"every": float(rewritten_s)}})
    case = resting_case(60.0, idle_commit_every=idle_every).without_rests()
    first, _, later = jobs_of(replace(case, maintenance=upkeep), ARRIVALS)
    assert (first.operation, first.of_nothing(5.0), later.of_nothing(5.0)) == ("empty", before, after)


@pytest.mark.parametrize(("most", "parts"), [(1, 1), (2, 2), (3, 3), (4, 3), (9, 5)])
def test_five_groups_are_shared_out_evenly_over_commits(most, parts):
    job = {"every": 10.0, "partial_progress_commits": most}
    upkeep = Maintenance.model_validate({"rewrite_data_files": job})
    assert jobs_of(replace(synthetic_case(), maintenance=upkeep), ARRIVALS)[0].parts == parts


@pytest.mark.parametrize(
    ("least", "spread", "by_chance"), [(20, (0.5, 0.5), True), (20, (), False), (10**6, (1.0,), False)]
)
def test_few_files_of_chance_are_waited_for_by_chance(least, spread, by_chance):
    upkeep = Maintenance.model_validate({"rewrite_data_files": {"when_small_files": least}})
    (job,) = jobs_of(replace(synthetic_case(), maintenance=upkeep), replace(ARRIVALS, spread=spread))
    assert (job.runs, job.least, job.by_chance) == (None, least, by_chance)


def test_the_first_run_after_a_commit_has_its_interval():
    """Every 25 s of commits every 10 s: runs follow commits 2, 5, 7 and 10, of which the fourth ends the horizon."""
    case = synthetic_case(interval_s=10.0, horizon_s=100.0)
    runs = schedule(case, RewriteManifests(every=25.0))
    found = {commit: interval_after(runs, float(commit)) for commit in range(1, 14)}
    assert {commit: at for commit, at in found.items() if at < np.inf} == {2: 2.0, 5: 5.0, 7: 7.0, 10: 10.0}


def test_a_writer_that_rests_has_a_run_for_each_period():
    case = resting_case(90.0, idle_commit_every=1).without_rests()
    assert jobs_of(case, ARRIVALS)[0].runs.count == 3
