"""The jars that wasim uses, by their Maven coordinates and SHA-256: fetched once, then used without a network.

Only PINNED_JARS are always needed; the others are fetched when a scenario first asks for what they do.

The Ivy inside pyspark fetches, as for `spark.jars.packages`; doing it ahead lets the recorder compile against
the same jars before Spark starts, and later sessions need not resolve them (see docs/decisions/0002-jars.md).
"""

import hashlib
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wasim.compiled import cache_folder
from wasim.errors import EnvironmentFault
from wasim.spark.java import SPARK_JARS, find_java

# a file, because the command line knows no classifiers
_IVY_FILE = """<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">
  <info organisation="wasim" module="wanted"/>
  <dependencies>
{dependencies}
  </dependencies>
</ivy-module>
"""
_DEPENDENCY = """    <dependency org="{jar.organisation}" name="{jar.name}" rev="{jar.version}" transitive="false"
        conf="default->*">
      <artifact name="{jar.name}" type="jar" ext="jar" {classifier}/>
    </dependency>"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedJar:
    """A jar by its Maven coordinates and the SHA-256 that it must have."""

    organisation: str
    name: str
    version: str
    sha256: str
    classifier: str = ""

    @property
    def file_name(self) -> str:
        """The jar's name on disk."""
        return f"{self.name}-{self.version}{self.classifier and '-'}{self.classifier}.jar"

    @property
    def coordinates(self) -> str:
        """As Maven and `spark.jars.packages` write it."""
        parts = (self.organisation, self.name, self.version, self.classifier)
        return ":".join(part for part in parts if part)


def listed_jars(file: Path) -> tuple[PinnedJar, ...]:
    """The jars in a file: in each line organisation, name, version, SHA-256 and, if it has one, a classifier."""
    lines = (line.split() for line in file.read_text().splitlines())
    return tuple(
        PinnedJar(organisation=organisation, name=name, version=version, sha256=sha256, classifier="".join(classifier))
        for organisation, name, version, sha256, *classifier in lines
    )


_JARS = {
    jar.classifier or jar.name: jar for jar in listed_jars(Path(__file__).with_name("jars.txt"))
}  # of those with a classifier, by that
SQLITE, AWS_BUNDLE, POSTGRESQL = _JARS["sqlite-jdbc"], _JARS["iceberg-aws-bundle"], _JARS["postgresql"]
S3PROXY = _JARS["jar-with-dependencies"]
PINNED_JARS = (_JARS["iceberg-spark-runtime-4.1_2.13"], SQLITE)
# iceberg-core as Iceberg publishes it, its dependencies not inside: what serves REST is made for these. Its tests are
# of 1.11.0: 1.12.0 has none published.
_FOR_REST = (
    "iceberg-core", "tests", "iceberg-api", "iceberg-common", "iceberg-aws", "iceberg-bundled-guava", "caffeine",
    "failsafe", "httpclient5", "httpcore5",
)  # fmt: skip
REST_SERVER_JARS = (*(_JARS[name] for name in _FOR_REST), SQLITE)


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch_jars(jars: Sequence[PinnedJar] = PINNED_JARS) -> tuple[Path, ...]:
    """Paths of the jars, fetched if need be. EnvironmentFault if one is unreachable or not what was pinned."""
    folder = cache_folder() / "jars"
    folder.mkdir(exist_ok=True)
    missing = [jar for jar in jars if not _is_there(jar, folder)]
    if missing:
        # fetched to a folder of its own and renamed, so that two runs at once, or a killed one, leave no half jar
        for wanted in _rounds(missing):
            with tempfile.TemporaryDirectory(dir=folder) as fetching:
                said = _run_ivy(wanted, Path(fetching))
                for jar in wanted:
                    _keep(jar, Path(fetching) / jar.file_name, folder, said)
    return tuple(folder / jar.file_name for jar in jars)


def _rounds(jars: Sequence[PinnedJar]) -> list[list[PinnedJar]]:
    """The jars in as few runs of Ivy as it takes: of two that have one organisation and name, a run fetches but one."""
    rounds: list[dict[tuple[str, str], PinnedJar]] = []
    for jar in jars:
        module = (jar.organisation, jar.name)
        free = next((one for one in rounds if module not in one), None)
        if free is None:
            rounds.append(free := {})
        free[module] = jar
    return [list(one.values()) for one in rounds]


def _is_there(jar: PinnedJar, folder: Path) -> bool:
    target = folder / jar.file_name
    return target.exists() and file_sha256(target) == jar.sha256


def _keep(jar: PinnedJar, fetched: Path, folder: Path, said: str) -> None:
    """Moves a fetched jar into the folder, if it is the pinned one; `said` is what Ivy printed."""
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
    fetched.replace(folder / jar.file_name)


def _run_ivy(jars: Sequence[PinnedJar], folder: Path) -> str:
    settings = os.environ.get("WASIM_IVY_SETTINGS")
    ivy = next(SPARK_JARS.glob("ivy-*.jar"))
    wanted = folder / "ivy.xml"
    listed = [
        _DEPENDENCY.format(jar=jar, classifier=jar.classifier and f'm:classifier="{jar.classifier}"') for jar in jars
    ]
    wanted.write_text(_IVY_FILE.format(dependencies="\n".join(listed)))
    command = [
        str(find_java().executable), "-cp", str(ivy), "org.apache.ivy.Main",
        *(["-settings", settings] if settings else []),
        "-cache", str(folder / "ivy"), "-confs", "default", "-ivy", str(wanted),
        "-retrieve", f"{folder}/[artifact]-[revision](-[classifier]).[ext]",
    ]  # fmt: skip
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    return said.stdout + said.stderr
