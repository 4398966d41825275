"""The doctor on a real S3 endpoint: what it says of a table there is what it says of the same files here."""

import pytest
from support.trees import emit_tree

from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.document import inspection_document
from wasim.spark import read_secrets
from wasim.spark.servers.s3proxy import BUCKET, open_s3proxy
from wasim.storage import S3Options, StorageError, open_storage

# The paths, what was moved, and the hour in the SQL.
UNLIKE = ("table", "findings", "remedies")


@pytest.mark.spark
def test_a_table_on_s3_is_inspected_like_one_here_and_nothing_is_written(tmp_path, monkeypatch):
    objects = tmp_path / "objects"
    root = emit_tree(objects / BUCKET / "db" / "t", horizon_s=12.0).root
    expected = inspection_document(inspect_location(str(root), InspectOptions(grace_s=0)))
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()}
    with open_s3proxy(objects, tmp_path) as store:
        secrets = read_secrets(store.credentials)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", secrets["access_key_id"])
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", secrets["secret_access_key"])
        s3 = S3Options(endpoint=store.endpoint, region=store.region)
        options = InspectOptions(grace_s=0, s3=s3)
        for location in (f"s3://{BUCKET}/db/t", f"s3a://{BUCKET}/db/t/metadata"):
            found = inspection_document(inspect_location(location, options))
            assert {key: found[key] for key in found if key not in UNLIKE} == {
                key: expected[key] for key in expected if key not in UNLIKE
            }
        storage = open_storage(f"s3://{BUCKET}/db/t", s3)
        with pytest.raises(FileNotFoundError):
            storage.read(f"{BUCKET}/db/t/metadata/absent.avro")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
        with pytest.raises(StorageError, match="s3://wasim/db/t") as caught:
            inspect_location(f"s3://{BUCKET}/db/t", InspectOptions(s3=s3))
        assert "\n" not in str(caught.value)
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()} == before
