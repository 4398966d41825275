"""Objects of an S3 bucket, through pyarrow."""

import configparser
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotDone
from functools import partial
from math import inf
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

from pyarrow import fs

from wasim.storage import access

Result = TypeVar("Result")

_LOOK_EVERY_S = 0.05

_left: list[Thread] = []


class TookTooLong(Exception):
    """A call had not come to its end. It goes on in a thread, which ends with the process."""


class TookTooMuch(Exception):
    """A call had not come to its end when its `is_over` said that it went too far; it goes on too."""


def within(seconds: float, work: Callable[[], Result], is_over: Callable[[], bool] = lambda: False) -> Result:
    """What `work` gives, or raises. TookTooLong after so many seconds, TookTooMuch once it `is_over`."""
    done: Future[Result] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # raised where the result is waited for
            done.set_exception(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    ends_at_s = time.monotonic() + seconds
    try:
        while True:
            try:
                return done.result(min(_LOOK_EVERY_S, max(0.0, ends_at_s - time.monotonic())))
            except NotDone:
                if done.done():
                    raise
            if is_over():
                raise TookTooMuch
            if time.monotonic() >= ends_at_s:
                raise TookTooLong
    finally:
        if not done.done():
            _left.append(thread)


def is_left_running() -> bool:
    """Whether a call that took too long still goes on: libraries would wait for it when the process ends."""
    return any(thread.is_alive() for thread in _left)


_ATTEMPTS = 3  # that share the time in which a store may be silent
_SLOWEST_BYTES_PER_S = 100_000
_LISTING_TIMEOUTS = 15  # a million objects take five minutes from afar
_MOST_SILENCES = 3
_LISTED_BYTES = 400  # of memory that a listed file takes: 110 and its key, of 290 letters at most
_MEMORY = Path("/proc/self/statm")  # the peak of getrusage counts what the parent process had
_FREE_BYTES = 32 << 20  # which connections take as well
_MOST_PROFILE_BYTES = 1 << 20


class S3Storage:
    """Objects of any bucket that the credentials reach.

    A store that is silent for `options.timeout_s` is not waited for, and after some silences it is not asked again.
    """

    scheme = "s3"
    reads_at_once = 16

    def __init__(self, options: access.S3Options) -> None:
        self._files = fs.S3FileSystem(**_arguments(options))
        self._timeout_s, self._most_files = options.timeout_s, options.most_files
        self._silences = 0

    def list(self, folder: str) -> Iterator[access.StoredFile]:
        """Every object below a folder."""
        found = (_stored(one) for one in self._infos(folder, recursive=True) if one.type == fs.FileType.File)
        return access.bounded(found, f"s3://{folder}", self._most_files)

    def children(self, folder: str) -> access.Children:
        """What lies directly in a folder."""
        found = self._infos(folder, recursive=False)
        return access.Children(
            files=tuple(_stored(info) for info in found if info.type == fs.FileType.File),
            folders=tuple(info.path for info in found if info.type == fs.FileType.Directory),
        )

    def _infos(self, folder: str, *, recursive: bool) -> tuple[fs.FileInfo, ...]:
        selector = fs.FileSelector(folder, recursive=recursive, allow_not_found=True)
        most_s = self._timeout_s * max(1.0, _LISTING_TIMEOUTS * min(1.0, self._most_files / 1e6))
        if is_left_running():  # pyarrow cannot end a listing, nor say how far one is
            raise access.StorageError(f"s3://{folder}: is not listed while a request that took too long is running.")
        late = (
            f"its listing had no end after {most_s:g} s: it repeats itself, or holds millions of objects. A longer"
            " --s3-timeout gives it longer"
        )
        most_bytes = _held_bytes() + _FREE_BYTES + self._most_files * _LISTED_BYTES
        listed = partial(self._files.get_file_info, selector)
        return tuple(self._ask(folder, most_s, listed, late, is_over=lambda: _held_bytes() > most_bytes))

    def find(self, path: str) -> access.StoredFile | None:
        """The object at a path."""
        info = self._ask(path, self._timeout_s, lambda: self._files.get_file_info(path))
        return _stored(info) if info.type == fs.FileType.File else None

    def read(self, path: str, *, most_bytes: int = access.MOST_FILE_BYTES, head: int | None = None) -> bytes:
        """An object's bytes."""
        file = self._ask(path, self._timeout_s, lambda: self._files.open_input_file(path))
        size = file.size()
        if head is None and size > most_bytes:
            raise access.StorageError(f"s3://{path}: has {size} bytes; {most_bytes} are the most that are read.")
        wanted = size if head is None else min(head, size)
        most_s = self._timeout_s + wanted / _SLOWEST_BYTES_PER_S
        return bytes(self._ask(path, most_s, lambda: file.read(wanted), f"its {wanted} bytes took over {most_s:.0f} s"))

    def _ask(
        self,
        path: str,
        most_s: float,
        work: Callable[[], Any],
        late: str = "",
        is_over: Callable[[], bool] = lambda: False,
    ) -> Any:  # noqa: ANN401 - pyarrow's
        """What the store answers. FileNotFoundError if nothing is there, StorageError for any other failure."""
        silent = f"the store gave no answer in {self._timeout_s:g} s; --s3-timeout says how long it may take"
        if self._silences >= _MOST_SILENCES:
            raise access.StorageError(f"s3://{path}: was not asked for: {silent}.")
        started = time.monotonic()
        try:
            return within(most_s, work, is_over)
        except FileNotFoundError:
            raise
        except TookTooLong:
            self._silences += 1
            raise access.StorageError(f"s3://{path}: {late or silent}.") from None
        except TookTooMuch:
            raise access.too_many_files(f"s3://{path}", self._most_files) from None
        except OSError as error:
            if "Timeout was reached" in str(error) and time.monotonic() - started > self._timeout_s / 2:
                self._silences += 1
                raise access.StorageError(f"s3://{path}: {silent}.") from error
            reason = str(error).split(". Detail", maxsplit=1)[0][:300]  # the rest is its own addresses
            raise access.StorageError(f"s3://{path}: {reason}") from error


def _held_bytes() -> int:
    """Memory that this process holds; where /proc does not say, the most that it has had."""
    try:
        pages = int(_MEMORY.read_text().split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return pages * resource.getpagesize()


def _stored(info: fs.FileInfo) -> access.StoredFile:
    modified, size = info.mtime_ns, info.size or 0
    if size < 0:
        raise access.StorageError(f"s3://{info.path}: has {size} bytes, as the store says.")
    # pyarrow gives 0 for a date that it cannot read. Without one a file is young: a commit under way may be writing it.
    return access.StoredFile(path=info.path, size_bytes=size, modified_s=modified / 1e9 if modified else inf)


def _arguments(options: access.S3Options) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "anonymous": options.anonymous,
        "request_timeout": max(1.0, options.timeout_s / _ATTEMPTS),
        "connect_timeout": max(1.0, options.timeout_s / _ATTEMPTS),
        "retry_strategy": fs.AwsStandardS3RetryStrategy(max_attempts=_ATTEMPTS),
    }
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
        path = os.environ.get(variable) or home / file
        try:
            parser.read_string(access.read_regular(path, most_bytes=_MOST_PROFILE_BYTES).decode(errors="replace"))
        except FileNotFoundError:
            continue
        except configparser.Error as error:
            raise access.StorageError(f"{path}: is no file of AWS profiles: {error}.") from error
        if parser.has_section(section):
            found |= dict(parser[section])
    if not found:
        raise access.StorageError(f"The AWS profile {name} is in neither ~/.aws/config nor ~/.aws/credentials.")
    return found
