"""Runs as values: what a finished case and a finished run consist of; and what simulating left out, said once."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from wasim import ledger
from wasim.contention import ModelledLatency
from wasim.ledger.totals import amplification, ingested_bytes, peaks_of, written_by
from wasim.ledger.vocabulary import MERGED_KINDS, Action
from wasim.scenario import Case
from wasim.scenario.cycles import metadata_by_period


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """How a case was simulated: what decides its bytes, apart from the case and its table's location.

    `profile` is what the writer's profile says of itself.
    """

    mode: str
    profile: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)  # arrays have no one equality
class CaseRun(ledger.Summed):
    """One case, carried out or simulated; `of_recording` and `of_summed` make it of what an engine returned.

    `is_sampled` says whether the ledger holds only some of the commits, as with sums.
    `settled` has, by metric, the most that the table held in the later half of the horizon, and what an hour and a day
    of the last full cycle of its maintenance wrote. `location` is the table's, which its files repeat: None of a run
    that was saved without it.
    """

    key: str
    case: Case
    engine: str  # spark | core | sim
    amplification: ledger.WriteAmplification
    probes: tuple[ledger.PlanningProbe, ...] = ()
    wall_s: float
    requests: ledger.Requests | None = None  # to S3; None where the store is local
    listings: tuple[ledger.DirectoryScan, ...] = ()  # none where there is no data to list
    simulation: Simulation | None = None  # None of a case on real Iceberg
    latency: ModelledLatency | None = None  # of simulated commits; None where commits were timed
    is_sampled: bool = False
    location: str | None = None

    @classmethod
    def of_recording(
        cls,
        case: Case,
        recording: ledger.Recording,
        *,
        key: str,
        engine: str,
        live_bytes: dict[ledger.Kind, int],
        wall_s: float,
    ) -> "CaseRun":
        """The case as it was recorded, without probes, requests and listings: those come by `dataclasses.replace`."""
        summed = ledger.Summed(
            totals=ledger.sum_events(recording.events),
            live_bytes=live_bytes,
            ledger=ledger.view_by_commit(recording),
            ingested_bytes=ingested_bytes(recording),
            operations=ledger.sum_by_operation(recording),
            settled=settled_of(case, recording, live_bytes),
        )
        made = cls.of_summed(case, summed, key=key, engine=engine, wall_s=wall_s)
        return replace(made, contention=ledger.sum_contention(recording), is_sampled=False)

    @classmethod
    def of_summed(cls, case: Case, summed: ledger.Summed, *, key: str, engine: str, wall_s: float) -> "CaseRun":
        """The case of which the engine returned sums."""
        wa = amplification(summed.totals, ingested_bytes=summed.ingested_bytes, horizon_s=case.horizon_s)
        sums = {one.name: getattr(summed, one.name) for one in fields(ledger.Summed)}
        return cls(**sums, key=key, case=case, engine=engine, amplification=wa, wall_s=wall_s, is_sampled=True)

    @property
    def of_all_tables(self) -> ledger.Totals:
        """The totals of all tables of the job, of which one was carried out."""
        return self.totals.times(self.case.writer.tables)

    @property
    def commits(self) -> int:
        """Commits to one table. A ledger of sums holds only some of them, the last among them."""
        return int(self.ledger.commit[-1]) if len(self.ledger) else 0

    def commit_ms(self, percent: Literal[50, 95, 99]) -> float | None:
        """A percentile of the commits' times: measured, else modelled; None where neither is known."""
        spent, modelled = self.ledger.commit_ms, self.latency
        if len(spent) and np.isfinite(spent).all():
            return float(np.percentile(spent, percent))
        if modelled is None:
            return None
        return {50: modelled.p50_ms, 95: modelled.p95_ms, 99: modelled.p99_ms}[percent]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A finished run of a scenario: its cases in the sweep's order."""

    folder: Path | None  # None of a simulation that left nothing behind
    scenario: str
    question: str
    provenance: dict[str, Any]
    cases: tuple[CaseRun, ...]
    failures: dict[str, str]  # case label → the essential line of its error
    overrides: Mapping[str, str] = field(default_factory=dict)  # of the scenario, from the command line

    @property
    def name(self) -> str:
        """What a page calls the run: its folder's name."""
        return "not saved" if self.folder is None else self.folder.name


def settled_of(case: Case, recording: ledger.Recording, live_bytes: Mapping[ledger.Kind, int]) -> dict[str, float]:
    """A recorded case once it has settled, by metric: the most that the table held, and what an hour, a day wrote."""
    others = frozenset(ledger.METADATA_KINDS) - MERGED_KINDS
    return peaks_of(recording, case.ends_s / 2) | metadata_by_period(
        case,
        _manifest_growth(recording, live_bytes[ledger.Kind.DATA_MANIFEST]),
        lambda times_s: written_by(recording, times_s, MERGED_KINDS),
        lambda since_s: float(np.diff(written_by(recording, np.array([since_s, case.ends_s]), others))[0]),
    )


def _manifest_growth(recording: ledger.Recording, live_bytes: int) -> float:
    """Bytes by which a commit's entries make a manifest larger that they are merged into: of `live_bytes` of live ones,
    what these have more than as many that a commit wrote.
    """
    events, reports = recording.events, recording.reports
    own = events.bytes[(events.kind == ledger.Kind.DATA_MANIFEST) & (events.action == Action.WRITE)]
    live = float((reports.manifests_created + reports.manifests_kept)[-1:].sum())
    return max(1.0, (live_bytes - live * float(own.min(initial=live_bytes))) / max(1.0, len(reports) - live))


MOST_NAMED = 4


def say_once(approximated: Iterable[tuple[str, Iterable[str]]], many: str = "cases") -> Iterator[str]:
    """Each sentence once, with whom it is about where those are not all: by name, or of very many (`many`) how many.

    `approximated` are names, each with its sentences.
    """
    about: dict[str, list[str]] = {}
    count = 0
    for name, sentences in approximated:
        count += 1
        for sentence in dict.fromkeys(sentences):
            about.setdefault(sentence, []).append(name)
    for sentence, names in about.items():
        if len(names) == count:
            yield sentence
        else:
            whom = ", ".join(names) if len(names) <= MOST_NAMED else f"{len(names):,} of {count:,} {many}"
            yield f"{sentence} ({whom})"
