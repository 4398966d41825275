"""Where a table's files are, whatever location its metadata was written for."""

from collections.abc import Mapping

from wasim.storage import StoredFile, plain_path, scheme_of


class Places:
    """Finds the files that metadata names among those that a listing of the table's folder found.

    A path is looked for below the location that metadata.json gives, below the folder that was inspected, and then by
    its longest tail that the listing holds: a table that was moved or copied keeps the paths of its first home.
    """

    def __init__(self, *, root: str, location: str, files: Mapping[str, StoredFile], scheme: str = "file") -> None:
        """`root` is a plain path, on storage of this scheme; `files` are by their paths below it."""
        self.files = files
        self._scheme = scheme
        self.location_differs = plain_path(location) != root
        self._location = f"{location.rstrip('/')}/"
        self._prefixes = tuple(f"{place.rstrip('/')}/" for place in dict.fromkeys((plain_path(location), root)))
        self.found_by_tail = 0

    def key(self, uri: str) -> str:
        """The path below the table's folder; for a file outside it, its plain path with a leading slash, and on other
        storage its URI.
        """
        if uri.startswith(self._location) and (key := uri[len(self._location) :]) in self.files and ".." not in key:
            return key
        path = plain_path(uri)
        is_plain = "../" not in path or ".." not in path.split("/")
        below = [path[len(prefix) :] for prefix in self._prefixes if is_plain and path.startswith(prefix)]
        found = next((key for key in below if key in self.files), None)
        if found is None and (not below or self.location_differs):
            found = self._tail(path)
        if found is not None or below:
            return found or below[0]
        scheme, path = scheme_of(uri), f"/{path.lstrip('/')}"
        return path if scheme == self._scheme else f"{scheme}:/{path}"

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
    return key.startswith("/") or is_on_other_storage(key)


def is_on_other_storage(key: str) -> bool:
    """Whether a key of `Places.key` is a URI: plain paths have single slashes."""
    return "://" in key
