"""The ledger: file events ─► one row per commit ─► totals. One vocabulary for every engine.

`vocabulary` names kinds, actions and operations; `events` is the truth of the program; `commits` is the view by
commit; `totals` the view of that; `summed` a case of which an engine has sums alone; `contention` what writers in each
other's way cost; `planning` what probes saw, `readers` what saw it; `parquet` saves and reads them.
"""

from wasim.iceberg import Kind
from wasim.ledger.commits import Ledger, view_by_commit
from wasim.ledger.contention import Contention, sum_contention
from wasim.ledger.events import CommitReports, FileEvents, Recording, StepRecords
from wasim.ledger.readers import (
    FULL_SCAN,
    DirectoryScan,
    PlanningProbe,
    of_first_reader,
    percentile_ms,
    warm_full_scans,
)
from wasim.ledger.totals import OperationTotals, Summed, Totals, WriteAmplification, sum_by_operation, sum_events
from wasim.ledger.vocabulary import DATA_KINDS, METADATA_KINDS, Action, RequestKind, Requests, request_kind
