"""How close the simulator comes to real runs: each saved case simulated from scenario and profile alone.

`make validate` runs `python -m tools.fidelity RUN...`, which prints docs/fidelity.md.
"""

import argparse
import csv
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np

from tools.comparison import GOAL_SHARE, KindFidelity, compare
from tools.thrash import thrash_svg
from wasim.errors import WasimError
from wasim.iceberg.properties import MANIFEST_MERGE_ENABLED
from wasim.ledger import Kind, view_by_commit
from wasim.ledger.vocabulary import METADATA_KINDS
from wasim.runs import CaseRun, RunFolder, read_recording, read_run, write_atomically
from wasim.scenario import Case
from wasim.scenario.settings import SCHEMES_SINCE, TABLE_NAME
from wasim.twin import Site, shipped_profile, simulate_case
from wasim.units import Ints

INTRODUCTION = """# Fidelity of the simulator

`make validate` runs every scenario of `scenarios/fidelity/` on real Spark and Iceberg, simulates the same cases from
the scenario and the shipped writer profile alone (the profiles were measured on other tables), and writes this page.
Nothing of the real runs is used but where the table lies, which anyone can choose.

A row is one kind of file of one case: files written (− deleted), bytes written over the case, the error of the sum,
and the largest error of any one commit. The goal: counts exact, every kind of metadata within 0.5 %. Sizes of
data files, delete files and their columns follow laws of a writer's profile ([decision
14](decisions/0014-what-the-twin-leaves-out.md)) and have no goal.

A stream that ends for a change of its table may give its last batch once more: data files are then written twice, by
chance, and committed once. No simulator foretells that; it is the row of `fidelity_evolution` that misses.

Updates, deletes, merges and overwrites are of few enough rows for one task of Spark's. Of more, Spark's session decides
how many files a statement writes, and the simulator takes the scenario's `files_per_commit`.

[published.md](published.md) and [security_lake.md](security_lake.md) compare the simulator with what others published.
"""
THRASH = """The case that merges most, commit by commit: near the target size, each rewrites nearly all that is there.

![Manifests of a table that merges near the target size, real and simulated]({})
"""
Fidelity = tuple[str, tuple[KindFidelity, ...]]
_HEAD = (
    "| case | kind | files real | files sim | bytes real | bytes sim | error | worst commit | goal |",
    "|---|---|--:|--:|--:|--:|--:|--:|:-:|",
)


def check_fidelity(runs: Iterable[Path]) -> list[Fidelity]:
    """Per case of the runs in these folders, in order: its label, and real against simulated by kind.

    The simulator gets what anyone can choose, such as the table's location, and nothing that the run measured.
    """
    checked = []
    for path in runs:
        folder, run = RunFolder(path), read_run(path)
        checked += [(f"{run.scenario}: {case.case.label}", _compare(case, folder)) for case in run.cases]
    return checked


def render_fidelity(checked: Sequence[Fidelity], *, rows_file: str | None = None, chart: str | None = None) -> str:
    """The page as Markdown: by kind first, then its rows, or where they are in a `rows_file` of their own, those that
    miss the goal; last, how many meet it. File names are relative to the page.
    """
    rows = [(label, one) for label, kinds in checked for one in kinds]
    missing = [(label, one) for label, one in rows if not one.meets_goal]
    lines = [INTRODUCTION, *([THRASH.format(chart)] if chart else []), *_by_kind([one for _, one in rows]), ""]
    if rows_file is None:
        lines += [*_HEAD, *(_row(label, one) for label, one in rows), ""]
    else:
        lines += [
            f"All rows are in [{rows_file}]({rows_file})." + (" Those that miss the goal:" if missing else ""),
            "",
        ]
        lines += [*_HEAD, *(_row(label, one) for label, one in missing), ""] if missing else []
    return "\n".join(lines) + f"\n{_verdict(rows)}\n"


def render_table(checked: Sequence[Fidelity]) -> str:
    """All rows as a table in Markdown, and how many meet the goal."""
    rows = [(label, one) for label, kinds in checked for one in kinds]
    return "\n".join([*_HEAD, *(_row(label, one) for label, one in rows), "", _verdict(rows)]) + "\n"


def _verdict(rows: Sequence[tuple[str, KindFidelity]]) -> str:
    met = sum(one.meets_goal for _, one in rows)
    return f"{met} of {len(rows)} rows meet the goal: counts exact, metadata within {GOAL_SHARE:.1%}."


