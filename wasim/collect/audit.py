"""What a file is by its path, and the audit of a recording: its events compared with a listing of the table."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from wasim.errors import AuditMismatch
from wasim.iceberg import kind_by_name
from wasim.ledger import Action, FileEvents, Kind
from wasim.storage import open_storage

_TWIN = re.compile(r"/\.[^/]*\.crc$")


def classify(file: str, *, deletes: bool = False) -> Kind:
    """The kind of a table's file by its path under the table; `deletes` says that a manifest lists delete files."""
    return Kind.DELETE_MANIFEST if deletes else kind_by_name(file) or Kind.DATA


def local_path(location: str) -> str:
    """The path of a `file:` URI, or of a plain path."""
    return unquote(urlsplit(location).path) if location.startswith("file:") else location


def list_table(root: Path) -> dict[str, int]:
    """Bytes of every file under the table's location, by relative path; Hadoop's `.crc` twins are left out."""
    files = open_storage(str(root)).list(str(root))
    return {file.path.removeprefix(f"{root}/"): file.size_bytes for file in files if not _TWIN.search(file.path)}


def audit(events: FileEvents, listing: dict[str, int]) -> None:
    """Checks Σ written − Σ deleted = bytes on disk, file by file. AuditMismatch names the first that differs."""
    expected: dict[str, int] = {}
    for action, file, size in zip(events.action, events.file, events.bytes, strict=True):
        if action == Action.WRITE:
            expected[file] = int(size)
        else:
            expected.pop(file, None)
    for file in sorted(expected.keys() | listing.keys()):
        recorded, found = expected.get(file), listing.get(file)
        if recorded != found:
            kind = classify(file)
            raise AuditMismatch(
                f"Recorded bytes differ from the listing: {file} ({kind}) is {_size(recorded)} in the events,"
                f" {_size(found)} on disk."
                " Something other than wasim wrote to or deleted from this table; run the case again with --fresh."
            )


def _size(size: int | None) -> str:
    return "absent" if size is None else f"{size} B"
