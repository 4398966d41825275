"""Bytes of metadata.json by what its growing arrays hold: snapshots with their log, and the log of metadata files."""

import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil

import numpy as np

from wasim.iceberg.codecs import GZIP_HEADER, gzip_bytes
from wasim.iceberg.json_text import pretty_json
from wasim.iceberg.metadata_json import metadata_log_entry_json, render_metadata_json
from wasim.iceberg.properties import (
    METADATA_DELETE_AFTER_COMMIT_ENABLED,
    METADATA_PREVIOUS_VERSIONS_MAX,
    TableProperties,
)
from wasim.iceberg.snapshots import MetadataLogEntry, SnapshotLogEntry, statistics_json
from wasim.scenario import Case
from wasim.twin import CaseWriter
from wasim.twin.commits import merge_policy
from wasim.twin.identifiers import draw_uuid_numbers, snapshot_id_of, text_of_uuid
from wasim.twin.recipe import ExpiryOfCommit, StatisticsOfCommit
from wasim.twin.recipe_steps import expected_values, statistics_file, statistics_of
from wasim.twin.table import SimulatedTable
from wasim.twin.table_json import TableJson
from wasim.units import Floats, Ints

OF_RETENTION = (METADATA_DELETE_AFTER_COMMIT_ENABLED, METADATA_PREVIOUS_VERSIONS_MAX)
"""Properties that change no file but metadata.json, which lists them."""

SHORTER_IDS = 0.05  # digits that the ids of snapshots, which are random, have less than 19 on average
MOST_ZIPPED = 192
ZIPPED = (1, 2, 4, 8, 16, 24, 32, 48, 96, MOST_ZIPPED)
PROLONGED = (256, 384, 768)  # are measured too, for what each costs among very many: some 4 % less
# What differs from snapshot to snapshot: UUIDs, ids, and what counts commits, or files and rows in all, which grows.
UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_ID = r'(?<=snapshot-id":)\d+|(?<=/snap-)\d+'
_NUMBER = (
    r'"(?:sequence-number|timestamp-ms|first-row-id|manifests-kept|[a-z.-]*epochId|[a-z.-]*checkpoint-id|'
    r'[a-z.-]*(?:-records|-files-size|-copied)|total-[a-z-]+)"'
    r':"?'
)
_DIFFERING = re.compile(rf"({UUID})|({_ID})|({_NUMBER})(\d+)")
_EACH = 5  # parts of a text from one that differs to the next
_TOTALS = dict.fromkeys(("-records", "-copied"), '"total-records":"') | {"-files-size": '"total-files-size":"'}
_TIMESTAMP, _KEPT = '"timestamp-ms":', '"manifests-kept"'
SEEN_BYTES = 40_000  # that deflate, whose window has 32,768, sees nothing beyond
NEVER_MERGED = 10**9
SEEN_AS_NEVER = 64  # manifests kept at most: so far back deflate sees nothing of a snapshot
_WITHOUT_PARENT = '{"timestamp-ms":1767225600000}'
_WITH_PARENT = '{"parent-snapshot-id":9000000000000000000,"timestamp-ms":1767225600000}'


class Curve:
    """A function by its values at ascending points from 0 on, linear between them and beyond; and its integral."""

    def __init__(self, points: Floats, values: Floats) -> None:
        self._points, self._values = points, values
        self._slopes = np.diff(values) / np.diff(points)
        self._integrals = np.concatenate([[0.0], np.cumsum(np.diff(points) * (values[1:] + values[:-1]) / 2)])
        self._within = points[1:-1]  # beyond either end its slope goes on

    def _place(self, at: Floats | float) -> Ints:
        return np.asarray(self._within.searchsorted(at, side="right"))

    def at(self, point: Floats | float) -> Floats:
        """The values at these points."""
        place = self._place(point)
        return np.asarray(self._values[place] + self._slopes[place] * (point - self._points[place]))

    def mean(self, low: Floats, high: Floats) -> Floats:
        """The mean values between these points."""
        apart = high - low
        ends = (self._integral(high) - self._integral(low)) / np.where(apart > 0, apart, 1.0)
        return np.asarray(np.where(apart > 0, ends, self.at(low)))

    def inverted(self) -> "Curve":
        """The point of each value, where values ascend."""
        return Curve(self._values, self._points)

    def between(self, other: "Curve", share: float) -> "Curve":
        """The function between this and another: `share` of the way."""
        points = np.union1d(self._points, other._points)
        values = self.at(points)
        return Curve(points, values + (other.at(points) - values) * share)

    def scaled(self, scale: float) -> "Curve":
        """The function times `scale`."""
        return Curve(self._points, self._values * scale)

    def _integral(self, point: Floats) -> Floats:
        place = self._place(point)
        since = point - self._points[place]
        return np.asarray(self._integrals[place] + since * (self._values[place] + self._slopes[place] * since / 2))


