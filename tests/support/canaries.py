"""Secrets that are looked for: planted wherever wasim draws one, so that whatever holds one is found by its words."""

from pathlib import Path

import pyarrow.parquet as pq

from wasim.spark import random_secret

SECRET = f"canary{random_secret()[:8]}"  # another in every run: who looks for one of another run does no harm
_DRAWN = random_secret


def planted() -> str:
    """A secret as wasim draws it, which begins as all of this test run do."""
    return SECRET + _DRAWN()[len(SECRET) :]


def betrayed(*folders: Path) -> list[str]:
    """Files below the folders that hold a planted secret."""
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert files
    return [str(path) for path in files if _holds_a_secret(path)]


def _holds_a_secret(path: Path) -> bool:
    content = path.read_bytes()
    if path.suffix == ".parquet":
        content += str(pq.read_table(path).to_pydict()).encode()
    return SECRET.encode() in content
