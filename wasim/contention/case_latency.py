"""How long the commits of one case take, modelled from the bytes in its ledger."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from wasim.contention.attempt_times import AttemptRequests, Footprint, attempt_times
from wasim.contention.latency import NO_WORK, LatencyRequest, PeriodicStatement, commit_latency, sustained_rate
from wasim.contention.outcome import SUSTAINED, percentile_ms
from wasim.contention.providers import LOCAL, Providers, provider_named
from wasim.contention.writer_times import WriterTimes, arrivals_of
from wasim.iceberg.properties import TableProperties
from wasim.ledger import Kind, Ledger
from wasim.scenario import Arrivals, Case
from wasim.units import Floats

SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)  # points of a case's history, as shares of its commits, that are raced
RACE_COMMITS, RATE_RACE_COMMITS = 1000, 1500  # commits of each race
MOST_RACE_COMMITS, STATEMENT_RUNS = 10_000, 20  # commits of a race at most; times that its rarest statement should run
JOB_S = 30.0  # assumed for the job of a statement whose `takes` is left out
WORKERS = 4  # of Iceberg's pool that filters manifests (iceberg.worker.num-threads): as many as a driver has cores


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelledLatency:
    """How long a case's commits take, modelled for a provider; milliseconds and seconds.

    `p50_ms` and the like are over all commits of the horizon; `end_…` over the last ones, whose metadata is as
    large as it ever is. `band` is the relative half-width of every time. `lost_share` of attempts and `failed_share` of
    commits are of the end too, `offered_per_s` commits arriving and `landed_per_s` landing. More than `ceiling_per_s`
    never land; `sustainable_interval_s` is the shortest interval between commits at which 95 % of them do.
    `statements` are the case's maintenance and changes, which race with the commits: by name, the shares of them that
    failed (`failed_share`) and were restarted (`redone_share`), and of their attempts lost (`lost_share`).
    """

    provider: str
    writers: int
    arrivals: Arrivals
    p50_ms: float
    p95_ms: float
    p99_ms: float
    end_p50_ms: float
    end_p95_ms: float
    end_p99_ms: float
    band: float
    lost_share: float
    failed_share: float
    offered_per_s: float
    landed_per_s: float
    ceiling_per_s: float
    sustainable_interval_s: float
    basis: tuple[str, ...]
    statements: dict[str, dict[str, float]] = field(default_factory=dict)

    @property
    def sustains(self) -> bool:
        """Whether the table sustains the case's interval at the end of the horizon, as far as the model says: 95 % of
        its commits land, however they arrive.
        """
        return self.comes_slowly and self.failed_share <= 1 - SUSTAINED

    @property
    def comes_slowly(self) -> bool:
        """Whether commits come no more often than a table sustains, if they did not come all at once."""
        return 1 / self.offered_per_s >= self.sustainable_interval_s


def provider_of(case: Case, named: str | None) -> str | None:
    """The provider that was named, or that of the case's store; None for local files."""
    return named or ("s3" if case.environment.store == "s3" else None)


