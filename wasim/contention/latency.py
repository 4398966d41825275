"""How long commits take, and how many a table sustains: for any store, catalog, number of writers and interval.

The writers race for a few thousand commits in a steady state. An attempt takes as long as its requests together
(`attempt_times`) or, on local files, as long as wasim measured. All of it is modelled; the band is its inputs'.
"""

from dataclasses import dataclass, field, replace
from math import inf

import numpy as np

from wasim.contention.attempt_times import AttemptRequests, Footprint, attempt_times, reading_s, validation_s, width_of
from wasim.contention.conflicts import ConflictRule, conflict_rule
from wasim.contention.outcome import SUSTAINED, Outcome, outcome_of
from wasim.contention.providers import LOCAL, WIDTHS, Providers, Store, provider_named
from wasim.contention.races import RaceRules, WriterGroup, race
from wasim.contention.writer_times import Quantiles, WriterTimes, due_s, times_among
from wasim.iceberg.properties import TableProperties
from wasim.scenario import Arrivals
from wasim.units import MIB

COMMITS = 4000
NO_WORK: Quantiles = (0.0, 0.0)
SETTLING = 0.05  # share of the commits that is left out as warm-up
_STEPS = 7
_SLOWEST = 0.02  # where the search for a sustained rate begins, as a share of the most that attempts allow


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodicStatement:
    """A periodic statement that commits to the same table: an overwrite, or maintenance, whose job takes `work_s`.

    Its first attempt reads `first_reads` manifests one after another, later ones `later_reads`.
    Where it `validates`, it reads what has landed since it began. Each commit of the writers conflicts with it with
    probability `clash`; it then restarts if it `redoes`, and fails otherwise.
    """

    name: str
    every_s: float
    work_s: float
    clash: float = 0.0
    validates: bool = True
    redoes: bool = True
    first_reads: float = 0.0
    later_reads: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyRequest:
    """What to model: a commit every `commit_interval_s`, of all `writers` together, each with this footprint.

    They arrive as `arrivals.due_s` says.
    `work_s` are quantiles of the job before each commit; None stands for the measured ones, or for no job. `measured`
    are times of several writers on local files. `commits` is the length of the race.
    """

    provider: str
    footprint: Footprint
    commit_interval_s: float
    writers: int = 1
    catalog: str = "jdbc"
    properties: TableProperties = field(default_factory=TableProperties)  # of retries
    arrivals: Arrivals = "at_random"
    work_s: Quantiles | None = None
    statements: tuple[PeriodicStatement, ...] = ()
    measured: tuple[WriterTimes, ...] = ()
    commits: int = COMMITS
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitLatency:
    """The modelled latency of commits. `band` is the relative half-width of the times; `outcome` has one for shares.

    `outcome` is of the writers' commits, `statements` are the others' by name. `basis` are sentences:
    where the latencies come from, and their dates.
    """

    request: LatencyRequest
    p50_ms: float
    p95_ms: float
    p99_ms: float
    band: float
    outcome: Outcome
    statements: dict[str, Outcome]
    basis: tuple[str, ...]

    @property
    def sustains(self) -> bool:
        """Whether at least 95 % of the offered commits land at the offered rate."""
        return self.outcome.sustains(self.request.commit_interval_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class SustainedRate:
    """How many commits a second land at most (`ceiling_per_s`), and the shortest interval at which 95 % of them do."""

    ceiling_per_s: float
    interval_s: float


def commit_latency(request: LatencyRequest, providers: Providers | None = None) -> CommitLatency:
    """The latency of commits as requested. WasimError for an unknown provider or catalog."""
    model = _Model.of(request, providers)
    outcome, statements = model.race(request)
    return CommitLatency(
        request=request,
        p50_ms=outcome.percentile_ms(50),
        p95_ms=outcome.percentile_ms(95),
        p99_ms=outcome.percentile_ms(99),
        band=model.band,
        outcome=outcome,
        statements=statements,
        basis=model.basis,
    )


def sustained_rate(
    request: LatencyRequest, providers: Providers | None = None, *, seen: CommitLatency | None = None
) -> SustainedRate:
    """The ceiling of commits a second and the shortest sustainable interval; the request's own interval is ignored,
    but for commits that were `seen` at theirs: a ceiling is no lower than what landed there, an interval no longer.

    WasimError for an unknown provider or catalog.
    """
    model = _Model.of(request, providers)
    landed_per_s = 0.0 if seen is None else seen.outcome.landed_per_s
    own_s = seen.request.commit_interval_s if seen is not None and seen.sustains else inf
    if request.writers == 1:
        ceiling, interval_s = 1 / model.alone_s, model.alone_s
    else:
        ceiling, interval_s = _searched(model, request)
    return SustainedRate(ceiling_per_s=max(ceiling, landed_per_s), interval_s=min(interval_s, own_s))


def _searched(model: "_Model", request: LatencyRequest) -> tuple[float, float]:
    """The most commits a second that landed at any rate that was tried, and the shortest interval that held."""
    arrivals: Arrivals = "evenly" if request.arrivals == "evenly" else "at_random"
    fastest = 1 / model.least_s
    ceiling, low, high = 0.0, _SLOWEST * fastest, fastest
    for _ in range(_STEPS):
        rate = float(np.sqrt(low * high))
        tried = replace(request, commit_interval_s=1 / rate, arrivals=arrivals, statements=())
        landed = model.race(tried)[0].landed_per_s
        ceiling = max(ceiling, landed)
        low, high = (rate, high) if landed >= SUSTAINED * rate else (low, rate)
    return ceiling, 1 / low


@dataclass(frozen=True, slots=True, kw_only=True)
class _Model:
    """The times of a request's commits, and the rules of their race."""

    times: WriterTimes
    store: Store
    rule: ConflictRule
    band: float
    basis: tuple[str, ...]

    @classmethod
    def of(cls, request: LatencyRequest, providers: Providers | None) -> "_Model":
        providers, provider = provider_named(request.provider) if providers is None else (providers, request.provider)
        requests = AttemptRequests.of(providers, provider, request.catalog)
        measured = [one for one in request.measured if one.catalog == request.catalog]
        known = provider == LOCAL and request.writers > 1 and measured
        if known:
            times = times_among(measured, request.catalog, request.writers)
            grown_s = providers.engine.ms_per_mib * request.footprint.parsed_bytes / MIB / 1000
            times = times.slower_by(grown_s)  # they were measured on small tables
            times = replace(times, work_s=request.work_s) if request.work_s is not None else times
        else:
            times = attempt_times(request.footprint, requests, request.work_s or NO_WORK)
        return cls(
            times=times,
            store=requests.store,
            rule=conflict_rule(request.catalog),
            band=round(WIDTHS["derived"] if known else width_of(request.footprint, requests), 3),
            basis=_basis(request, requests),
        )

    @property
    def least_s(self) -> float:
        """Mean seconds of a retry, from reading to swapping: landed commits are at least this far apart."""
        return float(np.mean(self.times.later_attempt_s) + np.mean(self.times.finish_s))

    @property
    def alone_s(self) -> float:
        """Mean seconds of a commit without concurrent ones."""
        return float(np.mean(self.times.first_attempt_s) + np.mean(self.times.finish_s))

    def race(self, request: LatencyRequest) -> tuple[Outcome, dict[str, Outcome]]:
        """The outcome of the writers' commits, and of each statement by name."""
        rng = np.random.default_rng(request.seed)
        due = due_s(request.arrivals, request.commit_interval_s, request.commits, request.writers, rng)
        ends_s = request.commits * request.commit_interval_s
        arrivals: list[tuple[float, int]] = [(float(at_s), 0) for at_s in due]
        for place, one in enumerate(request.statements, 1):
            kind: Arrivals = "at_random" if request.arrivals == "at_random" else "evenly"
            arrivals += [(float(at_s), place) for at_s in due_s(kind, one.every_s, int(ends_s / one.every_s), 1, rng)]
        arrivals.sort()
        rules = RaceRules(groups=self._groups(request), properties=request.properties, rule=self.rule)
        times_s, of_group = (np.array(column) for column in zip(*arrivals, strict=True))
        numbers = np.arange(1, len(arrivals) + 1)
        attempts = race(numbers, times_s, rules, rng, group_of=of_group)
        skip = int(SETTLING * len(arrivals))

        def outcome(group: int) -> Outcome:
            return outcome_of(attempts, of=numbers[of_group == group] if request.statements else None, skip=skip)

        return outcome(0), {one.name: outcome(place) for place, one in enumerate(request.statements, 1)}

    def _groups(self, request: LatencyRequest) -> tuple[WriterGroup, ...]:
        count, size, store = 1 + len(request.statements), request.footprint, self.store

        def times(one: PeriodicStatement) -> WriterTimes:
            reads_s = (reading_s(size, store, manifests) for manifests in (one.first_reads, one.later_reads))
            return replace(self.times.slower_by(*reads_s), work_s=(one.work_s, one.work_s))

        others = [
            WriterGroup(
                writers=1,
                times=times(one),
                validates=one.validates,
                validation_s=validation_s(size, store),
                clashes=(one.clash, *(0.0,) * (count - 1)),
                redoes=one.redoes,
            )
            for one in request.statements
        ]
        return (WriterGroup(writers=request.writers, times=self.times), *others)


def _basis(request: LatencyRequest, requests: AttemptRequests) -> tuple[str, ...]:
    store, swap = requests.store, requests.swap
    swapped = f"the swap of a {request.catalog} catalog as {swap.known} ({swap.as_of})"
    if request.provider == LOCAL:
        own = f"from wasim's own runs on local files ({requests.engine.as_of})"
        return (f"Commit latency is modelled {own}{'' if swap.known == 'measured' else f', and {swapped}'}.",)
    return (
        f"Commit latency is modelled, not measured: requests to {store.title} as published (reads {store.get.as_of},"
        f" writes {store.put.as_of}), {swapped}, and the engine as wasim measured it ({requests.engine.as_of}).",
    )
