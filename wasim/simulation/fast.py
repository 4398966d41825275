"""A long history in sums: laws fitted to an exact simulation of its beginning, summed over its commits."""

from wasim.calibration import calibrate, calibrate_upkeep, calibrate_upserts, maintained_model
from wasim.checkpoints import checkpoint_ledger, maintained_ledger
from wasim.ledger import Summed
from wasim.scenario import Case
from wasim.twin import Site, WriterProfile
from wasim.twin.fast import (
    FastModel,
    fast_live_bytes,
    fast_totals,
    maintain_fast,
    maintained_live_bytes,
    maintained_totals,
    read_upkeep,
)


def sum_case(case: Case, profile: WriterProfile, site: Site) -> Summed:
    """The sums of a case of any length."""
    model = calibrate_upserts(case, profile, site) if case.key_columns else calibrate(case, profile, site)
    upkeep = read_upkeep(case)
    if upkeep is None:
        totals, live = fast_totals(model, case.commits), fast_live_bytes(model, case.commits)
        ledger, ingested = checkpoint_ledger(case, model), totals.data_bytes
    else:
        laws = calibrate_upkeep(case, model, profile, site)
        table = maintain_fast(maintained_model(model, upkeep, laws, case, profile))
        totals, live = maintained_totals(table), maintained_live_bytes(table)
        ledger, ingested = maintained_ledger(case, table), _ingested_bytes(model, case.commits)
    return Summed(
        totals=totals,
        live_bytes=live,
        ledger=ledger,
        ingested_bytes=ingested,
        operations=(),
        band={},
        approximated=(),
    )


def _ingested_bytes(model: FastModel, commits: int) -> int:
    """Data and delete files of the writer's, as summaries count them."""
    deletes = model.appends.deletes
    return round(commits * (model.appends.data_bytes_per_commit + (deletes.bytes if deletes is not None else 0.0)))
