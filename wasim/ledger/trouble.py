"""Sizes of a table's metadata that are known to cause trouble, each with its source: the one list of them."""

from dataclasses import dataclass

_MB = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A size that is known to cause trouble: the quantity, its value, and the source."""

    name: str
    quantity: str  # metadata_json_bytes, manifests, manifest_bytes or metadata_share
    value: float
    source: str


JSON_MARKS = tuple(
    Mark(name=f"metadata.json of {size} MB", quantity="metadata_json_bytes", value=size * _MB, source=source)
    for size, source in (
        (5, "S3 Tables refuses it"),
        (7, "duckdb-iceberg#551"),
        (10, "REST catalogs behind a gateway"),
        (25, "estuary#3404"),
        (50, "a second a load"),
    )
)
MANY_MANIFESTS = Mark(name="500 manifests", quantity="manifests", value=500, source="floe")
LARGE_MANIFESTS = Mark(name="512 MB of manifests", quantity="manifest_bytes", value=512 * _MB, source="trino#30942")
MARKS = (
    *JSON_MARKS,
    MANY_MANIFESTS,
    Mark(name="5,000 manifests", quantity="manifests", value=5_000, source="250 KB for every manifest list"),
    LARGE_MANIFESTS,
    Mark(name="metadata larger than data", quantity="metadata_share", value=1.0, source="a ratio of 1"),
)
