"""The words of the ledger: what a file is, what happened to it, and what the table was doing."""

from enum import StrEnum

from wasim.iceberg import FileKind, classify


class Kind(StrEnum):
    """What a file of an Iceberg table is. The order is the order of every table and chart."""

    METADATA_JSON = "metadata_json"
    MANIFEST_LIST = "manifest_list"
    DATA_MANIFEST = "data_manifest"
    DELETE_MANIFEST = "delete_manifest"
    STATISTICS = "statistics"
    VERSION_HINT = "version_hint"
    DATA = "data"
    DELETE_FILE = "delete_file"


# Position and equality deletes and deletion vectors are data: they carry the table's content.
DATA_KINDS = (Kind.DATA, Kind.DELETE_FILE)
MANIFEST_KINDS = (Kind.DATA_MANIFEST, Kind.DELETE_MANIFEST)
METADATA_KINDS = tuple(kind for kind in Kind if kind not in DATA_KINDS)


class Action(StrEnum):
    """What happened to a file."""

    WRITE = "write"
    DELETE = "delete"


CREATE_TABLE = "create-table"  # the one operation that writes metadata.json and makes no snapshot here
COMMIT_FAILED = "CommitFailedException"  # Iceberg's word for retries that are exhausted
OUTSIDE_COMMITS = -1  # the commit number of an event that belongs to no commit
SCHEMA_VERSION = 3  # of events, reports, steps and ledger.parquet


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
