"""When the former metadata.json that the log no longer names were written: by what stands at their beginning."""

import re
import zlib
from collections import Counter
from collections.abc import Iterator

from wasim.doctor.states import State
from wasim.doctor.tree import Tree
from wasim.iceberg.names import parse_metadata_name
from wasim.ledger import Kind
from wasim.storage import StorageError

_HEAD_BYTES, _TEXT_BYTES = 4_096, 16_384
_MOST_FILES = 20_000
_UPDATED = re.compile(rb'"last-updated-ms"\s*:\s*(\d{1,18})\b')


def former_json(tree: Tree) -> Iterator[tuple[int, str]]:
    """The `last-updated-ms` and key of each such file whose version no other file has; of the newest 20,000.

    Several files of one version are those of writers that raced, and which of them won nobody can tell. On S3 each
    would cost a request, so there they are passed over.
    """
    if tree.opened.storage.scheme != "file":
        return
    keys = [file.key for file in tree.files if file.kind is Kind.METADATA_JSON]
    versions = Counter(_version(key) for key in keys)
    unnamed = [
        file.key for file in tree.files if file.kind is Kind.METADATA_JSON and file.state in (State.ORPHAN, State.YOUNG)
    ]
    for key in sorted(unnamed)[-_MOST_FILES:]:
        version = _version(key)
        if version is None or versions[version] > 1:
            continue
        updated_ms = _updated_ms(tree, key)
        if updated_ms is not None:
            yield updated_ms, key


def _version(key: str) -> int | None:
    name = parse_metadata_name(key.rpartition("/")[2])
    return None if name is None else name.version


def _updated_ms(tree: Tree, key: str) -> int | None:
    try:
        head = tree.opened.storage.read(f"{tree.opened.root.rstrip('/')}/{key}", head=_HEAD_BYTES)
        text = zlib.decompressobj(31).decompress(head, _TEXT_BYTES) if head[:2] == b"\x1f\x8b" else head
    except (FileNotFoundError, StorageError, zlib.error):
        return None
    match = _UPDATED.search(text)
    return int(match[1]) if match else None
