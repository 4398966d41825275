"""Engine `spark`, ready for use."""

from functools import partial

from wasim.errors import WasimError
from wasim.scenario import Case
from wasim.spark.drive.appends import open_appender
from wasim.spark.drive.engine import Crew, Engine, Target
from wasim.spark.drive.operations import operate


def refuse_flinks(case: Case) -> None:
    """Raises WasimError for upserts by equality deletes, which are Flink's."""
    if case.key_columns:
        raise WasimError(
            "writer.upsert of mode equality-deletes is Flink's, and no engine here runs Flink. Simulate it (wasim"
            " simulate), or give mode copy-on-write or merge-on-read."
        )


def _open(target: Target) -> Crew:
    return Crew(appender=open_appender(target), operate=partial(operate, target))


# All else that a scenario describes Spark does
SPARK = Engine(name="spark", writes_data=True, check=refuse_flinks, open=_open)
