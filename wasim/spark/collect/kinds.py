"""What a table's file is, by its path."""

from urllib.parse import unquote, urlsplit

from wasim.iceberg import names
from wasim.iceberg.names import FileKind
from wasim.ledger import Kind

_KINDS = {
    FileKind.METADATA_JSON: Kind.METADATA_JSON,
    FileKind.VERSION_HINT: Kind.VERSION_HINT,
    FileKind.MANIFEST_LIST: Kind.MANIFEST_LIST,
    FileKind.MANIFEST: Kind.DATA_MANIFEST,
    FileKind.STATISTICS: Kind.STATISTICS,
    FileKind.PARTITION_STATISTICS: Kind.STATISTICS,
    FileKind.DELETES: Kind.DELETE_FILE,
    FileKind.DELETION_VECTORS: Kind.DELETE_FILE,
}


def classify(file: str, *, deletes: bool = False) -> Kind:
    """The kind of a table's file by its path under the table; `deletes` says that a manifest lists delete files."""
    if deletes:
        return Kind.DELETE_MANIFEST
    return _KINDS.get(names.classify(file), Kind.DATA)


def local_path(location: str) -> str:
    """The path of a `file:` URI, or of a plain path."""
    return unquote(urlsplit(location).path) if location.startswith("file:") else location
