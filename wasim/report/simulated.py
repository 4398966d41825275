"""What a reader must know of a simulated run: where its tables lie, how near it comes, and what is a mean."""

from collections.abc import Iterator

from wasim.ledger import Kind
from wasim.report.words import KIND_NAMES
from wasim.runs import CaseRun, Run


def simulation_notes(run: Run) -> tuple[str, ...]:
    """Sentences for below the table of what was written; none for a run on real Iceberg."""
    simulated = [case for case in run.cases if case.simulation is not None]
    return (*_locations(simulated), *_bands(simulated), *_approximations(simulated))


def _locations(cases: list[CaseRun]) -> Iterator[str]:
    locations = dict.fromkeys(case.simulation.location for case in cases if case.simulation is not None)
    if locations:
        first, more = next(iter(locations)), " and others" if len(locations) > 1 else ""
        yield (
            f"Simulated for tables at {first}{more}. Metadata repeats that path for every file, so that a longer one"
            " takes more bytes; --location gives another."
        )


def _bands(cases: list[CaseRun]) -> Iterator[str]:
    """The widest band of each kind over the cases that wrote any of it."""
    widest = {
        kind: max((case.band.get(kind, 0.0) for case in cases if case.totals.written_bytes[kind]), default=0.0)
        for kind in Kind
    }
    named = [f"{KIND_NAMES[kind]} ± {share * 100:.2g} %" for kind, share in widest.items() if share > 0]
    if named:
        yield f"Bytes written are estimates, at the widest: {', '.join(named)}."


def _approximations(cases: list[CaseRun]) -> Iterator[str]:
    """Each sentence once, with the cases that it is about where those are not all."""
    about: dict[str, list[str]] = {}
    for case in cases:
        for sentence in case.approximated:
            about.setdefault(sentence, []).append(case.case.label)
    for sentence, labels in about.items():
        yield sentence if len(labels) == len(cases) else f"{sentence} ({', '.join(labels)})"
