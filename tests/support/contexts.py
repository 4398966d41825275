"""Where tests carry cases out on an engine."""

from collections.abc import Callable
from pathlib import Path

from wasim.bench import engine_named
from wasim.bench.probing import CaseContext
from wasim.ledger import FileEvents
from wasim.ledger.parquet import read_columns
from wasim.runs import RunFolder
from wasim.scenario import Case
from wasim.spark import Session
from wasim.spark.servers import Servers


def context_of(
    engine: str,
    case: Case,
    session: Session,
    servers: Servers,
    path: Path,
    on_commits: Callable[[int], None] = lambda commits: None,
) -> CaseContext:
    """Where a case is carried out on the engine of that name, below `path`."""
    folder = RunFolder(path / engine)
    (folder.path / "cases").mkdir(parents=True, exist_ok=True)
    return CaseContext(
        session=session,
        folder=folder,
        key=case.key({"engine": engine}),
        machine={},
        on_commits=on_commits,
        servers=servers,
        engine=engine_named(engine),
    )


def events_of(context: CaseContext) -> FileEvents:
    """The events that a case was recorded by."""
    return read_columns(context.folder.case(context.key) / "events.parquet", FileEvents)
