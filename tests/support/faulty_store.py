"""An S3 endpoint on the loopback with one fault: it never ends a listing, answers nothing, resets or drips."""

import io
import socket
import struct
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from urllib.parse import parse_qs, urlsplit

LISTING_FAULTS = ("repeated", "endless", "dripping")
_ENTRY = (
    "<Contents><Key>{key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>x</ETag>"
    "<Size>10</Size><StorageClass>STANDARD</StorageClass></Contents>"
)


class FaultyStore:
    """The endpoint, and the number of requests that it got. `fault` is one of the methods named `answer_…`."""

    def __init__(self, fault):
        self.fault, self.requests, self.closed = fault, 0, threading.Event()
        self.pages = count()

    def answer_repeated(self, handler):
        self._page(handler, token="again", first=0)  # noqa: S106

    def answer_endless(self, handler):
        number = next(self.pages)
        self._page(handler, token=f"page{number}", first=1000 * number, folder="long" * 200)

    def answer_hanging(self, handler):
        self.closed.wait()

    def answer_reset(self, handler):
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.rfile.close()
        handler.wfile.close()
        handler.connection.close()
        handler.wfile, handler.close_connection = io.BytesIO(), True

    def answer_dripping(self, handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        while not self.closed.wait(0.05):
            handler.wfile.write(b" ")

    def _page(self, handler, *, token, first, folder="metadata"):
        entries = "".join(_ENTRY.format(key=f"t/{folder}/{number:09d}.avro") for number in range(first, first + 1000))
        body = (
            '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"<Name>wasim</Name><Prefix>t/</Prefix><KeyCount>1000</KeyCount><MaxKeys>1000</MaxKeys>"
            f"<IsTruncated>true</IsTruncated><NextContinuationToken>{token}</NextContinuationToken>{entries}"
            "</ListBucketResult>"
        ).encode()
        handler.send_response(200)
        handler.send_header("Content-Type", "application/xml")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)


@contextmanager
def open_faulty_store(fault):
    """The store, listening; `store.endpoint` is its URL."""
    store = FaultyStore(fault)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            store.requests += 1
            is_listing = "list-type" in parse_qs(urlsplit(self.path).query)
            try:
                if store.fault in LISTING_FAULTS and not is_listing:
                    return self.send_error(404)
                getattr(store, f"answer_{store.fault}")(self)
            except OSError:
                self.close_connection = True
            return None

        do_HEAD = do_GET  # noqa: N815 - http.server's own names

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    store.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield store
    finally:
        store.closed.set()
        server.shutdown()
        server.server_close()
