"""What carrying out a case needs, apart from the case."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wasim.runs import RunFolder
from wasim.spark import Session, drive
from wasim.spark.servers import Servers


def _ignore(commits: int) -> None:
    """Takes no notice of progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseContext:
    """Where a case is carried out, by which engine, under which key; `on_commits` takes the number of commits so far.

    `machine` is for pytest-benchmark's document.
    """

    session: Session
    folder: RunFolder
    key: str
    servers: Servers
    machine: Mapping[str, Any]
    on_commits: Callable[[int], None] = _ignore
    engine: drive.Engine = drive.SPARK

    @property
    def warehouse(self) -> Path:
        """The case's warehouse."""
        return self.folder.warehouse(self.key)

    @property
    def table_root(self) -> Path:
        """Where the case's table is when its store is local, under its warehouse."""
        return self.warehouse.joinpath(*drive.TABLE_NAME.split("."))