def of_each(size: float) -> Curve:
    """Bytes of so many entries of the same size."""
    return Curve(np.array([0.0, 1.0]), np.array([0.0, size]))


_NO_STATISTICS = of_each(0.0)
ENTRIES_LOOKED_AT = 12  # of a history: what they name grows by digits


@dataclass(frozen=True, slots=True, kw_only=True)
class Zipped:
    """Bytes of gzipped documents: with a full metadata log, by the plain bytes of their snapshots; and by how much less
    they are while the log has fewer entries.
    """

    by_item_bytes: Curve
    missing: Curve  # by entries of the metadata log

    def between(self, other: "Zipped", share: float) -> "Zipped":
        """The bytes between these and others: `share` of the way."""
        return Zipped(
            by_item_bytes=self.by_item_bytes.between(other.by_item_bytes, share),
            missing=self.missing.between(other.missing, share),
        )

    def scaled(self, scale: float) -> "Zipped":
        """All bytes times `scale`."""
        return Zipped(by_item_bytes=self.by_item_bytes.scaled(scale), missing=self.missing.scaled(scale))


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSnapshots:
    """Plain bytes that each snapshot of a real table takes, with its log entry, once this many had been `made`."""

    bytes: float
    made: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataJson:
    """Bytes of metadata.json: what surrounds snapshots and logs, and each item of the three growing arrays.

    Once a case is given, `statistics` are bytes of all entries of statistics by the writer's commits, each with an
    `entry`, and `zipped` are sizes of documents that are `compressed`. `expiry` is the writer's own. Of a real table
    `found` are its snapshots, and `versions` its metadata.json for each of them. Its properties `OF_RETENTION` take
    `retention_bytes`, each with `around_property`.
    """

    created: float
    around: float
    log_entry: float
    snapshot_log_entry: float
    no_parent: float = 0.0  # by which a table's first snapshot is smaller
    compressed: "Compressed | None" = None
    zipped: Zipped | None = None
    statistics: Curve = _NO_STATISTICS
    entry: "StatisticsEntry | None" = None
    expiry: ExpiryOfCommit | None = None
    versions: float | None = None
    found: FoundSnapshots | None = None
    around_property: int = 0
    retention_bytes: int = 0

    def over(self, case: Case) -> "MetadataJson":
        """The sizes over a case's horizon, with its properties of retention, compressed as where manifests are merged
        as often as the case's.
        """
        retention_bytes = _retention_bytes(case, self.around_property)
        more = retention_bytes - self.retention_bytes
        zipped = self.zipped if self.compressed is None else self.compressed.where_kept(most_kept(case))
        statistics = self.statistics if self.entry is None else self.entry.through(case)
        return replace(
            self,
            created=self.created + more * (zipped is None),
            around=self.around + more,
            zipped=zipped,
            statistics=statistics,
            retention_bytes=retention_bytes,
        )

    @property
    def texts(self) -> tuple[float, bool]:
        """What tells apart sizes of one table's documents: what surrounds their items, and whether they are gzipped."""
        return self.around, self.compressed is not None or self.zipped is not None

    @property
    def uncompressed(self) -> "MetadataJson":
        """Bytes of the same texts before compression."""
        return replace(self, compressed=None, zipped=None, entry=self.entry and replace(self.entry, share=1.0))

    @property
    def versions_per_commit(self) -> float:
        """How many metadata.json there are for each commit of the writer, its statistics' among them."""
        if self.versions is not None:
            return self.versions
        return 1 if self.entry is None or self.entry.recipe.commit == "same" else 2

    def between(self, other: "MetadataJson", share: float) -> "MetadataJson":
        """The bytes between these and another table's, both over one case and by the same codec: `share` of the way."""
        return replace(
            self,
            compressed=None,
            created=self.created + (other.created - self.created) * share,
            around=self.around + (other.around - self.around) * share,
            zipped=self.zipped and other.zipped and self.zipped.between(other.zipped, share),
        )

    def of(self, item_bytes: Floats | float, logged: Floats | float) -> Floats:
        """Bytes of documents whose snapshots and their log take these bytes, with this many metadata log entries."""
        if self.zipped is None:
            return np.asarray(self.around + item_bytes + self.log_entry * logged)
        return self.zipped.by_item_bytes.at(item_bytes) - self.zipped.missing.at(logged)

    def plain(self, stored: Floats, logged: Floats) -> Floats:
        """Bytes before compression of documents that are stored in so many, with this many metadata log entries."""
        if self.zipped is None:
            return stored
        items = self.zipped.by_item_bytes.inverted().at(stored + self.zipped.missing.at(logged))
        return np.asarray(self.around + items + self.log_entry * logged)

    def mean(self, least: Floats, most: Floats, logged: Floats | float) -> Floats:
        """The same on average over documents whose snapshots grow from the least to the most bytes."""
        if self.zipped is None:
            return np.asarray(self.around + (least + most) / 2 + self.log_entry * logged)
        return self.zipped.by_item_bytes.mean(least, most) - self.zipped.missing.at(logged)


