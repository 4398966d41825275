"""What a store charges: a small YAML file with a date. The shipped one is used unless another is named."""

import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, ValidationError

from wasim.errors import ScenarioError
from wasim.scenario.document import MOST_BYTES, Refused, read_document
from wasim.scenario.examine import explain
from wasim.scenario.faults import mark_fault
from wasim.scenario.values import Number, Part

SHIPPED_PRICES = Path(__file__).parent / "prices.yaml"


def _version(value: object) -> object:
    if value in ("1", 1):
        return 1
    raise ValueError("1, the only version of this file")


def _day(value: object) -> str:
    try:
        return datetime.date.fromisoformat(str(value)).isoformat()
    except ValueError:
        raise ValueError("a day, such as 2026-01-31") from None


Price = Annotated[Number, Field(ge=0)]


class RequestPrices(Part):
    """Prices of a thousand requests, by kind."""

    put: Price = Field(description="PUT, COPY and POST, and each part of a multipart upload.")
    get: Price = Field(description="GET.")
    head: Price = Field(description="HEAD.")
    list: Price = Field(description="LIST.")
    delete: Price = Field(description="DELETE, of one object or of many.")


class Prices(Part):
    """What a store charges for requests and for keeping bytes."""

    version: Annotated[Literal[1], BeforeValidator(_version)] = Field(description="Version of this file's form.")
    source: str = Field(min_length=1, max_length=300, description="Whose prices these are.")
    as_of: Annotated[str, BeforeValidator(_day)] = Field(description="The day on which they were looked up.")
    currency: str = Field(min_length=1, max_length=12, description="What they are in, such as USD.")
    per_1000_requests: RequestPrices = Field(description="Prices of a thousand requests, by kind.")
    storage_per_gib_month: Price = Field(description="Price of keeping 2^30 bytes for a month.")


def load_prices(path: Path = SHIPPED_PRICES) -> Prices:
    """The prices in a file. ScenarioError with every fault, each with its position."""
    try:
        content = path.read_bytes()[: MOST_BYTES + 1]
    except OSError as error:
        reason = error.strerror or error
        raise ScenarioError([f"{path}: cannot be read: {reason}. Give the path of a file of prices."]) from None
    try:
        document, faults = read_document(content)
    except Refused as refused:
        document, faults = None, list(refused.faults)
    prices = None
    if document is not None:
        try:
            prices = Prices.model_validate(document.data)
        except ValidationError as errors:
            for found in errors.errors(include_url=False):
                fault = explain(found, Prices)
                faults.append(mark_fault(document.locate(fault.place, at_key=fault.at_key), fault))
    if faults or prices is None:
        raise ScenarioError([f"{path}:{each.mark.line}:{each.mark.column}: {each.text}" for each in sorted(faults)])
    return prices
