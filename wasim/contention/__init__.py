"""Several writers on one table: how often commits conflict, how long they take, and how many a table sustains.

`race` simulates the attempts, with the retries of Iceberg's `Tasks` and each catalog's handling of a stale commit
(`conflicts`); `writer_times` are measured (`measure`), or modelled from the requests of an attempt to a store
(`attempt_times`, `providers`). Start at `latency`: `commit_latency` and `sustained_rate`.
"""

from wasim.contention.attempt_times import Footprint
from wasim.contention.case_latency import (
    ModelledLatency,
    Setup,
    footprint_at,
    model_latency,
    provider_of,
    statements_of,
    times_of,
)
from wasim.contention.conflicts import CONFLICT_RULES, ConflictRule, conflict_rule
from wasim.contention.latency import (
    CommitLatency,
    LatencyRequest,
    PeriodicStatement,
    SustainedRate,
    commit_latency,
    sustained_rate,
)
from wasim.contention.measure import measure_contention
from wasim.contention.outcome import SUSTAINED, Outcome, outcome_of
from wasim.contention.providers import LOCAL, Providers, catalog_named, commit_slowing, load_providers, provider_named
from wasim.contention.races import Attempt, RaceRules, WriterGroup, race, race_of, rules_of
from wasim.contention.writer_times import QUANTILES, WriterTimes, arrivals_of, due_s, times_among
