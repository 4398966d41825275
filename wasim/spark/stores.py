"""Stores other than local folders that a case's table can lie in."""

import os
import secrets
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Store:
    """Objects below `location` (`s3://bucket/prefix`, no slash at the end) of AWS, or of the `endpoint` that is named.

    `credentials` names a file as `write_secrets` makes it, with `access_key_id` and `secret_access_key`; without one,
    AWS's own chain finds them: environment, profile, role.
    """

    location: str
    endpoint: str | None
    region: str
    credentials: Path | None

    def properties(self) -> dict[str, str]:
        """What Iceberg's S3FileIO needs to reach it."""
        found = {"io-impl": "org.apache.iceberg.aws.s3.S3FileIO", "client.region": self.region}
        if self.endpoint is not None:
            # an endpoint of one's own seldom has a host name for every bucket
            found |= {"s3.endpoint": self.endpoint, "s3.path-style-access": "true"}
        if self.credentials is not None:
            found |= {
                "client.credentials-provider": "wasim.s3.FileCredentials",
                "client.credentials-provider.file": str(self.credentials),
            }
        return found


def write_secrets(folder: Path, values: Mapping[str, str]) -> Path:
    """A new file in `folder` that only its owner may read, with `values` as Java's properties."""
    descriptor, path = tempfile.mkstemp(dir=folder)
    with os.fdopen(descriptor, "w") as file:
        file.writelines(f"{key}={value}\n" for key, value in values.items())
    return Path(path)


def read_secrets(path: Path) -> dict[str, str]:
    """What `write_secrets` wrote."""
    lines = path.read_text().splitlines()
    return {key: value for key, _, value in (line.partition("=") for line in lines)}


def random_secret() -> str:
    """Forty hex digits that nobody can guess; they need no quoting anywhere."""
    return secrets.token_hex(20)
