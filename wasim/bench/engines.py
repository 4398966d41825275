"""The engines that bench can carry out steps with, by name."""

from wasim import drive
from wasim.bench.described import DescribedData, check_describable
from wasim.errors import WasimError
from wasim.scenario import Case


def _appends_only(target: drive.Target, step: drive.Operation) -> None:
    raise WasimError(f"Engine core does not model the step {step.operation}. Use --engine spark.")


def _models_every_case(case: Case) -> None:
    """Engine spark is what a scenario describes."""


def _open_core(target: drive.Target) -> drive.Appender:
    return drive.CoreAppender(target, DescribedData(target.case, target.session.application_id))


SPARK = drive.Engine(
    name="spark", writes_data=True, check=_models_every_case, open_appender=drive.open_appender, operate=drive.operate
)
CORE = drive.Engine(
    name="core", writes_data=False, check=check_describable, open_appender=_open_core, operate=_appends_only
)
ENGINES = {engine.name: engine for engine in (SPARK, CORE)}


def engine_named(name: str) -> drive.Engine:
    """The engine with that name. WasimError if there is none."""
    if name not in ENGINES:
        raise WasimError(f"--engine is {name!r}. Give {' or '.join(ENGINES)}.")
    return ENGINES[name]
