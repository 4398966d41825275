"""What a case says of its statements: which rows they touch, how often, and whether they merge on read."""

from wasim.scenario import Case
from wasim.workload import schedule
from wasim.years.arrivals import growing_fields


def merges_on_read(case: Case) -> bool:
    """Whether statements of the case write delete files."""
    modes = [getattr(change, "mode", None) for _, change in case.changes]
    upsert = case.writer.upsert
    return "merge-on-read" in modes or (upsert is not None and upsert.mode == "merge-on-read")


def between_statements(case: Case) -> float:
    """Commits that append, from one statement to the next; none where the writer's own commits are statements."""
    periods = [schedule(case, change).every_s for _, change in case.changes if change is not None]
    return min(periods, default=0.0) / case.commit_interval_s


def takes_shares(case: Case) -> bool:
    """Whether statements touch a share of all rows: of a table that grows, others each time."""
    return any(change.share is not None for _, change in case.changes if change is not None)


def places_of(case: Case) -> set[str]:
    """Whether statements touch rows `scattered` over the table, or at an `end` of it."""
    localities = [getattr(change, "locality", "newest") for _, change in case.changes if change is not None]
    if case.writer.upsert is not None and not case.key_columns:
        localities.append(case.writer.upsert.locality)
    return {"scattered" if locality == "scattered" else "end" for locality in localities}


def upserts_spread_out(case: Case) -> bool:
    """Whether equality deletes replace rows in all partitions by time that there are: every commit writes files into
    more of them.
    """
    upsert = case.writer.upsert
    is_scattered = bool(case.key_columns) and upsert is not None and upsert.locality == "scattered"
    return is_scattered and bool(growing_fields(case))


def touches_oldest(case: Case) -> bool:
    """Whether statements give the oldest rows new values, and leave them the oldest."""
    return any(getattr(change, "locality", "") == "oldest" for change in (case.changes.update, case.changes.merge))
