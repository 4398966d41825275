"""The doctor on a real S3 endpoint: what it says of a table there is what it says of the same files here."""

import pickle
import threading
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest

pytest.importorskip("pyspark")

from support.trees import emit_tree

from wasim.doctor import InspectOptions, inspect_location
from wasim.doctor.document import inspection_document
from wasim.spark import read_secrets
from wasim.spark.servers import BUCKET, open_s3proxy
from wasim.storage import S3Options, StorageError, open_storage

# The paths, what was moved, and the hour in the SQL.
UNLIKE = ("table", "findings", "remedies")


@contextmanager
def read_only(endpoint):
    """An endpoint that lets GET and HEAD through to another, refuses all else, and keeps every verb."""
    verbs, behind = [], urlsplit(endpoint)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            verbs.append(self.command)
            connection = HTTPConnection(behind.hostname, behind.port)
            connection.request(self.command, self.path, headers=dict(self.headers))
            answer = connection.getresponse()
            body = answer.read()
            self.send_response(answer.status)
            for key, value in answer.getheaders():
                if key.lower() not in ("transfer-encoding", "content-length", "connection", "server", "date"):
                    self.send_header(key, value)
            length = answer.headers.get("Content-Length") if self.command == "HEAD" else None
            self.send_header("Content-Length", length or str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_HEAD = do_GET  # noqa: N815 - http.server's own names

        def refuse(self):
            verbs.append(self.command)
            self.send_error(403)

        do_PUT = do_POST = do_DELETE = refuse  # noqa: N815

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", verbs
    finally:
        server.shutdown()
        server.server_close()


def elsewhere(work, parts):
    """A `map` of another process."""
    return [pickle.loads(pickle.dumps(work))(part) for part in parts]  # noqa: S301


def test_a_table_on_s3_is_inspected_without_writing(tmp_path, monkeypatch):
    objects = tmp_path / "objects"
    root = emit_tree(objects / BUCKET / "db" / "t", horizon_s=12.0).root
    expected = inspection_document(inspect_location(str(root), InspectOptions(grace_s=0)))
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()}
    with open_s3proxy(objects, tmp_path) as store:
        secrets = read_secrets(store.credentials)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", secrets["access_key_id"])
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", secrets["secret_access_key"])
        s3 = S3Options(endpoint=store.endpoint, region=store.region)
        with read_only(store.endpoint) as (endpoint, verbs):
            options = InspectOptions(grace_s=0, s3=S3Options(endpoint=endpoint, region=store.region))
            for location, map_parts in ((f"s3://{BUCKET}/db/t", None), (f"s3a://{BUCKET}/db/t/metadata", elsewhere)):
                found = inspection_document(inspect_location(location, options, map_parts))
                assert {key: found[key] for key in found if key not in UNLIKE} == {
                    key: expected[key] for key in expected if key not in UNLIKE
                }
        assert set(verbs) <= {"GET", "HEAD"}
        assert len(verbs) > 12
        storage = open_storage(f"s3://{BUCKET}/db/t", s3)
        with pytest.raises(FileNotFoundError):
            storage.read(f"{BUCKET}/db/t/metadata/absent.avro")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
        with pytest.raises(StorageError, match="s3://wasim/db/t") as caught:
            inspect_location(f"s3://{BUCKET}/db/t", InspectOptions(s3=s3))
        assert "\n" not in str(caught.value)
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()} == before