def _retention_bytes(case: Case, around: int) -> int:
    """Bytes that properties of retention take in metadata.json, each with so many around it."""
    given = case.table.properties
    return sum(len(key) + len(given[key]) + around for key in OF_RETENTION if key in given)


def metadata_json_sizes(table: SimulatedTable, created: float) -> MetadataJson:
    """Bytes of a table's metadata.json."""
    properties = replace(table.json.properties, metadata_compression="none")
    plain = replace(table.json, properties=properties, needs_text=False, is_measured=True)
    items = len(plain.snapshots) + len(plain.snapshot_log) + len(plain.metadata_log)
    whole_bytes = plain.content()
    around = float(whole_bytes if isinstance(whole_bytes, int) else len(whole_bytes)) - plain.item_bytes - items
    spaces = 0 if plain.is_compact else 1
    entry = metadata_log_entry_json(plain.metadata_log[-1])
    logged = plain.bytes_of('{"timestamp-ms":1767225600000,"snapshot-id":4000000000000000000}') - SHORTER_IDS
    made = MetadataJson(
        created=created,
        around=around,
        log_entry=plain.bytes_of(entry) + 1 + spaces,
        snapshot_log_entry=logged + 1 + spaces,
        no_parent=float(plain.bytes_of(_WITH_PARENT) - plain.bytes_of(_WITHOUT_PARENT)),
    )
    return replace(made, compressed=_compressed(table, made)) if table.json.is_gzip else made


def most_kept(case: Case) -> int:
    """Manifests that a commit keeps at most, before it merges them, or a job rewrites them or the files in them."""
    policy, jobs = merge_policy(TableProperties.read(case.table.properties)), case.maintenance
    rewrites, compacts = jobs.rewrite_manifests, jobs.rewrite_data_files
    most = [policy.min_count - 1] if policy.enabled and case.merges else []
    most += [round(job.every / case.commit_interval_s) for job in (rewrites, compacts) if job and job.every is not None]
    if rewrites and rewrites.when_manifests:
        most.append(rewrites.when_manifests)
    if compacts and compacts.when_small_files:
        most.append(ceil((compacts.when_small_files - 1) / case.workload.files_per_commit))  # one is left each time
    return max(1, min(most, default=NEVER_MERGED))


