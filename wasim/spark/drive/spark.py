"""Engine `spark`, ready for use."""

from functools import partial

from wasim.errors import WasimError
from wasim.scenario import Case
from wasim.spark.drive.appends import open_appender
from wasim.spark.drive.engine import Engine, EngineSession, Target
from wasim.spark.drive.operations import operate


def refuse_other_writers(case: Case) -> None:
    """Raises WasimError for writers other than this Spark: those that have a profile, and upserts that are Flink's."""
    own = case.writer.profile
    if own in ("flink", "pyiceberg") and not case.key_columns:
        raise WasimError(f"writer.profile is {own}, whose engine is its own. Give --engine {own}.")
    if case.writer.profile is not None:
        raise WasimError(
            f"writer.profile is {case.writer.profile}, which no engine here runs. Simulate it (wasim simulate), or take"
            " it out and give kind: streaming or batch."
        )
    if case.key_columns:
        raise WasimError(
            "writer.upsert of mode equality-deletes is Flink's, and engine flink only appends. Simulate it (wasim"
            " simulate), or give mode copy-on-write or merge-on-read."
        )


def _open(target: Target) -> EngineSession:
    return EngineSession(appender=open_appender(target), operate=partial(operate, target))


# All else that a scenario describes Spark does
SPARK = Engine(name="spark", writes_data=True, check=refuse_other_writers, open=_open)
