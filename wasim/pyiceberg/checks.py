"""What engine `pyiceberg` does not write, refused by name before anything runs."""

from wasim.errors import WasimError
from wasim.iceberg.properties import MANIFEST_MERGE_ENABLED
from wasim.runner.written import unwritten
from wasim.scenario import Case

PROFILE = "pyiceberg"


def check_writable(case: Case) -> None:
    """Raises WasimError naming the first setting of the case that the engine does not carry out."""
    for refused, what in (
        (case.writer.profile != PROFILE, f"writer.profile is {case.writer.profile or 'none'}. Give {PROFILE}"),
        (case.writer.writers > 1, f"writer.writers is {case.writer.writers}. Give 1"),
        (case.writer.upsert is not None, "writer.upsert is no append. Take it out"),
        (
            any(change is not None for _, change in case.changes),
            "changes are Spark's statements. Take them out, or use engine spark",
        ),
        (case.has_maintenance, "maintenance is Spark's procedures. Take it out, or use engine spark"),
        (bool(case.evolution), "evolution is Spark's ALTER TABLE. Take it out, or use engine spark"),
        (
            case.workload.files_per_commit > 1,
            f"workload.files_per_commit is {case.workload.files_per_commit}. Table.append writes one for each"
            " partition: give 1",
        ),
        *unwritten(case),
        (
            MANIFEST_MERGE_ENABLED in case.table.properties,
            f"table.properties.{MANIFEST_MERGE_ENABLED}. Take it out",
        ),
    ):
        if refused:
            raise WasimError(f"Engine pyiceberg is one writer that appends: {what}.")
