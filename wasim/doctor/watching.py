"""New commits of a table as they come, a line each; and its figures for Prometheus, printed or on the loopback."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from wasim.doctor.document import moment, moment_words
from wasim.doctor.findings import Severity, measures
from wasim.doctor.inspection import Inspection
from wasim.doctor.table_files import State
from wasim.errors import EnvironmentFault, WasimError, printable
from wasim.ledger import Kind
from wasim.units import format_bytes, format_count

Look = Callable[[], Inspection]
_SHORT = {
    Kind.METADATA_JSON: "json",
    Kind.MANIFEST_LIST: "list",
    Kind.DATA_MANIFEST: "manifests",
    Kind.DELETE_MANIFEST: "delete manifests",
    Kind.DATA: "data",
}


def render_prometheus(inspection: Inspection) -> str:
    """Gauges named `wasim_table_…`, each with its help."""
    return "\n".join(_lines(inspection)) + "\n"


def _lines(inspection: Inspection) -> Iterator[str]:
    table = f'table="{_escaped(inspection.tree.opened.location)}"'
    for name, text, samples in _gauges(inspection):
        yield f"# HELP wasim_table_{name} {text}."
        yield f"# TYPE wasim_table_{name} gauge"
        for value, labels in samples:
            listed = "".join(f',{label}="{_escaped(said)}"' for label, said in labels.items())
            yield f"wasim_table_{name}{{{table}{listed}}} {value}"


def _gauges(inspection: Inspection) -> Iterator[tuple[str, str, Sequence[tuple[object, dict[str, str]]]]]:
    """Each gauge's name, its help, and its values with their labels."""
    totals, history, data_bytes = inspection.totals, inspection.history, inspection.live_data_bytes
    yield (
        "inspected_timestamp_seconds",
        "When the table was last read",
        [(f"{inspection.tree.opened.listed_at_s:.3f}", {})],
    )
    if snapshots := inspection.tree.index.snapshots:
        at_s = snapshots[-1].timestamp_ms / 1000
        yield "last_commit_timestamp_seconds", "When the newest snapshot was made", [(f"{at_s:.3f}", {})]
    kinds = [
        (amount, {"kind": kind.value, "state": state.value})
        for kind in Kind
        for state in State
        if (amount := totals.of(kind, state)).files
    ]
    yield "bytes", "Bytes on storage by kind and state", [(amount.bytes, labels) for amount, labels in kinds]
    yield "files", "Files on storage by kind and state", [(amount.files, labels) for amount, labels in kinds]
    if data_bytes is not None:
        yield "live_data_bytes", "Bytes of the current snapshot's data and delete files", [(data_bytes, {})]
    found = measures(inspection.tree, totals).items()
    yield (
        "measure",
        "Sizes and counts that thresholds are for",
        [(f"{one:.10g}", {"measure": name}) for name, one in found],
    )
    parts = [(size, {"part": part}) for part, size in inspection.parts.bytes.items()]
    yield "metadata_json_part_bytes", "Bytes of metadata.json by part, uncompressed", parts
    if history.interval_s is not None:
        yield "commit_interval_seconds", "Median time between commits", [(f"{history.interval_s.median:.10g}", {})]
    until = inspection.growth.days_until.items()
    days = [(f"{one:.10g}", {"mark": mark}) for mark, one in until if one is not None]
    yield "days_until", "Days until a mark is reached; 0 where it is passed", days
    counts = Counter(one.severity for one in inspection.findings)
    yield "findings", "Findings by severity", [(counts[one], {"severity": one.name.lower()}) for one in Severity]


def _escaped(text: str) -> str:
    return printable(text, 1_000).replace("\\", r"\\").replace('"', r"\"")


def watch(
    look: Look, *, every_s: float, for_s: float, seen: Callable[[Inspection], None] = lambda _: None
) -> Iterator[str]:
    """Lines about a table: how it stands, then each new commit, for so long. `seen` is given every inspection.

    A look that fails is a line; the next one may not. The first one's failure is raised.
    """
    ends_at = time.monotonic() + for_s
    last = look()
    seen(last)
    yield _standing(last)
    while (left := ends_at - time.monotonic()) > 0:
        time.sleep(min(every_s, left))
        try:
            found = look()
        except (WasimError, OSError) as error:
            yield f"could not look: {printable(str(error))}"
            continue
        seen(found)
        yield from new_commits(last, found)
        last = found


def new_commits(before: Inspection, after: Inspection) -> Iterator[str]:
    """A line for each snapshot that the later inspection has and the earlier has not, and one for those that went."""
    old, new = ({one.snapshot_id for one in found.tree.index.snapshots} for found in (before, after))
    written, known = after.history.ledger.written_bytes, after.history.known
    for row, snapshot in enumerate(after.tree.index.snapshots):
        if snapshot.snapshot_id in old:
            continue
        sizes = [
            f"{name} {format_bytes(int(written[kind][row]))}"
            for kind, name in _SHORT.items()
            if known[kind][row] and written[kind][row]
        ]
        when, what = moment_words(snapshot.timestamp_ms / 1000), printable(snapshot.operation or "unknown", 40)
        yield f"{when} {what} {snapshot.snapshot_id}: {', '.join(sizes) or 'sizes unknown'}"
    if gone := len(old - new):
        yield f"{moment(after.tree.opened.listed_at_s)} {format_count(gone, 'snapshot')} went"


def _standing(inspection: Inspection) -> str:
    snapshots = format_count(len(inspection.tree.opened.metadata.snapshots), "snapshot")
    return (
        f"{moment(inspection.tree.opened.listed_at_s)} {snapshots}, metadata.json"
        f" {format_bytes(inspection.tree.opened.json_bytes)}, all metadata {format_bytes(inspection.metadata_bytes)}"
    )


class Exposition:
    """A server on the loopback that answers every GET with the newest text. Close it when done."""

    def __init__(self, port: int) -> None:
        """EnvironmentFault if the port is taken; 0 takes any that is free."""
        self.text = ""
        exposition = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = exposition.text.encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Nothing: the terminal is for commits."""

        try:
            self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        except (OSError, OverflowError) as error:
            raise EnvironmentFault(f"Port {port} of the loopback cannot be opened: {error}. Give another.") from error
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()