def times_of(case: Case, provider: str, footprint: Footprint) -> WriterTimes:
    """The times of a case's writers in a provider's store, for a commit of that footprint: their race's, whose lost
    attempts the case's bytes hold. WasimError for an unknown provider.
    """
    providers, store = provider_named(provider)
    catalog, writers = case.catalog, case.writer.writers
    times = attempt_times(footprint, AttemptRequests.of(providers, store, catalog), NO_WORK)
    return replace(times, catalog=catalog, writers=writers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Where a case's commits go. Without a `provider`, the case's store.

    `measured` are times of several writers on local files. `plain` are the bytes before compression of metadata.json
    that takes so many bytes in storage after so many commits; without it, none is compressed.
    """

    provider: str | None = None
    measured: Sequence[WriterTimes] = ()
    plain: Callable[[float, float], float] | None = None


def model_latency(case: Case, ledger: Ledger, setup: Setup) -> ModelledLatency | None:
    """The latency of a case's commits, modelled from the bytes in its ledger; None without a commit.

    Commits arrive as `arrivals_of` says. WasimError for an unknown provider.
    """
    if not len(ledger):
        return None
    named = provider_of(case, setup.provider)
    providers, provider = provider_named(named or LOCAL)
    request = LatencyRequest(
        provider=provider,
        footprint=footprint_at(ledger, 1.0, setup.plain),
        commit_interval_s=case.commit_interval_s,
        writers=case.writer.writers,
        catalog=case.catalog,
        properties=TableProperties.read(case.table.properties),
        arrivals=arrivals_of(case, named),
        measured=tuple(setup.measured),
        commits=RACE_COMMITS,
        seed=case.seed,
    )
    return _raced(request, providers, case, ledger, setup)


def _raced(request: LatencyRequest, providers: Providers, case: Case, ledger: Ledger, setup: Setup) -> ModelledLatency:
    """The races of a request at some points of a case's history, and at its end with the case's statements."""
    over_time = (replace(request, footprint=footprint_at(ledger, share, setup.plain)) for share in SHARES)
    times_ms = np.concatenate([commit_latency(one, providers).outcome.commit_ms for one in over_time])
    statements = tuple[PeriodicStatement, ...]()
    if setup.provider is not None or case.clock != "virtual":
        manifest_bytes = footprint_at(ledger, 1.0).manifest_bytes
        statements = tuple(statements_of(case, ledger_manifests(ledger), manifest_bytes))
    end = commit_latency(_long_enough(replace(request, statements=statements)), providers)
    rate = sustained_rate(replace(request, commits=RATE_RACE_COMMITS), providers, seen=end)
    return ModelledLatency(
        provider=provider_of(case, setup.provider) or LOCAL,
        writers=request.writers,
        arrivals=request.arrivals,
        p50_ms=percentile_ms(times_ms, 50),
        p95_ms=percentile_ms(times_ms, 95),
        p99_ms=percentile_ms(times_ms, 99),
        end_p50_ms=end.p50_ms,
        end_p95_ms=end.p95_ms,
        end_p99_ms=end.p99_ms,
        band=end.band,
        lost_share=end.outcome.lost_share,
        failed_share=end.outcome.failed_share,
        offered_per_s=1 / request.commit_interval_s,
        landed_per_s=end.outcome.landed_per_s,
        ceiling_per_s=rate.ceiling_per_s,
        sustainable_interval_s=rate.interval_s,
        basis=(*end.basis, *_statements_basis(statements)),
        statements={
            name: {
                "failed_share": one.failed_share,
                "redone_share": one.redone / max(1, one.commits),
                "lost_share": one.lost_share,
            }
            for name, one in end.statements.items()
            if one.commits
        },
    )


def ledger_manifests(ledger: Ledger) -> float:
    """The most manifests that are live at once in the later half of a ledger."""
    return float(ledger.live_manifests[len(ledger) // 2 :].max())


def statements_of(case: Case, manifests: float, manifest_bytes: float) -> Iterator[PeriodicStatement]:
    """The case's maintenance and changes as jobs that run while the writers commit, when the table has that many live
    manifests of that size.

    Compaction conflicts with position deletes on files that it rewrites, rewrite_manifests with an append that merges
    manifests that it rewrites; a change is taken not to touch the rows that the writers append.
    """
    kept = case.maintenance
    first, later = _reads(case, manifests, manifest_bytes)
    by_position = float(case.writer.upsert is not None and not case.key_columns)
    merges = 1 / TableProperties.read(case.table.properties).merged_from if case.merges else 0.0
    jobs = (
        ("expire_snapshots", kept.expire_snapshots, False, 0.0),
        ("rewrite_data_files", kept.rewrite_data_files, True, by_position),
        ("rewrite_manifests", kept.rewrite_manifests, True, merges),
    )
    for name, job, validates, clash in jobs:
        if job is not None and job.every is not None:
            one = PeriodicStatement(
                name=name, every_s=job.every, work_s=job.takes or JOB_S, validates=validates, clash=clash, redoes=False
            )
            yield replace(one, first_reads=first, later_reads=later) if name == "rewrite_data_files" else one
    for name, change in case.changes:
        if change is not None:
            one = PeriodicStatement(name=name, every_s=change.every, work_s=change.takes or JOB_S)
            yield replace(one, first_reads=first, later_reads=later)


def _reads(case: Case, manifests: float, manifest_bytes: float) -> tuple[float, float]:
    """Manifests that an attempt reads one after another, in commits that filter manifests and merge them: the first
    one, and later ones.

    The first filters all live ones, several at a time, and merges each bin of them; later ones keep what they filtered
    and the bins that are full, and merge the newest bin again, as it has another manifest now (Iceberg's
    MergingSnapshotProducer). A bin below `commit.manifest.min-count-to-merge` is not merged.
    """
    properties = TableProperties.read(case.table.properties)
    fits = max(1.0, properties.manifest_target_size_bytes // max(manifest_bytes, 1.0))
    newest = manifests % fits
    later = newest if properties.manifest_merge_enabled and newest >= properties.merged_from else 0.0
    largest_bin = max(later, fits if manifests >= fits and properties.manifest_merge_enabled else 0.0)
    return manifests / WORKERS + largest_bin, later


def _long_enough(request: LatencyRequest) -> LatencyRequest:
    """The request with commits enough for `STATEMENT_RUNS` of the rarest statement, `MOST_RACE_COMMITS` at most."""
    rarest_s = max((one.every_s for one in request.statements), default=0.0)
    commits = int(STATEMENT_RUNS * rarest_s / request.commit_interval_s)
    return replace(request, commits=min(max(request.commits, commits), MOST_RACE_COMMITS))


def _statements_basis(statements: tuple[PeriodicStatement, ...]) -> Iterator[str]:
    if statements:
        names = ", ".join(one.name for one in statements)
        yield (
            f"While the writers commit, {names} run too, each a job of {JOB_S:.0f} s unless the scenario says more."
            f" A commit that rewrites data reads the manifests that it filters, {WORKERS} at a time, and merges."
        )


def footprint_at(ledger: Ledger, share: float, plain: Callable[[float, float], float] | None = None) -> Footprint:
    """What a commit reads and writes after this share of a ledger's commits, without the bytes of lost attempts; its
    JSON in `plain` bytes, as `Setup` has them.

    Only rows of the most common operation count, as others may be maintenance.
    """
    commonest = Counter(ledger.operation.tolist()).most_common(1)[0][0]
    chosen = ledger.operation == commonest
    commits, attempts = ledger.commit[chosen], np.nan_to_num(ledger.attempts[chosen], nan=1.0)

    def at(kind: Kind) -> float:
        column: Floats = ledger.written_bytes[kind][chosen] / attempts
        return float(np.interp(share * commits[-1], commits, column))

    def usual(kind: Kind) -> float:
        return float(np.median(ledger.written_bytes[kind][chosen])) if kind in ledger.written_bytes else 0.0

    data, deletes = usual(Kind.DATA_MANIFEST), usual(Kind.DELETE_MANIFEST)
    json_bytes = at(Kind.METADATA_JSON)
    return Footprint(
        metadata_json_bytes=json_bytes,
        json_text_bytes=0.0 if plain is None else plain(json_bytes, share * commits[-1]),
        manifest_list_bytes=at(Kind.MANIFEST_LIST),
        manifest_bytes=max(data, deletes),
        manifests_written=float((data > 0) + (deletes > 0)),
    )
