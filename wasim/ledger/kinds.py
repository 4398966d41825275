"""The kind of a table's file by its name, as the vocabulary of events has it."""

from wasim.iceberg import FileKind, classify
from wasim.ledger.vocabulary import Kind

_KINDS = {
    FileKind.METADATA_JSON: Kind.METADATA_JSON,
    FileKind.VERSION_HINT: Kind.VERSION_HINT,
    FileKind.MANIFEST_LIST: Kind.MANIFEST_LIST,
    FileKind.MANIFEST: Kind.DATA_MANIFEST,
    FileKind.STATISTICS: Kind.STATISTICS,
    FileKind.PARTITION_STATISTICS: Kind.STATISTICS,
    FileKind.DATA: Kind.DATA,
    FileKind.DELETES: Kind.DELETE_FILE,
    FileKind.DELETION_VECTORS: Kind.DELETE_FILE,
}


def kind_by_name(path: str) -> Kind | None:
    """The kind of the file at a path below a table; None for what is neither data nor metadata.

    Names do not tell manifests of delete files from others: they are data manifests here.
    """
    return _KINDS.get(classify(path))
