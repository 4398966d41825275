"""The words of the ledger: groups of kinds, actions and operations; and requests to S3, by kind, commit and step."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from wasim.iceberg import Kind
from wasim.units import Ints, Texts

# Position and equality deletes and deletion vectors are data: they carry the table's content.
DATA_KINDS = (Kind.DATA, Kind.DELETE_FILE)
MANIFEST_KINDS = (Kind.DATA_MANIFEST, Kind.DELETE_MANIFEST)
METADATA_KINDS = tuple(kind for kind in Kind if kind not in DATA_KINDS)
MERGED_KINDS = frozenset([Kind.MANIFEST_LIST, *MANIFEST_KINDS])  # of metadata what goes as appends merge


class Action(StrEnum):
    """What happened to a file."""

    WRITE = "write"
    DELETE = "delete"


CREATE_TABLE = "create-table"  # the one operation that writes metadata.json and makes no snapshot here
COMMIT_FAILED = "CommitFailedException"  # Iceberg's word for retries that are exhausted
OUTSIDE_COMMITS = -1  # the commit number of an event that belongs to no commit
SCHEMA_VERSION = 3  # of events, reports, steps and ledger.parquet


class RequestKind(StrEnum):
    """What a request is priced as. The parts of a multipart upload, and what begins and ends one, count as PUT."""

    PUT = "put"
    GET = "get"
    HEAD = "head"
    LIST = "list"
    DELETE = "delete"


def request_kind(request: str) -> RequestKind:
    """The kind of a request by S3's name for it, such as PutObject or ListObjectsV2."""
    if request.startswith(("Delete", "Abort")):
        return RequestKind.DELETE  # removing many objects in one POST is priced as removing one
    if request.startswith("List"):
        return RequestKind.LIST
    if request.startswith("Head"):
        return RequestKind.HEAD
    return RequestKind.GET if request.startswith("Get") else RequestKind.PUT


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """Requests as equal-length columns: `count` of them, `request` in S3's words, belonged to `commit` and `step`.

    `commit` is 1-based, or OUTSIDE_COMMITS. `step` numbers the workload's steps as in FileEvents (0 is CREATE TABLE);
    a step that commits nothing, such as an expiry, has its requests outside commits. -1 is a probe's.
    """

    commit: Ints
    step: Ints
    kind: Texts
    request: Texts
    count: Ints

    def __len__(self) -> int:
        return len(self.commit)

    def of_commits(self) -> dict[RequestKind, int]:
        """Requests of all commits together, by kind."""
        return self._by_kind(self.commit > 0)

    def of_steps(self) -> dict[RequestKind, int]:
        """Requests of all steps after CREATE TABLE together, whether they commit or not, by kind."""
        return self._by_kind(self.step > 0)

    def outside(self) -> dict[RequestKind, int]:
        """All others: of CREATE TABLE and of probes."""
        return self._by_kind(self.step <= 0)

    def _by_kind(self, chosen: np.ndarray) -> dict[RequestKind, int]:
        return {kind: int(self.count[chosen & (self.kind == kind)].sum()) for kind in RequestKind}
