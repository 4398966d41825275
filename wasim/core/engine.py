"""Engine `core`, ready for use."""

from wasim.core.appender import CoreAppender
from wasim.core.checks import check_describable
from wasim.core.described import DescribedData
from wasim.spark.drive import Engine, EngineSession, Target


def _open(target: Target) -> EngineSession:
    appender = CoreAppender(target, DescribedData(target.case, target.session.application_id))
    return EngineSession(appender=appender, operate=appender.operate)


CORE = Engine(name="core", writes_data=False, check=check_describable, open=_open)
