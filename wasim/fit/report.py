"""The results of a fit as values, and as JSON: coefficients with their uncertainty, held-out errors."""

import math
from dataclasses import dataclass, fields, is_dataclass
from typing import Literal

from wasim.ledger import Kind

Slope = Literal["library", "measured", "simulated", "untimed"]
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A figure with its uncertainty: `low` and `high` bound a 95 % interval."""

    low: float
    best: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """One coefficient of one equation. `estimate` is None where the run cannot identify it; `note` then says why."""

    name: str  # e.g. retained_snapshots
    unit: str  # e.g. B per snapshot
    estimate: Estimate | None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostFit:
    """The fitted cost of one kind for one writer: bytes written per commit as a sum of drivers."""

    writer: str
    kind: Kind
    coefficients: tuple[Coefficient, ...]
    r_squared: float
    rms_bytes: float
    commits: int  # rows fitted
    naive_bytes: float = 0.0  # the naive model's one constant: the mean of the fitted commits
    naive_rms_bytes: float = 0.0  # its error per commit, on the very commits that it was made from


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyFit:
    """A fitted latency in milliseconds: table load, scan planning, commit or step."""

    writer: str | None  # None: over all writers
    latency: str  # load | planning | commit | step
    coefficients: tuple[Coefficient, ...]
    r_squared: float
    samples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """A prediction for commits that the fit did not see, with their measured sum; errors are shares of the latter."""

    writer: str
    quantity: str  # a Kind, or a latency
    unit: str  # B or ms
    fitted_on: str  # in words: "1s, 15s"
    predicted_for: str
    measured: float
    predicted: float
    naive: float  # the model with one constant per commit
    how: str = "intervals"  # intervals: some intervals held out; second_half: the later half of every case's commits

    @property
    def error(self) -> float:
        """(predicted − measured) ÷ measured."""
        return (self.predicted - self.measured) / self.measured

    @property
    def naive_error(self) -> float:
        """(naive − measured) ÷ measured."""
        return (self.naive - self.measured) / self.measured


@dataclass(frozen=True, slots=True, kw_only=True)
class SustainableInterval:
    """The smallest commit interval at which a commit still fits into its interval at the end of the horizon.

    `slope` says where the milliseconds per snapshot come from: `measured`, from the run's commits, which slowed down;
    `library`, from Iceberg's own library (`commit_slowing`), where the run saw no slowing. `high` is infinite where,
    in over 2.5 % of the draws of the law, rows alone outrun the writer. `commits_seen` is how many commits the longest
    case made.
    """

    writer: str
    case: str  # what it stands for: writer and table
    horizon_s: float
    interval_s: Estimate
    slope: Slope
    r_squared: float  # of the law of steps
    commits_seen: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepsUp:
    """Until when a writer keeps up at one commit interval while nothing maintains the table.

    `until_s` is event time: infinite where steps do not slow down, 0 where the interval is too short from the start.
    `slope` is as of `SustainableInterval`, or `untimed`, where no commit was timed and the library's slowing counts
    alone, or `simulated`, where the writer keeps up at least to the end of the simulation, `until_s`.
    """

    writer: str
    case: str
    commit_interval_s: float
    until_s: float
    slope: Slope
    commits_seen: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPoint:
    """Metadata that the model gives for a case at one interval, over the horizon of the run.

    `writer` names the fit that it comes from, `case` what it stands for: a case's label without its interval.
    """

    writer: str
    case: str
    commit_interval_s: float
    horizon_s: float
    metadata_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FitReport:
    """The results of a run's fit.

    `ingest` is the law of data bytes per commit, one per writer, in the form of a cost. `model_line` is what the model
    gives at the run's own horizon over a fine grid of commit intervals, for charts. `notes` are sentences on what could
    not be fitted.
    """

    costs: tuple[CostFit, ...]
    latencies: tuple[LatencyFit, ...]
    held_out: tuple[HeldOut, ...]
    sustainable: tuple[SustainableInterval, ...]
    keeps_up: tuple[KeepsUp, ...] = ()
    ingest: tuple[CostFit, ...] = ()
    model_line: tuple[ModelPoint, ...] = ()
    notes: tuple[str, ...] = ()


def fit_document(report: FitReport) -> dict[str, object]:
    """The report as plain JSON values under its field names, `schema_version` first, held-out errors added."""
    parts = {field.name: _plain(getattr(report, field.name)) for field in fields(report)}
    return {"schema_version": SCHEMA_VERSION, **parts}


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        errors = {"error": value.error, "naive_error": value.naive_error} if isinstance(value, HeldOut) else {}
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)} | errors
    if isinstance(value, tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
