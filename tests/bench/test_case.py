"""What surrounds the steps of a case."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from support.contexts import context_of

from wasim.bench.case import warm_up
from wasim.scenario import Case
from wasim.spark import Session
from wasim.spark.servers import Servers


def test_a_warm_up_clears_away_what_a_killed_one_left(
    session: Session, servers: Servers, tmp_path: Path, small_case: Callable[..., Case]
) -> None:
    case = small_case(environment="{warm_up_commits: 2}")
    context = replace(context_of("core", case, session, servers, tmp_path), key="warm-up")
    (context.warehouse / "journal").mkdir(parents=True)
    (context.warehouse / "journal" / "spark").write_text("cut off")
    warm_up(case, context)
    assert not context.warehouse.exists()
