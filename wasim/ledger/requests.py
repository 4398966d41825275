"""HTTP requests to an S3 store, counted: by commit and by what they asked for."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from wasim.units import Ints, Texts


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
