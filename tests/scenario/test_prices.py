"""Prices: what their file may say, and mistakes with their place."""

from pathlib import Path

import pytest

from wasim.errors import ScenarioError
from wasim.scenario.prices import PROVIDERS, SHIPPED_PRICES, load_prices, prices_for


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (("put: 0.005", "put: -1"), '7:8: per_1000_requests.put is "-1". Give at least 0.'),
        (("  head: 0.0004", "  heads: 0.0004"), "per_1000_requests.heads is unknown. Did you mean head?"),
        (("version: 1", "version: 2"), '2:10: version is "2". Give 1, the only version of this file.'),
        (("as_of: 2026-11-21", "as_of: today"), 'as_of is "today". Give a day, such as 2026-01-31.'),
        (("storage_per_gib_month: 0.023", "# none"), "storage_per_gib_month is missing. Add it: "),
        (("currency: USD", "currency: !t USD"), "has a tag (!)"),
    ],
)
def test_a_mistake_in_prices_is_told_with_its_place(change: tuple[str, str], line: str, tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(SHIPPED_PRICES.read_text().replace(*change))
    with pytest.raises(ScenarioError) as fault:
        load_prices(path)
    assert str(fault.value).startswith(f"{path}:")
    assert line in str(fault.value)


def test_prices_that_are_not_there_are_told(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="no such file"):
        load_prices(tmp_path / "none.yaml")


@pytest.mark.parametrize(("line", "most"), [("source: ", 300), ("currency: ", 12)])
def test_a_word_in_prices_has_a_bound(line: str, most: int, tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    others = [one for one in SHIPPED_PRICES.read_text().splitlines() if not one.startswith(line)]
    path.write_text("\n".join([line + "x" * most, *others]))
    assert len(getattr(load_prices(path), line[:-2])) == most
    path.write_text("\n".join([line + "x" * (most + 1), *others]))
    with pytest.raises(ScenarioError, match=line[:-2]):
        load_prices(path)


@pytest.mark.parametrize("name", PROVIDERS)
def test_every_provider_charges_more_for_writing_than_reading(name: str) -> None:
    prices = prices_for(name).per_1000_requests
    assert prices.put > prices.get > prices.delete >= 0
