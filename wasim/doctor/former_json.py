"""When the former metadata.json that the log no longer names were written."""

from collections import Counter
from collections.abc import Iterator

from wasim.doctor.opening import metadata_version
from wasim.doctor.tree import Tree
from wasim.ledger import Kind


def former_json(tree: Tree) -> Iterator[tuple[int, str]]:
    """The `last-updated-ms` and key of each such file whose version no other file has.

    Several files of one version were written by writers that raced, and which of them won is not known.
    """
    versions = Counter(metadata_version(file.key) for file in tree.files if file.kind is Kind.METADATA_JSON)
    for key, head in tree.json_heads.items():
        version = metadata_version(key)
        if head is not None and version >= 0 and versions[version] == 1:
            yield head.last_updated_ms, key
