"""Where wasim keeps what it fetched or compiled."""

import os
from pathlib import Path

from wasim.errors import EnvironmentFault


def cache_folder() -> Path:
    """The folder of what is kept between runs: $WASIM_CACHE, else `wasim` under the user's cache folder."""
    own = os.environ.get("WASIM_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(own) if own else Path(base, "wasim")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvironmentFault(
            f"{folder}: cannot be made ({error.strerror}). Set WASIM_CACHE to a folder that you may write."
        ) from error
    return folder
