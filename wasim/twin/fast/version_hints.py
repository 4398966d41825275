"""Version hints of Hadoop's catalog: each metadata.json brings one, which holds its number."""

import numpy as np

from wasim.ledger import Kind, Totals
from wasim.model.digits import digits_through


def add_version_hints(totals: Totals, versions: int) -> None:
    """Enters the hints of the metadata.json of CREATE TABLE, numbered 1, and of so many since."""
    written, deleted = (int(one) for one in digits_through(1, np.array([versions + 1, versions])))
    totals.files_written[Kind.VERSION_HINT], totals.written_bytes[Kind.VERSION_HINT] = versions + 1, written
    totals.files_deleted[Kind.VERSION_HINT], totals.deleted_bytes[Kind.VERSION_HINT] = versions, deleted