def with_recipe(made: MetadataJson, writer: CaseWriter) -> MetadataJson:
    """The sizes with what else the writer's commits put there."""
    table, recipe = writer.table, writer.profile.recipe
    around = len('"":"",') if table.json.is_compact else len('\n    "" : "",')
    given = _retention_bytes(writer.case, around)
    made = replace(made, expiry=recipe.expiry, around_property=around, retention_bytes=given)
    if recipe.statistics is None:
        return made
    sample = statistics_of(recipe.statistics, table, {}, writer.moment(0.0, 1))
    entry = StatisticsEntry(
        recipe=recipe.statistics,
        path=sample.statistics_path,
        distinct={leaf.field_id: leaf.column.values for leaf in writer.files.leaves},
        is_compact=table.json.is_compact,
    )
    if made.compressed is not None:
        entry = replace(entry, share=entry.share_of(made.compressed.where_kept(NEVER_MERGED)))
    return replace(made, entry=entry)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsEntry:
    """An entry of statistics in metadata.json: of columns with so many distinct values by field id, None of another in
    each row. It counts for `share` of its bytes where it compresses better than snapshots do.
    """

    recipe: StatisticsOfCommit
    path: str
    distinct: Mapping[int, int | None]
    is_compact: bool
    share: float = 1.0

    def through(self, case: Case) -> Curve:
        """Bytes of all entries through each of a case's commits, with what stands between them."""
        commits = np.unique(np.rint(np.geomspace(1, max(case.commits, 1), ENTRIES_LOOKED_AT)))
        around = (1 if self.is_compact else 2) - SHORTER_IDS * (1 + len(self.distinct))
        texts = [self._text(case.rows_through(int(one)), int(one), _LONG_ID) for one in commits.tolist()]
        sizes = (np.array([len(text) for text in texts]) + around) * self.share
        sums = sizes[0] + np.cumsum(np.diff(commits) * (sizes[1:] + sizes[:-1]) / 2)
        return Curve(np.concatenate([[0.0], commits]), np.concatenate([[0.0, sizes[0]], sums]))

    def share_of(self, zipped: Zipped) -> float:
        """How many bytes of snapshots compress to as much as one of entries."""
        rng = np.random.default_rng(0)
        ids = [snapshot_id_of(one) for one in draw_uuid_numbers(MOST_ZIPPED, rng)]
        names = [text_of_uuid(one) for one in draw_uuid_numbers(MOST_ZIPPED, rng)]
        texts = [
            re.sub(UUID, name, self._text(1000 * place, place, own))
            for place, (own, name) in enumerate(zip(ids, names, strict=True), start=1)
        ]
        half = MOST_ZIPPED // 2
        few, all_of_them = (len(gzip_bytes(",".join(some).encode(), GZIP_HEADER)) for some in (texts[:half], texts))
        low, high = zipped.by_item_bytes.at(np.array([5e4, 1e5]))
        return float((all_of_them - few) / len(",".join(texts[half:])) / ((high - low) / 5e4))

    def _text(self, rows: int, number: int, snapshot_id: int) -> str:
        values = {field_id: expected_values(values, rows) for field_id, values in self.distinct.items()}
        entry = statistics_file(self.recipe, self.path, values, snapshot_id=snapshot_id, sequence_number=number)
        text = statistics_json(entry)
        return text if self.is_compact else pretty_json(text, depth=1)


_LONG_ID = 9 * 10**18


