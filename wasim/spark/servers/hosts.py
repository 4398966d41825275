"""The servers of a run, each started by the first case that needs it; and what cases need of jars and environment."""

import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from wasim.errors import EnvironmentFault
from wasim.scenario import Case
from wasim.spark import AWS_BUNDLE, POSTGRESQL, REST_SERVER_JARS, S3PROXY, PinnedJar, S3Store
from wasim.spark.servers.rest import RestEndpoint, RestHost, open_rest_host
from wasim.spark.servers.s3proxy import open_s3proxy

_LOCATION = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[^\s?#%]+)*")
_ENDPOINT = re.compile(r"https?://[A-Za-z0-9._\[\]:-]+/?")


class Servers:
    """Servers that end with the block of `open_servers`."""

    def __init__(self, stack: ExitStack, objects: Path, folder: Path) -> None:
        self._stack, self._objects, self._folder = stack, objects, folder
        self._s3proxy: S3Store | None = None
        self._rest: dict[bool, RestHost] = {}

    def store(self, name: str) -> S3Store | None:
        """The store of that name in the scenario language; None for local files."""
        if name == "local":
            return None
        if name == "s3":
            return _own_store()
        if self._s3proxy is None:
            self._s3proxy = self._stack.enter_context(open_s3proxy(self._objects, self._folder))
        return self._s3proxy

    def rest_catalog(
        self, backend: Mapping[str, str], journal: Path, *, on_s3: bool
    ) -> AbstractContextManager[RestEndpoint]:
        """A REST catalog over `backend` for a block, recorded in `journal`."""
        if on_s3 not in self._rest:
            self._rest[on_s3] = self._stack.enter_context(open_rest_host(self._folder, on_s3=on_s3))
        return self._rest[on_s3].serve(backend, journal, on_s3=on_s3)


@contextmanager
def open_servers(objects: Path) -> Iterator[Servers]:
    """Servers for the block; an S3 endpoint of ours keeps its objects in the folder `objects`."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="wasim-"))  # for its owner only
        yield Servers(stack, objects, Path(folder))


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseJars:
    """Jars that a case needs, other than those that all need: in Spark, and in the servers that wasim starts for it."""

    spark: tuple[PinnedJar, ...]
    servers: tuple[PinnedJar, ...]


def case_jars(case: Case) -> CaseJars:
    """What the case's catalog and store need."""
    catalog, store = case.environment.catalog, case.environment.store
    return CaseJars(
        spark=((AWS_BUNDLE,) if store != "local" else ()) + ((POSTGRESQL,) if catalog == "postgresql" else ()),
        servers=(REST_SERVER_JARS if catalog == "rest" else ()) + ((S3PROXY,) if store == "s3proxy" else ()),
    )


def check_environment(cases: Iterable[Case]) -> None:
    """Raises EnvironmentFault if the environment lacks what one of the cases needs."""
    for case in cases:
        if case.environment.store == "s3":
            _own_store()
        if case.environment.catalog == "postgresql":
            jdbc_uri()


def jdbc_uri() -> str:
    """WASIM_JDBC_URI, checked: PostgreSQL, and no password in it."""
    uri = os.environ.get("WASIM_JDBC_URI", "")
    if not uri.startswith("jdbc:postgresql:"):
        said = "is not set" if not uri else "is no PostgreSQL URI"
        raise EnvironmentFault(
            f"environment.catalog is postgresql, but WASIM_JDBC_URI {said}. Set it, such as"
            " jdbc:postgresql://127.0.0.1:5432/iceberg, with WASIM_JDBC_USER and WASIM_JDBC_PASSWORD."
        )
    if re.search(r"[?&](user|password)=|//[^/]*@", uri, re.IGNORECASE):
        raise EnvironmentFault(
            "WASIM_JDBC_URI holds a user or a password, which would be seen in logs. Set WASIM_JDBC_USER and"
            " WASIM_JDBC_PASSWORD instead."
        )
    return uri


def _own_store() -> S3Store:
    location = os.environ.get("WASIM_S3_WAREHOUSE", "").rstrip("/")
    if not _LOCATION.fullmatch(location):
        said = f"is {location!r}" if location else "is not set"
        raise EnvironmentFault(
            f"environment.store is s3, but WASIM_S3_WAREHOUSE {said}. Set it to a bucket and a prefix, such as"
            " s3://my-bucket/wasim, or give store: s3proxy."
        )
    endpoint = os.environ.get("WASIM_S3_ENDPOINT") or None
    if endpoint is not None and not _ENDPOINT.fullmatch(endpoint):
        raise EnvironmentFault(
            "WASIM_S3_ENDPOINT is no address such as https://s3.example.com:9000. Give scheme, host and port only."
        )
    return S3Store(
        location=location,
        endpoint=endpoint,
        region=os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-1",
        credentials=None,
    )


def below(store: S3Store, *parts: str) -> S3Store:
    """The part of a store below a prefix."""
    return replace(store, location="/".join((store.location, *parts)))