def render_rows(checked: Iterable[Fidelity]) -> str:
    """Every row as CSV."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = ("files_real", "files_simulated", "deleted_real", "deleted_simulated", "bytes_real", "bytes_simulated")
    writer.writerow(("case", "kind", *names, "error", "worst_commit_error", "meets_goal"))
    for label, kinds in checked:
        for one in kinds:
            counts = (getattr(one, name) for name in names)
            errors = (f"{one.error:.6f}", f"{one.worst_commit_error:.6f}")
            writer.writerow((label, one.kind, *counts, *errors, str(one.meets_goal).lower()))
    return text.getvalue()


def _by_kind(rows: Sequence[KindFidelity]) -> list[str]:
    lines = ["| kind | cases | counts exact | median error | worst error |", "|---|--:|--:|--:|--:|"]
    for kind in Kind:
        errors = sorted((one.error for one in rows if one.kind == kind), key=abs)
        if errors:
            exact = sum(one.counts_agree for one in rows if one.kind == kind)
            median = float(np.median(np.abs(errors)))
            lines.append(f"| {kind} | {len(errors)} | {exact} | {median:.3%} | {errors[-1]:+.3%} |")
    return lines


def _row(label: str, one: KindFidelity) -> str:
    goal = "–" if one.kind not in METADATA_KINDS and one.counts_agree else "yes" if one.meets_goal else "no"
    return (
        f"| {label} | {one.kind} | {_count(one.files_real, one.deleted_real)}"
        f" | {_count(one.files_simulated, one.deleted_simulated)} | {one.bytes_real:,} | {one.bytes_simulated:,}"
        f" | {one.error:+.3%} | {one.worst_commit_error:+.3%} | {goal} |"
    )


def _count(written: int, deleted: int) -> str:
    return f"{written} − {deleted}" if deleted else f"{written}"


def draw_thrash(runs: Iterable[Path]) -> str:
    """The manifests of the case that merged most, real and simulated, as an SVG document.

    WasimError if no case of these runs merged a manifest.
    """
    cases = [(case, RunFolder(path)) for path in runs for case in read_run(path).cases]
    case, folder = max(cases, key=lambda one: _merges(one[0]))
    if not _merges(case):
        raise WasimError("--chart draws merged manifests, and no case of these runs merged any. Name one that did.")
    written = case.ledger.written_bytes[Kind.DATA_MANIFEST]
    properties = {**case.case.table.properties, MANIFEST_MERGE_ENABLED: "false"}
    unmerged = replace(case.case, table=case.case.table.model_copy(update={"properties": properties}))
    return thrash_svg(written, _manifest_bytes(case.case, case, folder), _manifest_bytes(unmerged, case, folder))


def _merges(case: CaseRun) -> int:
    return case.totals.files_written[Kind.DATA_MANIFEST] - case.commits


def _manifest_bytes(simulated: Case, case: CaseRun, folder: RunFolder) -> Ints:
    recording = simulate_case(
        simulated, shipped_profile(simulated), np.random.default_rng(simulated.seed), site=site_of(case, folder)
    )
    return view_by_commit(recording).written_bytes[Kind.DATA_MANIFEST]


def site_of(case: CaseRun, folder: RunFolder) -> Site:
    """Where the table of a case in a run's folder lies, as its files say."""
    path = folder.warehouse(case.key).absolute().joinpath(*TABLE_NAME.split("."))
    return Site(location=f"file:{path}" if case.case.table.format_version >= SCHEMES_SINCE else str(path))


def _compare(case: CaseRun, folder: RunFolder) -> tuple[KindFidelity, ...]:
    real = read_recording(folder.case(case.key))
    rng = np.random.default_rng(case.case.seed)
    return compare(real, simulate_case(case.case, shipped_profile(case.case), rng, site=site_of(case, folder)))


def main() -> None:
    """Prints the page of the runs that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m tools.fidelity", description=main.__doc__)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="folders of finished runs")
    parser.add_argument("--chart", type=Path, help="SVG of the case that merged most")
    parser.add_argument("--rows", type=Path, help="CSV that takes every row, instead of the page")
    given = parser.parse_args()
    if given.chart:
        write_atomically(given.chart, draw_thrash(given.runs))
    checked = check_fidelity(given.runs)
    if given.rows:
        write_atomically(given.rows, render_rows(checked))
    names = {key: path.name for key, path in (("rows_file", given.rows), ("chart", given.chart)) if path}
    print(render_fidelity(checked, **names), end="")


if __name__ == "__main__":
    try:
        main()
    except WasimError as error:
        sys.exit(str(error))
