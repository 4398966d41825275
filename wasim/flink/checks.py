"""What engine `flink` does not write, refused by name before anything runs."""

from wasim.errors import WasimError
from wasim.runner.written import unwritten
from wasim.scenario import Case
from wasim.twin import shipped_profile

MOST_ROWS = 2_000_000  # they are made ahead, and held in the JVM


def check_sink(case: Case) -> None:
    """Raises WasimError naming the first setting of the case that the engine does not carry out."""
    rows, files, appends = case.rows_per_commit, case.workload.files_per_commit, not case.key_columns
    for refused, what in (
        (shipped_profile(case).name != "flink", "writer is none of Flink's. Give writer: {kind: flink, append: merge}"),
        (not case.merges, "writer.append is fast. Give merge, as the sink does"),
        (case.clock == "real", "clock is real. Give virtual"),
        (
            case.has_changes or case.has_maintenance or bool(case.evolution),
            "changes, maintenance and evolution are Spark's. Take them out, or use engine spark",
        ),
        (
            appends and case.workload.distribution_mode != "none",
            f"workload.distribution_mode is {case.workload.distribution_mode}. Give none, or upsert",
        ),
        (
            appends and rows % files != 0,
            f"workload.files_per_commit is {files}, which does not divide {rows} rows. Give a divisor",
        ),
        (rows * case.commits > MOST_ROWS, f"there are {rows * case.commits:,} rows. Give {MOST_ROWS:,} at most"),
        *unwritten(case, versions=(2, 3)),
    ):
        if refused:
            raise WasimError(f"Engine flink is one job of Flink's sink: {what}.")
