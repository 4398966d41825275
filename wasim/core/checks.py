"""What engine `core` cannot describe, refused by name before anything runs."""

from collections.abc import Mapping

from wasim.errors import WasimError
from wasim.iceberg.properties import property_of
from wasim.scenario import Case
from wasim.spark.drive import refuse_other_writers
from wasim.twin.supported import check_rewriting, is_cut_by_sample

_REFUSED_SETTINGS = "spark.sql.iceberg."


def check_describable(case: Case) -> None:
    """Raises WasimError naming the first setting that changes data files in a way that no profile describes."""
    refuse_other_writers(case)
    if case.writer.writers > 1:
        raise WasimError(
            f"Engine core is one writer, not {case.writer.writers}. Give writer.writers 1, or use engine spark."
        )
    if case.writer.tables > 1:
        raise WasimError(f"Engine core writes one table, not {case.writer.tables:,}. Give 1, or use engine spark.")
    check_rewriting(case)
    _check_properties("table.properties", case.table.properties)
    for evolution in case.evolution:
        _check_properties("set_properties", evolution.set_properties or {})
    for key in case.environment.spark:
        if key.startswith(_REFUSED_SETTINGS):
            raise WasimError(
                f"environment.spark.{key} is not modelled by engine core. Take it out or use engine spark."
            )
    if is_cut_by_sample(case):
        raise WasimError(
            "workload.distribution_mode range is not modelled by engine core: its cuts depend on a sample of the rows."
            " Give none or hash, or use engine spark."
        )


def _check_properties(where: str, properties: Mapping[str, str]) -> None:
    for key, value in properties.items():
        row = property_of(key)
        if row is not None and "data" in row.changes and not row.simulates(value):
            raise WasimError(
                f'{where}.{key} is "{value}"; engine core does not model what it does to data files.'
                " Take it out, or use engine spark."
            )