@dataclass(frozen=True, slots=True, kw_only=True)
class Compressed:
    """How documents like a table's compress, `scale` times as large: measured on its last snapshots and many more like
    them, once for each number of manifests that commits keep at most.

    The window of deflate shows it the ids and times of a snapshot again in the logs, as long as there are few of them:
    so what a snapshot takes depends on how many there are.
    """

    json: TableJson
    logged: tuple[str, ...]  # names of earlier metadata.json, as many as are looked at
    plain: MetadataJson
    seed: int
    scale: float = 1.0
    _measured: dict[int, Zipped] = field(default_factory=dict)

    def where_kept(self, most: int) -> Zipped:
        """Bytes of documents of a table whose manifests are merged once so many are kept."""
        most = min(most, SEEN_AS_NEVER)
        if most not in self._measured:
            self._measured[most] = self._measure(most)
        return self._measured[most].scaled(self.scale)

    def _measure(self, most: int) -> Zipped:
        plain, limit = self.plain, len(self.logged)
        json = _prolonged(self.json, self.logged, PROLONGED[-1], most, np.random.default_rng(self.seed))
        full = [_document(json, count, limit) for count in (*ZIPPED, *PROLONGED)]
        sizes = np.array([len(gzip_bytes(text, GZIP_HEADER)) for text in full], dtype=np.float64)
        items = np.array([len(text) for text in full]) - plain.around - limit * plain.log_entry
        fewer = {0: 0} | {count: place for place, count in enumerate(ZIPPED) if count < limit}
        missing = {
            entries: sizes[place] - len(gzip_bytes(_document(json, ZIPPED[place], entries), GZIP_HEADER))
            for entries, place in fewer.items()
        }
        first = sizes[0] - (sizes[1] - sizes[0]) / (items[1] - items[0]) * items[0]
        return Zipped(
            by_item_bytes=Curve(np.concatenate([[0.0], items]), np.concatenate([[first], sizes])),
            missing=Curve(np.array([*missing, limit], dtype=np.float64), np.array([*missing.values(), 0.0])),
        )


def _compressed(table: SimulatedTable, plain: MetadataJson) -> Compressed:
    numbers = draw_uuid_numbers(min(table.json.properties.metadata_previous_versions_max, MOST_ZIPPED), table.rng)
    names = (table.json_name(place, text_of_uuid(one)) for place, one in enumerate(numbers))
    logged = tuple(map(table.rules.locations.metadata_file, names))
    json = replace(table.json, snapshots=dict(table.json.snapshots), snapshot_log=list(table.json.snapshot_log))
    return Compressed(json=json, logged=logged, plain=plain, seed=int(table.rng.integers(2**32)))


def _document(json: TableJson, snapshots: int, logged: int) -> bytes:
    """The table's document if it had kept its last snapshots alone, and these many entries of the metadata log."""
    log = tuple(json.metadata_log)[len(json.metadata_log) - logged :]
    whole = replace(json.base, snapshot_log=tuple(json.snapshot_log[-snapshots:]), metadata_log=log)
    texts = tuple(json.snapshots.values())[-snapshots:]
    return render_metadata_json(whole, snapshot_texts=texts, release=json.release).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Like:
    """A snapshot to copy, as text, UUID, id, what a number counts, its digits, text …; which of its UUIDs are of it
    alone, and where its numbers stand, how they start, by how much they grow, and whether they count manifests kept.
    """

    parts: list[str]
    uuids: list[str]
    numbers: list[tuple[int, int, int, bool]]

    def copied(self, copy: int, most: int, drawn: Iterator[int], ids: dict[str, str]) -> str:
        """Its text with new names and ids, but of earlier snapshots among `ids`, and numbers grown so many times."""
        made, names = self.parts.copy(), {uuid: text_of_uuid(next(drawn)) for uuid in self.uuids}
        made[1::_EACH] = [names.get(uuid, uuid) for uuid in self.parts[1::_EACH]]
        made[2::_EACH] = [one and ids.setdefault(one, str(snapshot_id_of(next(drawn)))) for one in self.parts[2::_EACH]]
        for place, first, growth, is_kept in self.numbers:
            value = first + copy * growth
            made[place + 1] = str(value % most if is_kept else value)
        return "".join(filter(None, made))


