"""s3proxy on the loopback: a real S3 endpoint whose objects are files in a local folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wasim.spark import S3PROXY, S3Store, fetch_jars, random_secret, short_lived_jvm, write_secrets
from wasim.spark.servers.loopback import check_loopback

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
                location=f"s3://{BUCKET}",
                endpoint=f"http://127.0.0.1:{port}",
                region=REGION,
                credentials=credentials,
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
