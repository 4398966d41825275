"""What engine `core` and the simulator agree on when both carry out the same case."""

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tools.comparison import compare
from wasim.ledger import CommitReports, FileEvents, Recording
from wasim.ledger.vocabulary import METADATA_KINDS
from wasim.runs import read_recording
from wasim.scenario import Case
from wasim.twin import Site, shipped_profile, simulate_case

if TYPE_CHECKING:
    from wasim.bench.probing import CaseContext  # brings Spark

CLOSE = 0.001  # core against sim, over all metadata
CLOSE_KIND = 0.003  # lists of 70 commits stray by 0.05 % with the ids in them, of either side: four times that of both
CHOSEN_BY_CHANCE = {"snapshot_id", "reported_at_s", "commit_ms", "step_ms", "data_bytes_added", "data_bytes_live"}


def check_agreement(name: str, case: Case, context: "CaseContext") -> None:
    """Holds the case, which core has carried out, against a simulation: file by file, and what each commit reports."""
    real, simulated = recording_of(context), simulated_like(case, context)
    assert steps_of(simulated.events) == steps_of(real.events)
    check_reports(simulated.reports, real.reports)
    check_close(name, real, simulated)


def check_reports(reports: CommitReports, expected: CommitReports) -> None:
    """Holds what commits report against what others did, but for what chance and clocks decide."""
    for column in sorted({f.name for f in fields(CommitReports)} - CHOSEN_BY_CHANCE):
        assert getattr(reports, column).tolist() == getattr(expected, column).tolist(), column


def recording_of(context: "CaseContext") -> Recording:
    return read_recording(context.folder.case(context.key))


def simulated_like(case: Case, context: "CaseContext") -> Recording:
    site = Site(location=str(context.table_root.absolute()))
    return simulate_case(case, shipped_profile(case), np.random.default_rng(case.seed), site=site)


def steps_of(events: FileEvents) -> list[tuple[object, ...]]:
    columns = ("step", "commit", "operation", "action", "kind")
    return sorted(zip(*(getattr(events, column).tolist() for column in columns), strict=True))


def check_close(name: str, real: Recording, simulated: Recording) -> None:
    kinds = compare(real, simulated)
    for one in kinds:
        print(f"{name}: {one.kind} {one.files_real} files, {one.bytes_real} B, sim {one.error:+.4%}")
    assert all(one.counts_agree for one in kinds)
    metadata = [one for one in kinds if one.kind in METADATA_KINDS]
    assert [one for one in metadata if abs(one.error) > CLOSE_KIND] == []
    assert sum(one.bytes_simulated for one in metadata) == pytest.approx(
        sum(one.bytes_real for one in metadata), rel=CLOSE
    )
