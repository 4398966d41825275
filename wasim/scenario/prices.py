"""What a store charges: a small YAML file with a date. The provider's shipped one is used unless another is named."""

from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field

from wasim.scenario.load import Day, FirstVersion, load_part
from wasim.scenario.values import Number, Part

SHIPPED_PRICES = Path(__file__).parent / "prices.yaml"
PROVIDERS = {
    "s3": "prices.yaml",
    "s3-express": "prices_s3_express.yaml",
    "gcs": "prices_gcs.yaml",
    "azure": "prices_azure.yaml",
    "azure-premium": "prices_azure_premium.yaml",
}
"""Files of the shipped list prices, by the provider's name as a user gives it."""


Price = Annotated[Number, Field(ge=0, le=1e9)]


class RequestPrices(Part):
    """Prices of a thousand requests, by kind."""

    put: Price = Field(description="PUT, COPY and POST, and each part of a multipart upload.")
    get: Price = Field(description="GET.")
    head: Price = Field(description="HEAD.")
    list: Price = Field(description="LIST.")
    delete: Price = Field(description="DELETE, of one object or of many.")


class Prices(Part):
    """What a store charges for requests and for keeping bytes."""

    version: FirstVersion = Field(description="Version of this file's form.")
    source: str = Field(min_length=1, max_length=300, description="Whose prices these are.")
    as_of: Day = Field(description="The day on which they were looked up.")
    currency: str = Field(min_length=1, max_length=12, description="What they are in, such as USD.")
    per_1000_requests: RequestPrices = Field(description="Prices of a thousand requests, by kind.")
    storage_per_gib_month: Price = Field(description="Price of keeping 2^30 bytes for a month.")
    upload_per_gib: Price = Field(default=0.0, description="Price of writing 2^30 bytes; most stores take none.")
    retrieval_per_gib: Price = Field(default=0.0, description="Price of reading 2^30 bytes within the region.")
    per_job: Price = Field(
        default=0.0003,
        description="Price of starting a maintenance job: 0.0003 on a running cluster; a minute, the least, of four"
        " vCPU of EMR Serverless is 0.005, of two DPU of Glue 0.0147.",
    )
    compute_per_core_hour: Price = Field(default=0.05, description="Price of a core for an hour, where jobs run.")


@cache
def prices_for(provider: str | None) -> Prices:
    """The shipped list prices of a provider, read once; S3's for one without any, such as local files."""
    return load_prices(SHIPPED_PRICES.parent / PROVIDERS.get(provider or "s3", PROVIDERS["s3"]))


def load_prices(path: Path = SHIPPED_PRICES) -> Prices:
    """The prices in a file. ScenarioError with every fault, each with its position."""
    return load_part(path, Prices, "a file of prices")
