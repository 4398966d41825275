"""What a bucket holds, listed by Arrow's S3 client: another one than wrote it."""

from urllib.parse import urlsplit

from pyarrow import fs

from wasim.spark import S3Store, read_secrets


def list_objects(store: S3Store, folder: str) -> dict[str, int]:
    """Bytes of every object below `folder` of the store, by its path relative to that."""
    root = f"{store.location.removeprefix('s3://')}/{folder}"
    selector = fs.FileSelector(root, allow_not_found=True, recursive=True)
    found = _client(store).get_file_info(selector)
    return {info.path.removeprefix(f"{root}/"): info.size for info in found if info.type == fs.FileType.File}


def _client(store: S3Store) -> fs.S3FileSystem:
    options: dict[str, str] = {"region": store.region}
    if store.endpoint is not None:
        parts = urlsplit(store.endpoint)
        options |= {"scheme": parts.scheme, "endpoint_override": parts.netloc}
    if store.credentials is not None:
        secrets = read_secrets(store.credentials)
        options |= {"access_key": secrets["access_key_id"], "secret_key": secrets["secret_access_key"]}
    return fs.S3FileSystem(**options)
