"""What recording adds to the commits: the same appends with and without the recorder, in turn, in one process.

`make overhead` runs it and prints the ratio of the medians, with the reading of the journal counted in; and, as a
check that nothing grows with a table's age, the ratio in the first and in the second half of the commits.
"""

import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from wasim import collect
from wasim.ledger.vocabulary import CREATE_TABLE
from wasim.scenario import Case, load_scenario
from wasim.spark import DEFAULT_MASTER, JdbcCatalog, Journal, Session, drive, open_session
from wasim.units import Floats

COMMITS = 150
WARM_UP_COMMITS = 40
GOAL = 1.05
SCENARIO = """
name: overhead
question: What does recording add to a commit?
table:
  columns: [{name: reading, type: double, count: 8}]
workload: {rows_per_second: 200}
horizon: 1h
commit_interval: 1s
writer: batch
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overhead:
    """Milliseconds per commit, recorded and bare, pair by pair; `collecting_ms` is reading the journal, per commit."""

    recorded_ms: Floats
    bare_ms: Floats
    collecting_ms: float

    @property
    def ratio(self) -> float:
        """Recorded ÷ bare: medians, the reading of the journal counted in."""
        return float((np.median(self.recorded_ms) + self.collecting_ms) / np.median(self.bare_ms))

    @property
    def ratio_by_half(self) -> tuple[float, float]:
        """The ratio of the first and of the second half of the pairs."""
        half = len(self.bare_ms) // 2
        early = replace(self, recorded_ms=self.recorded_ms[:half], bare_ms=self.bare_ms[:half])
        late = replace(self, recorded_ms=self.recorded_ms[half:], bare_ms=self.bare_ms[half:])
        return early.ratio, late.ratio


def measure_overhead(session: Session, case: Case, folder: Path, commits: int = COMMITS) -> Overhead:
    """Appends `commits` pairs to two equal tables, one recorded; which of the two goes first alternates."""
    recorded, journal = _make_table(session, case, folder / "recorded", recorded=True)
    bare, _ = _make_table(session, case, folder / "bare", recorded=False)
    spent = {recorded: np.empty(0), bare: np.empty(0)}
    for commit in range(1, WARM_UP_COMMITS + commits + 1):
        for table in (recorded, bare) if commit % 2 else (bare, recorded):
            started_s = time.perf_counter()
            if table == recorded:
                journal.step(commit, "append")
            drive.append_batch(session, case, table, commit)
            spent[table] = np.append(spent[table], (time.perf_counter() - started_s) * 1e3)
    started_s = time.perf_counter()
    root = folder.joinpath("recorded", *drive.TABLE_NAME.split("."))
    recording = collect.read_journal(journal.lines(), table_root=root).recording
    collecting_ms = (time.perf_counter() - started_s) * 1e3 / len(recording.reports)
    journal.close()
    return Overhead(
        recorded_ms=spent[recorded][WARM_UP_COMMITS:],
        bare_ms=spent[bare][WARM_UP_COMMITS:],
        collecting_ms=collecting_ms,
    )


def _make_table(session: Session, case: Case, folder: Path, *, recorded: bool) -> tuple[str, Journal]:
    (folder / "journal").mkdir(parents=True)
    catalog, journal = JdbcCatalog(name=folder.name, warehouse=folder), session.journal(folder / "journal")
    session.add_catalog(catalog, journal if recorded else None)
    table = f"{catalog.name}.{drive.TABLE_NAME}"
    journal.step(0, CREATE_TABLE)
    session.spark.sql(drive.create_table_sql(case, table, f"{folder}/{drive.TABLE_NAME.replace('.', '/')}"))
    return table, journal


def main() -> None:
    """Measures on a table of its own and prints the ratio."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scenario = folder / "overhead.yaml"
        scenario.write_text(SCENARIO)
        case = load_scenario(scenario).cases()[0]
        with open_session({}, master=DEFAULT_MASTER, log=folder / "spark.log") as session:
            overhead = measure_overhead(session, case, folder)
    early, late = overhead.ratio_by_half
    print(f"recorded {np.median(overhead.recorded_ms):.1f} ms, bare {np.median(overhead.bare_ms):.1f} ms per commit")
    print(f"reading the journal {overhead.collecting_ms:.3f} ms per commit")
    print(f"overhead ratio {overhead.ratio:.3f} (goal: at most {GOAL}); first half {early:.3f}, second half {late:.3f}")


if __name__ == "__main__":
    main()
