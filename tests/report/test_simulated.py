"""What a reader must know of a simulated run stands below its table."""

from dataclasses import replace

from support.synthetic import synthetic_run

from wasim.ledger import Kind
from wasim.report.simulated import simulation_notes
from wasim.runs import Simulation

LOCATION = "file:/warehouse/db/events"
SIMULATION = Simulation(mode="fast", profile={"name": "spark_batch"})


def test_a_run_on_real_iceberg_has_no_notes() -> None:
    assert simulation_notes(synthetic_run()) == ()


def test_bands_are_the_widest_and_approximations_name_their_cases() -> None:
    run = synthetic_run()
    cases = [
        replace(case, simulation=SIMULATION, location=LOCATION, approximated=("Conflicts are at their mean.",))
        for case in run.cases
    ]
    cases[0] = replace(cases[0], band={Kind.DATA_MANIFEST: 0.01, Kind.METADATA_JSON: 0.0, Kind.DELETE_FILE: 0.03})
    cases[1] = replace(cases[1], band={Kind.DATA_MANIFEST: 0.002}, approximated=("Rows per file are even.",))
    where, band, conflicts, rows = simulation_notes(replace(run, cases=tuple(cases)))
    assert where.startswith("Simulated for tables at file:/warehouse/db/events.")
    assert band == "Bytes written are estimates, at the widest: manifests ± 1 %."
    assert conflicts.startswith("Conflicts are at their mean. (")
    assert rows == f"Rows per file are even. ({cases[1].case.label})"
