"""Where a table's files are, whatever location its metadata was written for."""

from collections.abc import Mapping

from wasim.storage import StoredFile, plain_path


class Places:
    """Finds the files that metadata names among those that a listing of the table's folder found.

    A path is looked for below the location that metadata.json gives, below the folder that was inspected, and then by
    its longest tail that the listing holds: a table that was moved or copied keeps the paths of its first home.
    """

    def __init__(self, *, root: str, location: str, files: Mapping[str, StoredFile]) -> None:
        """`root` is a plain path, `files` are by their paths below it."""
        self.files = files
        self.location_differs = plain_path(location) != root
        self._prefixes = tuple(f"{place.rstrip('/')}/" for place in dict.fromkeys((plain_path(location), root)))
        self.found_by_tail = 0

    def key(self, uri: str) -> str:
        """The path below the table's folder; for a file outside it, its plain path with a leading slash."""
        path = plain_path(uri)
        below = [path[len(prefix) :] for prefix in self._prefixes if path.startswith(prefix)]
        found = next((key for key in below if key in self.files), None)
        if found is None and (not below or self.location_differs):
            found = self._tail(path)
        return found or (below[0] if below else f"/{path.lstrip('/')}")

    def _tail(self, path: str) -> str | None:
        parts = path.strip("/").split("/")
        for start in range(len(parts) - 1):
            tail = "/".join(parts[start:])
            if tail in self.files:
                self.found_by_tail += 1
                return tail
        return None


def full_path(root: str, key: str) -> str:
    """The plain path of the file of a key that is not outside the table's folder."""
    return f"{root.rstrip('/')}/{key}"


def is_outside(key: str) -> bool:
    """Whether a key of `Places.key` is that of a file outside the table's folder."""
    return key.startswith("/")
