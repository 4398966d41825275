"""What the standard remedies against metadata growth would save, for the table and interval of an answer."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from wasim.errors import WasimError
from wasim.iceberg.properties import (
    METADATA_DELETE_AFTER_COMMIT_ENABLED,
    METADATA_PREVIOUS_VERSIONS_MAX,
    TableProperties,
)
from wasim.report.answer import Answer, Choice, Option
from wasim.report.forecast import Forecast, forecast_case
from wasim.report.words import listed
from wasim.runs import CaseRun
from wasim.scenario import Case
from wasim.scenario.changes import ExpireSnapshots, Maintenance, RewriteManifests
from wasim.units import DAY_S, MONTH_S, format_bytes, format_duration

VERSIONS_KEPT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """A remedy, and the table's metadata with it at the end of the horizon.

    `band` is the relative half-width of `written_bytes`. `keeps_up` is false if a commit takes longer than its interval
    before the end.
    """

    name: str
    written_bytes: int
    on_disk_bytes: int
    manifests: int
    band: float
    keeps_up: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedies:
    """The remedies for one case over a horizon: each alone, all `together`, and a longer commit interval.

    `case` is its label, `writer` its writer and interval. `together_words` names the remedies of `together`, which is
    None for fewer than two.
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
    def has_figures(self) -> bool:
        """Whether a writer keeps up for the horizon with any of them."""
        return any(one.keeps_up for one in self.rows)

    @property
    def line(self) -> str:
        """What all remedies together would save, in a sentence; empty where they save nothing."""
        best, before = self.together or next(iter(self.alone), None), self.as_is
        if best is None or (before.keeps_up and best.on_disk_bytes >= before.on_disk_bytes):
            return ""
        over, after = format_duration(self.horizon_s), format_bytes(best.on_disk_bytes)
        if not best.keeps_up:
            return f"Even with {self.together_words}, no writer keeps up for {over} ({self.writer})."
        what = f"{self.together_words[0].upper()}{self.together_words[1:]} would"
        if not before.keeps_up:
            return (
                f"{what} leave {after} of metadata on disk after {over}; as it is, no writer keeps up ({self.writer})."
            )
        cut = f"from {format_bytes(before.on_disk_bytes)} to {after}"
        return f"{what} cut metadata on disk after {over} {cut} ({self.writer})."


def find_remedies(answer: Answer) -> Remedies | None:
    """The remedies for the interval that the answer suggests, or else the longest; None where `years` refuses it."""
    choice = next((one for one in answer.choices if one.chosen), next(iter(answer.choices), None))
    if choice is None:
        return None
    option = choice.chosen or choice.options[-1]
    try:
        return _find(option.run, _longer_s(choice, option))
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
                "metadata_bytes_band": one.band,
                "keeps_up": one.keeps_up,
            }
            for one in remedies.rows
        ],
    }


def _over_a_month(case: Case) -> Case:
    return case.over(max(case.horizon_s, MONTH_S))


def _longer_s(choice: Choice, option: Option) -> float:
    """The next longer interval of the sweep; after the last one, twice as long."""
    longer = (one.interval_s for one in choice.options if one.interval_s > option.interval_s)
    return next(longer, 2 * option.interval_s)


def _find(run: CaseRun, longer_s: float) -> Remedies:
    case = _over_a_month(run.case)

    def forecast(changed: Case, name: str) -> Remedy:
        return _remedy(forecast_case(run, changed), name)

    as_is = forecast(case, "as it is")
    all_in_one, alone, words = case, [], []
    for name, word, change in missing_remedies(case):
        alone.append(forecast(with_change(case, change), f"+ {name}"))
        all_in_one = with_change(all_in_one, change)
        words.append(word)
    together = None
    if len(alone) > 1:
        together = forecast(all_in_one, f"all {_NUMBERS[len(alone)]} together" if len(alone) > 2 else "both")
    longer = _over_a_month(replace(case, commit_interval_s=longer_s))
    return Remedies(
        case=case.label,
        writer=f"{case.writer_name} every {format_duration(case.commit_interval_s)}",
        horizon_s=case.horizon_s,
        as_is=as_is,
        alone=tuple(alone),
        together=together,
        together_words=listed(words),
        longer=forecast(longer, f"every {format_duration(longer_s)} instead"),
    )


_NUMBERS = {3: "three"}
Change = Maintenance | dict[str, str]
"""Maintenance to be added, or properties to be set."""


def missing_remedies(case: Case) -> Iterator[tuple[str, str, Change]]:
    """The remedies that the case lacks: their names, how a sentence names them, and what they change."""
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


def with_change(case: Case, change: Change) -> Case:
    """The case with maintenance added, or properties set."""
    if isinstance(change, Maintenance):
        added = {name: job for name, job in change if job is not None}
        return replace(case, maintenance=case.maintenance.model_copy(update=added))
    table = case.table
    return replace(case, table=table.model_copy(update={"properties": {**table.properties, **change}}))


def _remedy(found: Forecast, name: str) -> Remedy:
    return Remedy(
        name=name,
        written_bytes=found.written_bytes,
        on_disk_bytes=found.on_disk_bytes,
        manifests=int(found.run.ledger.live_manifests[-1]),
        band=found.band,
        keeps_up=found.keeps_up,
    )
