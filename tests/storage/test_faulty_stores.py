"""Stores that never end, answer nothing, reset or drip: one line, soon, and no request after it."""

import os
import subprocess
import sys
import time

import pytest
from support.faulty_store import open_faulty_store

from wasim.storage import S3Options, StorageError, open_storage

CREDENTIALS = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_EC2_METADATA_DISABLED": "true"}
SAID = {
    "repeated": "s3://wasim/t: its listing had no end after 3 s: it repeats itself, or holds millions of objects.",
    "endless": "s3://wasim/t: its listing had no end after 3 s",
    "dripping": "s3://wasim/t: the store gave no answer in 0.2 s",
    "hanging": "s3://wasim/t: the store gave no answer in 0.2 s; --s3-timeout says how long it may take.",
    "reset": "s3://wasim/t: When getting information for key 't' in bucket 'wasim': AWS Error NETWORK_CONNECTION",
}


@pytest.mark.parametrize(
    "fault", [pytest.param(name, marks=pytest.mark.slow) if name == "endless" else name for name in SAID]
)
def test_a_faulty_store_ends_in_one_line(fault):
    with open_faulty_store(fault) as store:
        command = [sys.executable, "-m", "wasim", "inspect", "s3://wasim/t", "--s3-endpoint", store.endpoint]
        command += ["--s3-region", "us-east-1", "--s3-timeout", "20s" if fault == "reset" else "200ms"]
        started = time.monotonic()
        ended = subprocess.run(
            command, env=os.environ | CREDENTIALS, capture_output=True, text=True, timeout=60, check=False
        )
        assert time.monotonic() - started < 20  # of a shared machine; a listing has three seconds
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr.startswith(SAID[fault])
        assert ended.stderr.count("\n") == 1
        made = store.requests
        time.sleep(0.3)
        assert store.requests == made


def test_an_endless_listing_ends_at_the_most_files():
    with open_faulty_store("endless") as store:
        command = [sys.executable, "-m", "wasim", "inspect", "s3://wasim/t", "--s3-endpoint", store.endpoint]
        command += ["--s3-region", "us-east-1", "--most-files", "1000"]
        ended = subprocess.run(
            command, env=os.environ | CREDENTIALS, capture_output=True, text=True, timeout=120, check=False
        )
        assert (ended.returncode, ended.stdout) == (2, "")
        said = "s3://wasim/t: holds more than 1,000 files. Name one table's folder, or a larger --most-files.\n"
        assert ended.stderr == said
        assert store.requests < 200  # of a thousand files; the time that a listing has would see many thousand


def test_a_store_silent_thrice_is_not_asked_again(monkeypatch):
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    with open_faulty_store("hanging") as store:
        storage = open_storage("s3://wasim/t", S3Options(endpoint=store.endpoint, region="us-east-1", timeout_s=0.2))
        for _ in range(3):
            with pytest.raises(StorageError, match="no answer in"):
                storage.read("wasim/t/file")
        made = store.requests
        with pytest.raises(StorageError, match="was not asked for: the store gave no answer"):
            storage.read("wasim/t/file")
        assert store.requests == made
