"""Sizes of a table's metadata that are known to cause trouble, each with its source: the one list of them."""

from dataclasses import dataclass

_MB = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A size that is known to cause trouble: the quantity, its value, and the source with its address if it has one.

    Of metadata.json `is_stored` judges the file, which may be compressed; else it is the JSON in it, which a REST
    catalog answers with and a reader holds in memory.
    """

    name: str
    quantity: str  # metadata_json_bytes, manifests, manifest_bytes or metadata_share
    value: float
    source: str
    link: str = ""
    is_stored: bool = False


_GITHUB = "https://github.com"
JSON_MARKS = tuple(
    Mark(
        name=f"metadata.json of {size} MB",
        quantity="metadata_json_bytes",
        value=size * _MB,
        source=source,
        link=f"{_GITHUB}/{path}" if path else "",
        is_stored=size
        == 5,  # "metadata file … exceeds the maximum allowed size"; the others parse, or answer with JSON
    )
    for size, source, path in (
        (5, "S3 Tables refuses it", "estuary/connectors/issues/3984"),
        (7, "duckdb-iceberg#551", "duckdb/duckdb-iceberg/issues/551"),
        (10, "REST catalogs behind a gateway", ""),
        (25, "estuary#3404", "estuary/connectors/issues/3404"),
        (50, "a second a load", ""),
    )
)
MANY_MANIFESTS = Mark(name="500 manifests", quantity="manifests", value=500, source="floe")
LARGE_MANIFESTS = Mark(
    name="512 MB of manifests",
    quantity="manifest_bytes",
    value=512 * _MB,
    source="trino#30942",
    link=f"{_GITHUB}/trinodb/trino/issues/30942",
)
MARKS = (
    *JSON_MARKS,
    MANY_MANIFESTS,
    Mark(name="5,000 manifests", quantity="manifests", value=5_000, source="250 KB for every manifest list"),
    LARGE_MANIFESTS,
    Mark(name="metadata larger than data", quantity="metadata_share", value=1.0, source="a ratio of 1"),
)
