"""Places on storage: how they are spelt, and what is no file."""

import os
import threading
from dataclasses import dataclass, field

import pytest
from pyarrow import fs

from wasim.storage import S3Options, StorageError, open_storage, plain_path, read_each
from wasim.storage.s3 import _arguments, _stored


@pytest.mark.parametrize(
    ("location", "plain"),
    [
        ("/w/t", "/w/t"),
        ("/w/t/", "/w/t"),
        ("file:/w/t", "/w/t"),
        ("file:///w/t", "/w/t"),
        ("file://host/w/t", "/w/t"),
        ("file:/w//t", "/w/t"),
        ("s3://b/w/t", "b/w/t"),
        ("s3a://b//w/t/", "b/w/t"),
        ("hdfs://name:8020/w/t", "name:8020/w/t"),
        ("relative/t", "relative/t"),
    ],
)
def test_spellings_of_one_place_are_one_path(location, plain):
    assert plain_path(location) == plain


def test_a_scheme_that_is_not_read_is_refused_by_name():
    with pytest.raises(StorageError, match="abfss:// is not read"):
        open_storage("abfss://c@a.dfs.core.windows.net/t")


def test_a_pipe_a_device_and_a_folder_are_no_files(tmp_path):
    storage = open_storage(str(tmp_path))
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "pipe", "/dev/zero", tmp_path / "folder"):
        assert storage.find(str(path)) is None
        with pytest.raises(StorageError):
            storage.read(str(path))
    assert list(storage.list(str(tmp_path))) == []


def test_links_to_folders_and_broken_links_are_not_followed(tmp_path):
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / "file").write_bytes(b"1")
    (tmp_path / "table" / "again").symlink_to(tmp_path / "table")
    (tmp_path / "table" / "broken").symlink_to(tmp_path / "nowhere")
    found = list(open_storage(str(tmp_path)).list(str(tmp_path / "table")))
    assert [(file.path, file.size_bytes) for file in found] == [(str(tmp_path / "table" / "file"), 1)]


def test_a_file_larger_than_allowed_is_refused_before_reading(tmp_path):
    (tmp_path / "large").write_bytes(b"x" * 1000)
    storage = open_storage(str(tmp_path))
    with pytest.raises(StorageError, match="has 1000 bytes"):
        storage.read(str(tmp_path / "large"), most_bytes=999)
    assert storage.read(str(tmp_path / "large"), head=10) == b"x" * 10


def test_a_profile_gives_keys_and_region(tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    monkeypatch.delenv("AWS_ENDPOINT_URL_S3", raising=False)
    (tmp_path / "config").write_text("[profile lake]\nregion = eu-west-1\n")
    (tmp_path / "credentials").write_text("[lake]\naws_access_key_id = a\naws_secret_access_key = b\n")
    found = _arguments(S3Options(profile="lake"))
    assert (found["region"], found["access_key"], found["secret_key"]) == ("eu-west-1", "a", "b")
    assert "access_key" not in _arguments(S3Options(profile="lake", anonymous=True))
    assert _arguments(S3Options(profile="lake", region="x", endpoint="http://h"))["region"] == "x"
    (tmp_path / "config").write_text("no section")
    with pytest.raises(StorageError, match=r"config: is no file of AWS profiles"):
        _arguments(S3Options(profile="lake"))
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/zero")
    with pytest.raises(StorageError, match="/dev/zero: is no regular file, but a device"):
        _arguments(S3Options(profile="lake"))
    monkeypatch.delenv("AWS_CONFIG_FILE")
    with pytest.raises(StorageError, match="profile absent is in neither"):
        _arguments(S3Options(profile="absent"))


def test_a_folder_of_too_many_files_is_one_line(tmp_path):
    for number in range(5):
        (tmp_path / f"{number}.avro").write_bytes(b"1")
    storage = open_storage(str(tmp_path), S3Options(most_files=4))
    with pytest.raises(
        StorageError, match=r"holds more than 4 files\. Name one table's folder, or a larger --most-files\."
    ):
        list(storage.list(str(tmp_path)))
    assert len(list(open_storage(str(tmp_path), S3Options(most_files=5)).list(str(tmp_path)))) == 5


def test_undated_objects_are_young_and_negative_sizes_refused():
    assert _stored(fs.FileInfo("b/k", type=fs.FileType.File, size=1, mtime_ns=0)).modified_s == float("inf")
    assert _stored(fs.FileInfo("b/k", type=fs.FileType.File, size=1, mtime_ns=10**9)).modified_s == 1
    with pytest.raises(StorageError, match="s3://b/k: has -5 bytes"):
        _stored(fs.FileInfo("b/k", type=fs.FileType.File, size=-5, mtime_ns=1))


@dataclass
class Distant:
    """A storage that answers only when four have asked: reading one after another would wait for ever."""

    reads_at_once: int = 4
    scheme: str = "s3"
    together: threading.Barrier = field(default_factory=lambda: threading.Barrier(4, timeout=20))

    def read(self, path, *, head=None):
        self.together.wait()
        match int(path) % 4:
            case 1:
                raise FileNotFoundError(path)
            case 2:
                raise StorageError(path)
        return path.encode()


def test_files_come_in_their_order_whatever_became_of_them():
    found = list(read_each(Distant(), map(str, range(8))))
    assert [type(one) for one in found] == [bytes, FileNotFoundError, StorageError, bytes] * 2
    assert found[::4] == [b"0", b"4"]
