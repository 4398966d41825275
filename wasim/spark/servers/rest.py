"""Iceberg's REST catalog for tests, its servlet in a Jetty of ours: bound to the loopback, and with a password.

Iceberg's own server binds every interface. The servlet and the adapter behind it are Iceberg's, as published; Jetty is
the one that Spark carries. What the server writes (metadata.json) and deletes goes to the case's journal too.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wasim.spark import (
    AWS_BUNDLE,
    PINNED_JARS,
    REST_SERVER_JARS,
    fetch_jars,
    random_secret,
    recorder_jar,
    recording_properties,
    short_lived_jvm,
    write_secrets,
)
from wasim.spark.servers.loopback import check_loopback

_HADOOP = "hadoop."


@dataclass(frozen=True, slots=True, kw_only=True)
class RestEndpoint:
    """Where a REST catalog answers, and the file that says what it asks for."""

    uri: str
    credentials: Path


class RestHost:
    """A JVM that serves REST catalogs, each on a port of its own."""

    def __init__(self, jvm: Any, gateway: Any, folder: Path) -> None:
        self._jvm, self._gateway, self._folder = jvm, gateway, folder
        self._jetty = jvm.org.sparkproject.jetty

    @contextmanager
    def serve(self, backend: Mapping[str, str], journal: Path, *, on_s3: bool) -> Iterator[RestEndpoint]:
        """A REST catalog over the one that `backend` describes, for the block; its files are recorded in `journal`."""
        properties = {**backend, **recording_properties(journal, sets_permissions=True, on_s3=on_s3)}
        catalog = self._backend(properties)
        user, password = random_secret(), random_secret()
        server = self._server(catalog, user, password)
        secrets = write_secrets(
            self._folder,
            {"rest.auth.basic.username": user, "rest.auth.basic.password": password},
        )
        server.start()
        try:
            port = server.getConnectors()[0].getLocalPort()
            check_loopback(port, server="The REST catalog")
            yield RestEndpoint(uri=f"http://127.0.0.1:{port}", credentials=secrets)
        finally:
            server.stop()
            catalog.close()
            self._jvm.wasim.recorder.Journal.close(str(journal))
            secrets.unlink()

    def _backend(self, properties: Mapping[str, str]) -> Any:
        jvm = self._jvm
        settings, configuration = jvm.java.util.HashMap(), jvm.org.apache.hadoop.conf.Configuration()
        for key, value in properties.items():
            if key.startswith(_HADOOP):
                configuration.set(key.removeprefix(_HADOOP), value)
            settings.put(key, value)
        return jvm.org.apache.iceberg.CatalogUtil.buildIcebergCatalog("backend", settings, configuration)

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
