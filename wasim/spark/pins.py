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

from wasim.errors import EnvironmentFault
from wasim.spark.java import SPARK_JARS, find_java

ICEBERG = "1.12.0"
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


def _iceberg(name: str, sha256: str) -> PinnedJar:
    return PinnedJar(organisation="org.apache.iceberg", name=name, version=ICEBERG, sha256=sha256)


SQLITE = PinnedJar(
    organisation="org.xerial",
    name="sqlite-jdbc",
    version="3.50.3.0",
    sha256="a3f53a2aa15ae9425a9e793bbe9c8e5288febeb4b65ef5c1a4e80d4c2045cf08",
)
PINNED_JARS = (
    _iceberg("iceberg-spark-runtime-4.1_2.13", "3123c3798af642dd537230923548e013ef41cc28b6626e5225808cf5670a0f82"),
    SQLITE,
)
AWS_BUNDLE = _iceberg("iceberg-aws-bundle", "dd7e49ffa4ac9b215bed846581991259e3aec9bb2fa08d6cec029c46cd66d957")
POSTGRESQL = PinnedJar(
    organisation="org.postgresql",
    name="postgresql",
    version="42.7.8",
    sha256="2a32a9dcbc42d67a50ad3a0de5efd102c8d2be46720045f2cbd6689f160ab7c7",
)
S3PROXY = PinnedJar(
    organisation="org.gaul",
    name="s3proxy",
    version="4.1.0",
    sha256="a4d025969aaf796616ed4b1e2491d87d455ce84bb28cb9db086b2e6aaa68b48d",
    classifier="jar-with-dependencies",
)
REST_SERVER_JARS = (
    # as Iceberg publishes it, its dependencies not inside: what serves REST is made for these
    _iceberg("iceberg-core", "d3bbb331b7a907e134958d21ecccd91a736049e00768e07579ff60855bf28352"),
    PinnedJar(
        organisation="org.apache.iceberg",
        name="iceberg-core",
        version="1.11.0",  # 1.12.0 has no tests published
        sha256="4284719a5f0eb7db01e9f784a0ed4ca8bacf7d6f9951924143afc083428d8be3",
        classifier="tests",
    ),
    _iceberg("iceberg-api", "d476a6989edfe3882a47ce0eaa3e53df4d589ef5e7bd0a16ff113ae570bca8b6"),
    _iceberg("iceberg-common", "18a43330e3c5eb712a9bf88e8f70441971851400efb4646f0b6512ac40c5f357"),
    _iceberg("iceberg-aws", "ec82373b4126e54f415768081926773b07c959eec14268e806c8e441324217a5"),
    _iceberg("iceberg-bundled-guava", "8d27e319e3bc28f7f86e7fbd59f6758bfaa1f78d72d9f76aa93ad1f7cbd3ba34"),
    PinnedJar(
        organisation="com.github.ben-manes.caffeine",
        name="caffeine",
        version="2.9.3",
        sha256="1e0a7bbef1dd791653143f3f05d0e489934bf5481e58a87c9e619cd46b68729b",
    ),
    PinnedJar(
        organisation="dev.failsafe",
        name="failsafe",
        version="3.3.2",
        sha256="2c5dc879a6dac7ea3a7b29d795e27bd49b8e7908b05c2f3e56053c19d79850f5",
    ),
    PinnedJar(
        organisation="org.apache.httpcomponents.client5",
        name="httpclient5",
        version="5.6",
        sha256="0992b7dd57fbfc8334df2201e1788a2752ff11b6a638f5ce521915bef72ca4ad",
    ),
    PinnedJar(
        organisation="org.apache.httpcomponents.core5",
        name="httpcore5",
        version="5.4",
        sha256="cec2981fa7f520efb63f0787c24f10af2679e31f9f75c448c4dde40a3ae8100d",
    ),
    SQLITE,
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
