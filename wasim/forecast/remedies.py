"""What the standard remedies against metadata growth would save, for a table and interval."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from wasim.errors import WasimError
from wasim.forecast.ahead import Forecast, Forecaster, site_of
from wasim.iceberg.properties import (
    MAX_SNAPSHOT_AGE_MS,
    METADATA_DELETE_AFTER_COMMIT_ENABLED,
    METADATA_PREVIOUS_VERSIONS_MAX,
    TableProperties,
)
from wasim.runs import CaseRun
from wasim.scenario import Case
from wasim.scenario.changes import ExpireSnapshots, Maintenance, RewriteManifests
from wasim.units import DAY_S, MONTH_S, format_duration

VERSIONS_KEPT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """A remedy, and the forecast of the table with it."""

    name: str
    forecast: Forecast


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedies:
    """The remedies for one case over its horizon: each alone, all `together`, and a longer commit interval.

    `together` is None for fewer than two; `together_words` are how a sentence names those in it.
    """

    case: Case
    as_is: Remedy
    alone: tuple[Remedy, ...]
    together: Remedy | None
    together_words: tuple[str, ...]
    longer: Remedy

    @property
    def rows(self) -> tuple[Remedy, ...]:
        """All of them, the table as it is first."""
        together = () if self.together is None else (self.together,)
        return (self.as_is, *self.alone, *together, self.longer)


def find_remedies(run: CaseRun, longer_s: float) -> Remedies | None:
    """The remedies for the case of a run over a month or its own longer horizon, against one commit every `longer_s`.

    None for a case that has no forecast.
    """
    try:
        return _find(run, longer_s)
    except WasimError:
        return None


def _over_a_month(case: Case) -> Case:
    return case.over(max(case.horizon_s, MONTH_S))


def _find(run: CaseRun, longer_s: float) -> Remedies:
    case, site = _over_a_month(run.case), site_of(run)
    forecaster = Forecaster(site=site)

    def remedied(changed: Case, name: str) -> Remedy:
        return Remedy(name=name, forecast=forecaster.of(changed))

    as_is = remedied(case, "as it is")
    all_in_one, alone, words = case, [], []
    for name, word, change in missing_remedies(case):
        alone.append(remedied(with_change(case, change), f"+ {name}"))
        all_in_one = with_change(all_in_one, change)
        words.append(word)
    together = None
    if len(alone) > 1:
        together = remedied(all_in_one, "all three together" if len(alone) > 2 else "both")
    longer = Forecaster(site=site).of(_over_a_month(replace(case, commit_interval_s=longer_s)))
    return Remedies(
        case=case,
        as_is=as_is,
        alone=tuple(alone),
        together=together,
        together_words=tuple(words),
        longer=Remedy(name=f"every {format_duration(longer_s)} instead", forecast=longer),
    )


Change = Maintenance | dict[str, str]
"""Maintenance to be added, or properties to be set."""


def missing_remedies(case: Case) -> Iterator[tuple[str, str, Change]]:
    """The remedies that the case lacks: their names, how a sentence names them, and what they change.

    Expiry goes by the table's own limits, where it has any.
    """
    properties = TableProperties.read(case.table.properties)
    if case.maintenance.expire_snapshots is None:
        own_s = max(1, properties.max_snapshot_age_ms) / 1000
        older_than_s = own_s if MAX_SNAPSHOT_AGE_MS in case.table.properties else DAY_S
        least = max(1, properties.min_snapshots_to_keep)
        expiry = ExpireSnapshots(every=DAY_S, older_than=older_than_s, retain_last=least)
        name = f"expire snapshots older than {format_duration(older_than_s)}, daily"
        yield name, "daily expiry", Maintenance(expire_snapshots=expiry)
    if case.maintenance.rewrite_manifests is None:
        rewriting = RewriteManifests(every=DAY_S)
        yield "rewrite manifests, daily", "manifest rewriting", Maintenance(rewrite_manifests=rewriting)
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
