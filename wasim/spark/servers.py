"""Servers of a run, on the loopback with random ports and credentials: a REST catalog and an S3 endpoint.

Each is started by the first case that needs it, in a JVM of its own, and ends with its block or its process.
"""

import ipaddress
import os
import re
import socket
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wasim.errors import EnvironmentFault
from wasim.scenario import Case
from wasim.spark import (
    AWS_BUNDLE,
    PINNED_JARS,
    POSTGRESQL,
    REST_SERVER_JARS,
    S3PROXY,
    Catalog,
    PinnedJar,
    RestCatalog,
    S3Store,
    fetch_jars,
    random_secret,
    recorder_jar,
    recording_properties,
    short_lived_jvm,
    write_secrets,
)
from wasim.spark.recorder import java_map

_HADOOP = "hadoop."
_LISTENING = "0A"  # as /proc/net/tcp writes the state


def check_loopback(port: int, *, server: str) -> None:
    """Raises EnvironmentFault if anything but the loopback is listening on `port`."""
    beyond = [address for address in _listening_addresses(port) if not ipaddress.ip_address(address).is_loopback]
    if beyond:
        raise EnvironmentFault(
            f"{server} listens on {', '.join(beyond)} port {port}, where others could reach it, and so it is not used."
            " Run without it: environment.catalog jdbc and environment.store local need no server."
        )


