"""What a simulating engine returns for a case: a recording, or sums where the history is too long to be recorded."""

from dataclasses import dataclass

from wasim.ledger.commits import Ledger
from wasim.ledger.contention import Contention
from wasim.ledger.events import Recording
from wasim.ledger.operations import OperationTotals
from wasim.ledger.totals import Totals
from wasim.ledger.vocabulary import Kind
from wasim.units import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """Every event of a case, and the bytes that its last snapshot and metadata.json reach."""

    recording: Recording
    live_bytes: dict[Kind, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanned:
    """The manifests that a full scan reads at the commits of a ledger: those that list live files.

    A manifest whose files have all been removed stays listed until a commit that may merge; no scan opens it.
    """

    manifests: Floats
    bytes: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Summed:
    """The sums of a whole case, and some of its commits.

    `totals` are written and deleted bytes and files by kind over the horizon, CREATE TABLE included. `ledger` holds
    some of the writer's commits, evenly spaced in the logarithm, the last one among them; columns that the engine does
    not know are NaN. `band` is the relative half-width, by kind, of the band that holds the true written bytes: 0.01
    is ±1 %, and 0 is exact. `approximated` are plain sentences: what was replaced by its mean in this case.
    """

    totals: Totals
    live_bytes: dict[Kind, int]  # reachable from the current snapshot (and the current metadata.json)
    ledger: Ledger
    ingested_bytes: int  # data bytes of rows when they first arrived
    operations: tuple[OperationTotals, ...]  # may be empty
    band: dict[Kind, float]
    approximated: tuple[str, ...]
    contention: Contention | None = None  # of several writers
    scanned: Scanned | None = None  # where the engine says which manifests have live files
