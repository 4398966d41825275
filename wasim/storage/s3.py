"""Objects of an S3 bucket, through pyarrow."""

import configparser
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyarrow import fs

from wasim.storage.access import MOST_FILE_BYTES, Children, S3Options, StorageError, StoredFile


class S3Storage:
    """Objects of any bucket that the credentials reach."""

    scheme = "s3"
    reads_at_once = 16

    def __init__(self, options: S3Options) -> None:
        self._files = fs.S3FileSystem(**_arguments(options))

    def list(self, folder: str) -> Iterator[StoredFile]:
        """Every object below a folder."""
        for info in self._infos(folder, recursive=True):
            if info.type == fs.FileType.File:
                yield _stored(info)

    def children(self, folder: str) -> Children:
        """What lies directly in a folder."""
        found = self._infos(folder, recursive=False)
        return Children(
            files=tuple(_stored(info) for info in found if info.type == fs.FileType.File),
            folders=tuple(info.path for info in found if info.type == fs.FileType.Directory),
        )

    def _infos(self, folder: str, *, recursive: bool) -> tuple[fs.FileInfo, ...]:
        selector = fs.FileSelector(folder, recursive=recursive, allow_not_found=True)
        try:
            return tuple(self._files.get_file_info(selector))
        except OSError as error:
            raise StorageError(f"s3://{folder}: {_reason(error)}") from error

    def find(self, path: str) -> StoredFile | None:
        """The object at a path."""
        try:
            info = self._files.get_file_info(path)
        except OSError as error:
            raise StorageError(f"s3://{path}: {_reason(error)}") from error
        return _stored(info) if info.type == fs.FileType.File else None

    def read(self, path: str, *, most_bytes: int = MOST_FILE_BYTES, head: int | None = None) -> bytes:
        """An object's bytes."""
        try:
            with self._files.open_input_file(path) as file:
                size = file.size()
                if head is None and size > most_bytes:
                    raise StorageError(f"s3://{path}: has {size} bytes; metadata files of {most_bytes} are read.")
                return bytes(file.read(size if head is None else min(head, size)))
        except FileNotFoundError:
            raise
        except OSError as error:
            raise StorageError(f"s3://{path}: {_reason(error)}") from error


def _stored(info: fs.FileInfo) -> StoredFile:
    modified = info.mtime_ns
    return StoredFile(path=info.path, size_bytes=info.size or 0, modified_s=0.0 if modified is None else modified / 1e9)


def _reason(error: OSError) -> str:
    """The first sentence of what pyarrow says; the rest is its own addresses."""
    return str(error).split(". Detail", maxsplit=1)[0][:300]


def _arguments(options: S3Options) -> dict[str, Any]:
    arguments: dict[str, Any] = {"anonymous": options.anonymous, "request_timeout": 60.0, "connect_timeout": 10.0}
    endpoint = options.endpoint or os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    if endpoint:
        arguments["endpoint_override"] = endpoint
    profile = {} if options.profile is None else _profile(options.profile)
    if region := options.region or profile.get("region"):
        arguments["region"] = region
    if options.access_key is not None:
        arguments["access_key"], arguments["secret_key"] = options.access_key, options.secret_key or ""
        if options.session_token is not None:
            arguments["session_token"] = options.session_token
    elif not options.anonymous and "aws_access_key_id" in profile:
        arguments["access_key"] = profile["aws_access_key_id"]
        arguments["secret_key"] = profile.get("aws_secret_access_key", "")
        if token := profile.get("aws_session_token"):
            arguments["session_token"] = token
    return arguments


def _profile(name: str) -> dict[str, str]:
    """A profile's settings from AWS's shared files, where their own variables say or in the home folder."""
    home = Path.home() / ".aws"
    found: dict[str, str] = {}
    for variable, file, section in (
        ("AWS_CONFIG_FILE", "config", name if name == "default" else f"profile {name}"),
        ("AWS_SHARED_CREDENTIALS_FILE", "credentials", name),
    ):
        parser = configparser.ConfigParser(interpolation=None)
        parser.read(os.environ.get(variable) or home / file)
        if parser.has_section(section):
            found |= dict(parser[section])
    if not found:
        raise StorageError(f"The AWS profile {name} is in neither ~/.aws/config nor ~/.aws/credentials.")
    return found
