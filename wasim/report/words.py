"""Figures and names as text, the same in tables, charts and sentences."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from wasim.ledger import Kind

ABSENT = "–"
KIND_NAMES = {
    Kind.METADATA_JSON: "metadata.json",
    Kind.MANIFEST_LIST: "manifest lists",
    Kind.DATA_MANIFEST: "manifests",
    Kind.DELETE_MANIFEST: "delete manifests",
    Kind.STATISTICS: "statistics",
    Kind.VERSION_HINT: "version hint",
    Kind.DATA: "data files",
    Kind.DELETE_FILE: "delete files",
}
SMALLEST_SUM = 0.01


def format_sum(amount: float) -> str:
    """An amount of money as people write it; less than a cent is `<0.01`, and from a hundred on there are no cents."""
    if 0 < amount < SMALLEST_SUM:
        return f"<{SMALLEST_SUM}"
    return f"{amount:,.0f}" if amount >= 100 else f"{amount:,.2f}"


def listed(words: Iterable[str]) -> str:
    """`daily expiry, manifest rewriting and deletion after commit`; empty for no words."""
    each = list(words)
    return " and ".join(part for part in (", ".join(each[:-1]), *each[-1:]) if part)


def format_share(share: float) -> str:
    """A share in whole per cent; with a decimal where it would be rounded to all or nothing."""
    digits = 1 if share and (share < 0.01 or share > 0.99) else 0
    return f"{share * 100:.{digits}f} %"


def leaves(
    value: Any,  # noqa: ANN401 - any JSON value
    name_of: Callable[[Any, int], str] | None = None,
    name: str = "",
) -> Iterator[tuple[str, Any]]:
    """The values in nested mappings by dotted name, in their order; lists are values too unless `name_of` names what
    they hold, by the item and its place.
    """
    if isinstance(value, Mapping):
        items: Iterable[tuple[Any, Any]] = value.items()
    elif isinstance(value, list) and name_of is not None:
        items = ((name_of(item, place), item) for place, item in enumerate(value))
    else:
        yield name, value
        return
    for key, item in items:
        yield from leaves(item, name_of, f"{name}.{key}" if name else str(key))
