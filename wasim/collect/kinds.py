"""What a table's file is, by its path."""

from urllib.parse import unquote, urlsplit

from wasim.ledger import Kind
from wasim.ledger.vocabulary import kind_by_name


def classify(file: str, *, deletes: bool = False) -> Kind:
    """The kind of a table's file by its path under the table; `deletes` says that a manifest lists delete files."""
    if deletes:
        return Kind.DELETE_MANIFEST
    return kind_by_name(file) or Kind.DATA


def local_path(location: str) -> str:
    """The path of a `file:` URI, or of a plain path."""
    return unquote(urlsplit(location).path) if location.startswith("file:") else location
