"""What an expiry of snapshots frees: the files that no snapshot left over holds."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence, Set

from wasim.doctor.content import ContentFiles
from wasim.doctor.lists import ManifestIndex
from wasim.doctor.table_files import Amount, FileState, State
from wasim.doctor.tree import Tree
from wasim.ledger import Kind

_BY_SNAPSHOT = (Kind.MANIFEST_LIST, Kind.STATISTICS)
_CONTENT = (Kind.DATA, Kind.DELETE_FILE)


class Expirable:
    """The retained files of a tree, gathered once for every expiry that is looked at."""

    def __init__(self, tree: Tree) -> None:
        self.index, self.content = tree.index, tree.content
        self.files = [one for one in tree.files if one.state is State.RETAINED and one.kind is not None]
        self.manifest_places = {key: place for place, key in enumerate(self.index.keys)}

    def freed(self, kept: Set[int]) -> dict[Kind, Amount]:
        """Files and bytes by kind that go if only the snapshots of these ids stay.

        Data that a manifest of a snapshot left over may hold, because it could not be read, stays.
        """
        places = {place for place, one in enumerate(self.index.snapshots) if one.snapshot_id in kept}
        sizes: dict[Kind, list[int]] = {}
        for file in self._going(places, stays_with(self.index, kept)):
            if file.kind is not None:
                sizes.setdefault(file.kind, []).append(file.bytes)
        return {kind: Amount(files=len(found), bytes=sum(found)) for kind, found in sizes.items()}

    def _going(self, places: Set[int], stays: Sequence[bool]) -> Iterator[FileState]:
        content = self.content if self.content is not None and not self.content.unread_manifests else None
        for file in self.files:
            if file.kind in _BY_SNAPSHOT:
                is_kept = file.last_seen is None or file.last_seen in places
            elif file.kind in _CONTENT:
                is_kept = content is None or any(stays[one] for one in _manifests_of(content, file.key))
            else:
                is_kept = stays[self.manifest_places[file.key]]
            if not is_kept:
                yield file


def stays_with(index: ManifestIndex, kept: Set[int]) -> list[bool]:
    """Of each manifest, whether one of the snapshots of these ids holds it."""
    places = [place for place, one in enumerate(index.snapshots) if one.snapshot_id in kept]
    return [_holds_any(spans, places) for spans in index.spans]


def _manifests_of(content: ContentFiles, key: str) -> Iterator[int]:
    place = content.places[key]
    yield content.manifests[place]
    yield from content.others.get(place, ())


def _holds_any(spans: Sequence[tuple[int, int]], places: Sequence[int]) -> bool:
    """Whether one of the places, which ascend, is in one of the spans."""
    return any((at := bisect_left(places, first)) < len(places) and places[at] <= last for first, last in spans)
