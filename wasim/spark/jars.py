"""The pinned jars: fetched once through the Ivy inside pyspark, checked by SHA-256, then used without a network.

This is how `spark.jars.packages` fetches too; doing it ahead lets the recorder compile against the same jars before
Spark starts, and spares every later session the resolution (see docs/decisions/0002-jars.md).
"""

import hashlib
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from wasim.errors import EnvironmentFault
from wasim.spark.java import SPARK_JARS, find_java


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedJar:
    """A jar by its Maven coordinates and the SHA-256 that it must have."""

    organisation: str
    name: str
    version: str
    sha256: str

    @property
    def file_name(self) -> str:
        """The jar's name on disk."""
        return f"{self.name}-{self.version}.jar"

    @property
    def coordinates(self) -> str:
        """As `spark.jars.packages` writes it."""
        return f"{self.organisation}:{self.name}:{self.version}"


PINNED_JARS = (
    PinnedJar(
        organisation="org.apache.iceberg",
        name="iceberg-spark-runtime-4.1_2.13",
        version="1.12.0",
        sha256="3123c3798af642dd537230923548e013ef41cc28b6626e5225808cf5670a0f82",
    ),
    PinnedJar(
        organisation="org.xerial",
        name="sqlite-jdbc",
        version="3.50.3.0",
        sha256="a3f53a2aa15ae9425a9e793bbe9c8e5288febeb4b65ef5c1a4e80d4c2045cf08",
    ),
)


def cache_folder() -> Path:
    """Where jars are kept between runs: $WASIM_CACHE, else `wasim` under the user's cache folder."""
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


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch_jars() -> tuple[Path, ...]:
    """Paths of the pinned jars, fetched if need be. EnvironmentFault if one is unreachable or not what was pinned."""
    folder = cache_folder() / "jars"
    folder.mkdir(exist_ok=True)
    return tuple(_fetch(jar, folder) for jar in PINNED_JARS)


def _fetch(jar: PinnedJar, folder: Path) -> Path:
    target = folder / jar.file_name
    if target.exists() and file_sha256(target) == jar.sha256:
        return target
    # fetched beside and renamed, so that two runs at once, or a killed one, leave no half jar
    with tempfile.TemporaryDirectory(dir=folder) as beside:
        said = _run_ivy(jar, Path(beside))
        fetched = Path(beside) / jar.file_name
        if not fetched.exists():
            last = next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "no output")
            raise EnvironmentFault(
                f"{jar.coordinates} could not be fetched ({last}). Check the network or proxy, name a mirror in an Ivy"
                f" settings file (WASIM_IVY_SETTINGS), or put {jar.file_name} into {folder} yourself."
            )
        found = file_sha256(fetched)
        if found != jar.sha256:
            raise EnvironmentFault(
                f"{jar.coordinates} has SHA-256 {found}, not the pinned {jar.sha256}. Do not use it; check the mirror."
            )
        fetched.replace(target)
    return target


def _run_ivy(jar: PinnedJar, folder: Path) -> str:
    settings = os.environ.get("WASIM_IVY_SETTINGS")
    ivy = next(SPARK_JARS.glob("ivy-*.jar"))
    command = [
        str(find_java().executable), "-cp", str(ivy), "org.apache.ivy.Main",
        *(["-settings", settings] if settings else []),
        "-cache", str(folder / "ivy"), "-notransitive", "-types", "jar", "-confs", "default",
        "-dependency", jar.organisation, jar.name, jar.version,
        "-retrieve", f"{folder}/[artifact]-[revision].[ext]",
    ]  # fmt: skip
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    return said.stdout + said.stderr
