"""What the standard remedies against metadata growth would save, for the table and interval that an answer is about."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from wasim.errors import WasimError
from wasim.fit.future import DAY_S, MONTH_S
from wasim.iceberg.properties import (
    METADATA_DELETE_AFTER_COMMIT_ENABLED,
    METADATA_PREVIOUS_VERSIONS_MAX,
    TableProperties,
)
from wasim.ledger import METADATA_KINDS
from wasim.report.answer import Answer, Choice, Option, stops_writing
from wasim.runs import CaseRun
from wasim.scenario import Case
from wasim.scenario.case import covered_s
from wasim.scenario.changes import ExpireSnapshots, Maintenance, RewriteManifests
from wasim.twin import Site, shipped_profile
from wasim.twin.supported import check_answerable
from wasim.units import format_bytes, format_duration
from wasim.years import YearsOf

VERSIONS_KEPT = 10
MOST_MERGES = 100_000  # commits that merge manifests: more of them take seconds to sum
MOST_JOBS = 2_000  # maintenance jobs within the horizon: the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """A remedy, and what the table comes to with it by the end of the horizon.

    `keeps_up` is false where commits come to take more metadata a second than any writer is taken to sustain.
    """

    name: str
    written_bytes: int
    on_disk_bytes: int
    manifests: int
    keeps_up: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedies:
    """The remedies for one case over a horizon: each alone, all `together`, and a longer commit interval.

    `case` is its label, `writer` the same in short. `together_words` names the remedies taken together; without two of
    them to take there is no `together`.
    """

    case: str
    writer: str
    horizon_s: float
    as_is: Remedy
    alone: tuple[Remedy, ...]
    together: Remedy | None
    together_words: str
    longer: Remedy

    @property
    def rows(self) -> tuple[Remedy, ...]:
        """All of them, the table as it is first."""
        together = () if self.together is None else (self.together,)
        return (self.as_is, *self.alone, *together, self.longer)

    @property
    def line(self) -> str:
        """What all remedies together would save, in a sentence; empty where they save nothing."""
        best, before = self.together or next(iter(self.alone), None), self.as_is
        if best is None or not best.keeps_up or (before.keeps_up and best.on_disk_bytes >= before.on_disk_bytes):
            return ""
        what = f"{self.together_words[0].upper()}{self.together_words[1:]} would"
        over, after = format_duration(self.horizon_s), format_bytes(best.on_disk_bytes)
        if not before.keeps_up:
            return (
                f"{what} leave {after} of metadata on disk after {over}; as it is, no writer keeps up ({self.writer})."
            )
        cut = f"from {format_bytes(before.on_disk_bytes)} to {after}"
        return f"{what} cut metadata on disk after {over} {cut} ({self.writer})."


def find_remedies(answer: Answer) -> Remedies | None:
    """The remedies for the interval that the answer suggests, or else the longest; None where they cannot be summed.

    Rows that statements change, several writers, and what would take seconds are left out.
    """
    choice = next((one for one in answer.choices if one.chosen), next(iter(answer.choices), None))
    if choice is None:
        return None
    option = choice.chosen or choice.options[-1]
    case = _over_a_month(option.run.case)
    if not _is_quick(case):
        return None
    try:
        return _find(case, _site_of(option.run), _longer_s(choice, option))
    except WasimError:
        return None


def remedies_document(remedies: Remedies | None) -> dict[str, Any] | None:
    """The remedies as plain JSON values, for summary.json."""
    if remedies is None:
        return None
    return {
        "case": remedies.case,
        "horizon_s": remedies.horizon_s,
        "remedies": [
            {
                "remedy": one.name,
                "metadata_bytes": one.written_bytes,
                "metadata_on_disk_bytes": one.on_disk_bytes,
                "manifests": one.manifests,
                "keeps_up": one.keeps_up,
            }
            for one in remedies.rows
        ],
    }


def _over_a_month(case: Case) -> Case:
    horizon_s = max(case.horizon_s, MONTH_S)
    return replace(case, horizon_s=covered_s(horizon_s=horizon_s, commit_interval_s=case.commit_interval_s))


def _longer_s(choice: Choice, option: Option) -> float:
    """The next longer interval of the sweep; after the last one, twice as long."""
    longer = (one.interval_s for one in choice.options if one.interval_s > option.interval_s)
    return next(longer, 2 * option.interval_s)


def _site_of(run: CaseRun) -> Site:
    """Where the table lies: paths repeat in its metadata."""
    location = None if run.simulation is None else run.simulation.location
    return Site() if location is None else Site(location=location)


def _is_quick(case: Case) -> bool:
    """Whether the case is summed in a fraction of a second, by what decides that."""
    jobs = [job for _, job in case.maintenance if job is not None]
    if case.writer.writers > 1 or case.has_changes or (case.writer.upsert is not None and not case.key_columns):
        return False
    if any(job.every is None for job in jobs) or sum(case.horizon_s / job.every for job in jobs) > MOST_JOBS:
        return False
    merges = case.merges or bool(case.key_columns)
    return not merges or case.commits <= MOST_MERGES


def _find(case: Case, site: Site, longer_s: float) -> Remedies:
    profile = shipped_profile(case)
    check_answerable(case, profile)
    years = YearsOf(profile=profile, site=site)
    as_is = _simulate(years, case, "as it is")
    all_in_one, alone, words = case, [], []
    for name, word, change in _changes(case):
        alone.append(_simulate(years, _changed(case, change), f"+ {name}"))
        all_in_one = _changed(all_in_one, change)
        words.append(word)
    together = None
    if len(alone) > 1:
        together = _simulate(years, all_in_one, f"all {_NUMBERS[len(alone)]} together" if len(alone) > 2 else "both")
    longer = _over_a_month(replace(case, commit_interval_s=longer_s))
    return Remedies(
        case=case.label,
        writer=f"{case.writer_name} every {format_duration(case.commit_interval_s)}",
        horizon_s=case.horizon_s,
        as_is=as_is,
        alone=tuple(alone),
        together=together,
        together_words=_listed(words),
        longer=_simulate(YearsOf(profile=profile, site=site), longer, f"every {format_duration(longer_s)} instead"),
    )


_NUMBERS = {3: "three"}
Change = Maintenance | dict[str, str]
"""Maintenance to be added, or properties to be set."""


def _changes(case: Case) -> Iterator[tuple[str, str, Change]]:
    """The remedies that the case has not taken: their names, how a sentence names them, and what they change."""
    if case.maintenance.expire_snapshots is None:
        expiry = ExpireSnapshots(every=DAY_S, older_than=DAY_S)
        yield "expire snapshots older than 1d, daily", "daily expiry", Maintenance(expire_snapshots=expiry)
    if case.maintenance.rewrite_manifests is None:
        rewriting = RewriteManifests(every=DAY_S)
        yield "rewrite manifests, daily", "manifest rewriting", Maintenance(rewrite_manifests=rewriting)
    properties = TableProperties.read(case.table.properties)
    deletes = properties.metadata_delete_after_commit_enabled
    if not deletes or properties.metadata_previous_versions_max > VERSIONS_KEPT:
        name = f"delete metadata.json after commit, keep {VERSIONS_KEPT}"
        yield (
            name,
            "deletion after commit",
            {METADATA_DELETE_AFTER_COMMIT_ENABLED: "true", METADATA_PREVIOUS_VERSIONS_MAX: str(VERSIONS_KEPT)},
        )


def _changed(case: Case, change: Change) -> Case:
    if isinstance(change, Maintenance):
        added = {name: job for name, job in change if job is not None}
        return replace(case, maintenance=case.maintenance.model_copy(update=added))
    table = case.table
    return replace(case, table=table.model_copy(update={"properties": {**table.properties, **change}}))


def _simulate(years: YearsOf, case: Case, name: str) -> Remedy:
    run = CaseRun.of_summed(case, years.simulate(case), key="", engine="sim", wall_s=0.0)
    return Remedy(
        name=name,
        written_bytes=run.totals.metadata_bytes,
        on_disk_bytes=sum(run.totals.on_disk_bytes[kind] for kind in METADATA_KINDS),
        manifests=int(run.ledger.live_manifests[-1]),
        keeps_up=stops_writing(run) is None,
    )


def _listed(words: list[str]) -> str:
    """`daily expiry, manifest rewriting and deletion after commit`."""
    return " and ".join([part for part in (", ".join(words[:-1]), *words[-1:]) if part])