def _prolonged(json: TableJson, logged: Sequence[str], count: int, most: int, rng: np.random.Generator) -> TableJson:
    """A document with this many snapshots: copies with ids and names of their own, and numbers grown on, but that of
    manifests kept, of which there are at most so many.
    """
    likes, later_ms = _to_copy(list(json.snapshots.values())[1:])  # the first one has no parent
    log, copies = list(json.snapshot_log)[-len(likes) :], ceil(count / len(likes))
    differing = sum(len(like.uuids) + sum(map(bool, like.parts[2::_EACH])) for like in likes)
    drawn = iter(draw_uuid_numbers(copies * differing, rng))
    snapshots, entries = dict[int, str](), list[SnapshotLogEntry]()
    for copy in range(copies):
        ids: dict[str, str] = {}
        for like, entry in zip(likes, log, strict=True):
            text = like.copied(copy, most, drawn, ids)
            own = int(ids[str(entry.snapshot_id)])
            snapshots[own] = text
            entries.append(replace(entry, snapshot_id=own, timestamp_ms=entry.timestamp_ms + copy * later_ms))
    newest = entries.pop()
    metadata_log = deque(
        MetadataLogEntry(timestamp_ms=entry.timestamp_ms + late, metadata_file=file)
        for file, entry, late in zip(
            logged, entries[len(entries) - len(logged) :], rng.integers(2, size=len(logged)).tolist(), strict=True
        )
    )
    whole = replace(json, snapshots=snapshots, snapshot_log=entries, metadata_log=metadata_log)
    whole.base = whole.point_main(newest.snapshot_id, newest.timestamp_ms)
    return whole


def _to_copy(texts: Sequence[str]) -> tuple[list[_Like], int]:
    """Snapshots with these texts, or the last of them, and how many milliseconds they take together."""
    apart = _whole_cycles([_DIFFERING.split(text) for text in texts])
    usual = Counter(tuple(parts[3::_EACH]) for parts in apart).most_common(1)[0][0]
    same = [parts for parts in apart if tuple(parts[3::_EACH]) == usual]  # statements count other things
    grown = _grown([{parts[at]: int(parts[at + 1]) for at in _places(parts)} for parts in same])
    named = Counter(uuid for parts in apart for uuid in dict.fromkeys(parts[1::_EACH]))
    likes = [
        _Like(
            parts=parts,
            uuids=[uuid for uuid in dict.fromkeys(parts[1::_EACH]) if named[uuid] == 1],  # others are of a query
            numbers=[
                (at, int(parts[at + 1]), grown.get(parts[at], 0), parts[at].startswith(_KEPT)) for at in _places(parts)
            ],
        )
        for parts in apart
    ]
    return likes, grown[_TIMESTAMP]


def _whole_cycles(apart: list[list[str]]) -> list[list[str]]:
    """The last snapshots, as many as what their numbers count comes again after, beyond the window of deflate: it finds
    what follows a statement once more after the next one. All of them where nothing comes again.
    """
    counting = [parts[3::_EACH] for parts in apart]
    settled = counting[len(counting) // 4 :]
    for cycle in range(1, len(settled) // 2):
        if settled[cycle:] == settled[:-cycle]:
            each = sum(len(text) for parts in apart[-cycle:] for text in filter(None, parts))
            return apart[-cycle * ceil(SEEN_BYTES / each) :]
    return apart


def _grown(counted: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """By how much each number grows over so many snapshots: not at all, where the later half of them has as little as
    the earlier one, as what is deleted again and again is written again.
    """
    half, found = len(counted) // 2, dict.fromkeys(counted[0], 0)
    for name in found if half else ():
        earlier, later = ([one[name] for one in some] for some in (counted[:half], counted[half:]))
        grows = min(later) > max(earlier)
        # where whole tables are rewritten, as much is added as there is in all
        unit = next((total for end, total in _TOTALS.items() if end in name and total in found), name)
        found[name] = (counted[-1][unit] - counted[0][unit]) * len(counted) // (len(counted) - 1) if grows else 0
    return found


def _places(parts: Sequence[str]) -> Iterator[int]:
    """Where what a number counts stands in a text; its digits are the next part."""
    return (place for place in range(3, len(parts), _EACH) if parts[place])