def _listening_addresses(port: int) -> list[str]:
    tables = [path for path in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")) if path.exists()]
    if not tables:  # no Linux: ask the only way that all systems know
        outward = _outward_address()
        return [outward] if outward is not None and _answers(outward, port) else []
    rows = [line.split() for table in tables for line in table.read_text().splitlines()[1:]]
    local = [row[1].split(":") for row in rows if row[3] == _LISTENING]
    return [_address(packed) for packed, number in local if int(number, 16) == port]


def _address(packed: str) -> str:
    """An address from /proc: hex digits of 32-bit words in the machine's byte order, which is little-endian."""
    words = bytes.fromhex(packed)
    found = ipaddress.ip_address(b"".join(words[at : at + 4][::-1] for at in range(0, len(words), 4)))
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return str(mapped or found)


def _outward_address() -> str | None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: it only chooses the address that it would be sent from
        except OSError:
            return None
        return str(probe.getsockname()[0])


def _answers(address: str, port: int) -> bool:
    try:
        with socket.create_connection((address, port), timeout=1):
            return True
    except OSError:
        return False


_LOCATION = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[^\s?#%]+)*")
_ENDPOINT = re.compile(r"https?://[A-Za-z0-9._\[\]:-]+/?")


class RestHost:
    """A JVM that serves REST catalogs, each on a port of its own."""

    def __init__(self, jvm: Any, gateway: Any, folder: Path) -> None:
        self._jvm, self._gateway, self._folder = jvm, gateway, folder
        self._jetty = jvm.org.sparkproject.jetty

    @contextmanager
    def serve(self, backend: Catalog, journal: Path) -> Iterator[RestCatalog]:
        """A REST catalog over another one, for the block; its files are recorded in `journal`."""
        recording = recording_properties(journal, sets_permissions=True, on_s3=backend.store is not None)
        catalog = self._backend({**backend.properties(), **recording})
        user, password = random_secret(), random_secret()
        server = self._server(catalog, user, password)
        secrets = write_secrets(self._folder, {"rest.auth.basic.username": user, "rest.auth.basic.password": password})
        server.start()
        try:
            port = server.getConnectors()[0].getLocalPort()
            check_loopback(port, server="The REST catalog")
            yield RestCatalog(
                warehouse=backend.warehouse,
                store=backend.store,
                names_scheme=backend.names_scheme,
                uri=f"http://127.0.0.1:{port}",
                credentials=secrets,
            )
        finally:
            server.stop()
            catalog.close()
            self._jvm.wasim.recorder.Journal.close(str(journal))
            secrets.unlink()

    def _backend(self, properties: Mapping[str, str]) -> Any:
        jvm = self._jvm
        configuration = jvm.org.apache.hadoop.conf.Configuration()
        for key, value in properties.items():
            if key.startswith(_HADOOP):
                configuration.set(key.removeprefix(_HADOOP), value)
        build = jvm.org.apache.iceberg.CatalogUtil.buildIcebergCatalog
        return build("backend", java_map(jvm, properties), configuration)

    def _server(self, catalog: Any, user: str, password: str) -> Any:
        rest, servlets = self._jvm.org.apache.iceberg.rest, self._jetty.servlet
        servlet = rest.RESTCatalogServlet(rest.RESTCatalogAdapter(catalog))
        context = servlets.ServletContextHandler()
        context.addServlet(servlets.ServletHolder(servlet), "/*")
        context.setSecurityHandler(self._guard(user, password))
        server = self._jetty.server.Server(self._jvm.java.net.InetSocketAddress("127.0.0.1", 0))
        server.setHandler(context)
        return server

    def _guard(self, user: str, password: str) -> Any:
        security, utilities = self._jetty.security, self._jetty.util.security
        roles = self._gateway.new_array(self._jvm.java.lang.String, 1)
        roles[0] = "owner"
        users = security.UserStore()
        users.addUser(user, utilities.Credential.getCredential(password), roles)
        login = security.HashLoginService()
        login.setUserStore(users)
        constraint = utilities.Constraint("BASIC", "owner")
        constraint.setAuthenticate(True)
        mapping = security.ConstraintMapping()
        mapping.setPathSpec("/*")
        mapping.setConstraint(constraint)
        guard = security.ConstraintSecurityHandler()
        guard.setAuthenticator(security.authentication.BasicAuthenticator())
        guard.setLoginService(login)
        guard.addConstraintMapping(mapping)
        return guard


@contextmanager
def open_rest_host(folder: Path, *, on_s3: bool) -> Iterator[RestHost]:
    """A RestHost for the block; `folder` takes its files of credentials. `on_s3` says that it must reach S3."""
    jars, recorder = fetch_jars(REST_SERVER_JARS), recorder_jar(fetch_jars(PINNED_JARS))
    if on_s3:
        (aws,) = fetch_jars((AWS_BUNDLE,))
        jars = (*jars, aws, recorder_jar((*fetch_jars(PINNED_JARS), aws, recorder), "s3"))
    with short_lived_jvm((*jars, recorder)) as gateway:
        yield RestHost(gateway.jvm, gateway, folder)


BUCKET = "wasim"
REGION = "us-east-1"  # s3proxy has none; clients want one named, and sign with it


@contextmanager
def open_s3proxy(objects: Path, folder: Path) -> Iterator[S3Store]:
    """An S3 endpoint with one bucket for the block; its objects stay in `objects`, `folder` takes its credentials."""
    identity, secret = random_secret(), random_secret()
    credentials = write_secrets(folder, {"access_key_id": identity, "secret_access_key": secret})
    objects.mkdir(parents=True, exist_ok=True)
    with short_lived_jvm(fetch_jars((S3PROXY,)), with_spark=False) as gateway:
        server = _start(gateway.jvm, objects, identity, secret)
        try:
            port = server.getPort()
            check_loopback(port, server="s3proxy")
            yield S3Store(
                location=f"s3://{BUCKET}", endpoint=f"http://127.0.0.1:{port}", region=REGION, credentials=credentials
            )
        finally:
            server.stop()
            credentials.unlink()


def _start(jvm: Any, objects: Path, identity: str, secret: str) -> Any:
    s3proxy = jvm.org.gaul.s3proxy
    blobs = s3proxy.nio2blob.FilesystemNio2BlobStore(str(objects))
    if not blobs.containerExists(BUCKET):  # a run that is resumed finds its own
        blobs.createContainer(BUCKET)
    server = (
        s3proxy.S3Proxy.builder()
        .blobStore(blobs)
        .endpoint(jvm.java.net.URI.create("http://127.0.0.1:0"))
        .awsAuthentication(s3proxy.auth.AuthenticationType.AWS_V2_OR_V4, identity, secret)
        .build()
    )
    server.start()
    return server


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

    def rest_catalog(self, backend: Catalog, journal: Path) -> AbstractContextManager[RestCatalog]:
        """A REST catalog over `backend` for a block, recorded in `journal`."""
        on_s3 = backend.store is not None
        if on_s3 not in self._rest:
            self._rest[on_s3] = self._stack.enter_context(open_rest_host(self._folder, on_s3=on_s3))
        return self._rest[on_s3].serve(backend, journal)


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
