"""Checks of the model's drivers: those computed from the scenario against those that the ledger shows."""

import numpy as np

from wasim.fit.groups import Group, Observed
from wasim.fit.report import DriverCheck
from wasim.model import read_appends
from wasim.units import Floats


def check_drivers(group: Group) -> tuple[DriverCheck, ...]:
    """One check per case and driver, those that hold included."""
    return tuple(check for observed in group.observed for check in _check_case(group.name, observed))


def describe_mismatches(checks: tuple[DriverCheck, ...]) -> list[str]:
    """One sentence per check that failed."""
    return [
        f"{check.case}: {check.driver} differs from the model's at {check.mismatches} of {check.commits} commits, "
        f"first {check.first_mismatch}."
        for check in checks
        if check.mismatches
    ]


def describe_files(group: Group) -> list[str]:
    """One sentence per case whose commits add another number of files than its scenario says."""
    notes = []
    for one in group.observed:
        intended = read_appends(one.case).files_per_commit
        if one.appends.files_per_commit != intended:
            label, measured = one.case.label, one.appends.files_per_commit
            notes.append(f"{label}: a commit adds {measured} data files, where the scenario means {intended}.")
    return notes


def _check_case(writer: str, observed: Observed) -> list[DriverCheck]:
    ledger, drivers = observed.ledger, observed.drivers
    pairs = {
        "live_manifests": (drivers.live_manifests, ledger.live_manifests),
        "snapshots": (drivers.snapshots, ledger.snapshots_retained),
        "manifests_replaced": (drivers.manifests_replaced, ledger.manifests_replaced),
        "entries_added": (drivers.entries_added, ledger.entries_added),
    }
    return [
        _compare(writer, observed, driver, predicted, np.asarray(measured, dtype=np.float64))
        for driver, (predicted, measured) in pairs.items()
    ]


def _compare(writer: str, observed: Observed, driver: str, predicted: Floats, measured: Floats) -> DriverCheck:
    differing = np.flatnonzero(predicted != measured)
    first = ""
    if len(differing):
        at = differing[0]
        first = f"commit {observed.ledger.commit[at]}: {predicted[at]:.0f} predicted, {measured[at]:.0f} measured"
    return DriverCheck(
        writer=writer,
        case=observed.case.label,
        driver=driver,
        commits=len(measured),
        mismatches=len(differing),
        first_mismatch=first,
    )
