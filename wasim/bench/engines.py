"""The engines that bench can carry out steps with, by name."""

from functools import partial

from wasim.bench.described import DescribedData, check_describable, refuse_flinks
from wasim.errors import WasimError
from wasim.scenario import Case
from wasim.spark import drive


def _check_is_sparks(case: Case) -> None:
    """Raises WasimError for what no Spark does; all else that a scenario describes it does."""
    refuse_flinks(case)


def _open_spark(target: drive.Target) -> drive.Crew:
    return drive.Crew(appender=drive.open_appender(target), operate=partial(drive.operate, target))


def _open_core(target: drive.Target) -> drive.Crew:
    appender = drive.CoreAppender(target, DescribedData(target.case, target.session.application_id))
    return drive.Crew(appender=appender, operate=appender.operate)


SPARK = drive.Engine(name="spark", writes_data=True, check=_check_is_sparks, open=_open_spark)
CORE = drive.Engine(name="core", writes_data=False, check=check_describable, open=_open_core)
ENGINES = {engine.name: engine for engine in (SPARK, CORE)}


def engine_named(name: str) -> drive.Engine:
    """The engine with that name. WasimError if there is none."""
    if name not in ENGINES:
        raise WasimError(f"--engine is {name!r}. Give {' or '.join(ENGINES)}.")
    return ENGINES[name]
