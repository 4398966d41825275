"""Engine `spark`, ready for use."""

from functools import partial

from wasim.errors import WasimError
from wasim.scenario import Case
from wasim.spark.drive.appends import open_appender
from wasim.spark.drive.engine import Engine, EngineSession, Target
from wasim.spark.drive.operations import operate

MOST_WRITERS = 64  # each is a thread with a Spark session of its own


def refuse_other_writers(case: Case) -> None:
    """Raises WasimError for writers other than this Spark, for more of them than it can run, and for arrivals."""
    own = case.writer.profile
    if own in ("flink", "pyiceberg"):
        raise WasimError(f"writer.profile is {own}, whose engine is its own. Give --engine {own}.")
    if case.writer.profile is not None:
        raise WasimError(
            f"writer.profile is {case.writer.profile}, which no engine here runs. Simulate it (wasim simulate), or take"
            " it out and give kind: streaming or batch."
        )
    if case.key_columns:
        raise WasimError(
            "writer.upsert of mode equality-deletes is Flink's. Give --engine flink, or mode copy-on-write or"
            " merge-on-read."
        )
    where = case.environment
    alone = not case.only_appends or where.store != "local" or where.catalog not in ("jdbc", "hadoop", "in_memory")
    if case.writer.tables > 1 and alone:
        raise WasimError(
            f"writer.tables is {case.writer.tables:,}, but to several tables engine spark only appends, in local files"
            " of a jdbc, hadoop or in_memory catalog. Simulate them (wasim simulate, plan), or give 1."
        )
    writers = case.writer.writers
    if writers > MOST_WRITERS:
        raise WasimError(f"writer.writers is {writers:,}, and {MOST_WRITERS} run here at most. Simulate them.")
    if writers > 1 and case.environment.store != "local":
        raise WasimError(
            f"writer.writers is {writers}, but requests to S3 cannot be assigned to a commit while several write."
            " Simulate them, or give environment.store: local."
        )
    if case.workload.active is not None:
        raise WasimError("workload.active is simulated only. Simulate it (wasim simulate), or take it out.")
    if case.writer.arrivals is not None:
        raise WasimError(
            f"writer.arrivals is {case.writer.arrivals}, which is simulated only: here the clock says when writers"
            " commit. Simulate it (wasim simulate), or take it out."
        )


def _open(target: Target) -> EngineSession:
    return EngineSession(appender=open_appender(target), operate=partial(operate, target))


# All else that a scenario describes Spark does
SPARK = Engine(name="spark", writes_data=True, check=refuse_other_writers, open=_open)
