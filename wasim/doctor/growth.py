"""How a table's metadata has grown, and when it reaches sizes that are known to cause trouble if it goes on so."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from wasim.doctor.history import History, lasting_slope
from wasim.doctor.json_parts import JsonParts
from wasim.doctor.tree import Tree
from wasim.iceberg.properties import TableProperties
from wasim.ledger import Kind
from wasim.ledger.trouble import JSON_MARKS, MARKS
from wasim.units import DAY_S, Floats

LEAST_COMMITS = 3
_JSON_TEXT = "metadata_json_text_bytes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """A quantity now, and what a day adds to it if all goes on as it did; None where the history does not tell.

    Every day adds `quickening` to `per_day`: files that hold all snapshots grow with each.
    """

    now: float
    per_day: float | None
    quickening: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """Trends by quantity, and days until each mark: 0 where it is passed, None where it is not in sight.

    `metadata_json_bytes` is the file as stored, `metadata_json_text_bytes` the JSON in it. Marks of metadata.json judge
    one of them; `days_until_other` are days until the other reaches the mark.

    `manifests` and `manifest_bytes` count one snapshot's; the trend of metadata is of bytes written, which stay
    until something removes them.
    """

    trends: dict[str, Trend]
    days_until: dict[str, float | None]
    days_until_other: dict[str, float | None]


def time_until(days: float | None) -> str:
    """How long until a mark, as people say it."""
    if days is None:
        return "not in sight"
    if days == 0:
        return "passed"
    for unit, count in (("min", 1440), ("hours", 24)):
        if days * count < 100:
            return f"{days * count:,.0f} {unit}"
    return f"{days:,.0f} days"


def measure_growth(
    tree: Tree, history: History, parts: JsonParts, *, metadata_bytes: int, data_bytes: int | None
) -> Growth:
    """The growth of an inspected table. `metadata_bytes` are on storage, `data_bytes` live or unknown."""
    per_day = None if history.commits_per_hour is None else history.commits_per_hour * 24
    counts, sizes = _column(tree.index.counts), _column(tree.index.bytes)
    times = history.ledger.event_time_s
    manifests = _per_day(times, counts)
    json_per_day = _json_per_day(tree, history, parts, per_day)
    written, quickening = _written_per_day(tree, history, per_day, json_per_day or 0.0)
    data = _per_day(times, _column(list(history.ledger.data_bytes_live)))
    live = [tree.index.manifests[one].manifest_length for one in tree.index.live]
    text_per_day = None if json_per_day is None else json_per_day / tree.stored_share
    trends = {
        "metadata_json_bytes": Trend(now=tree.opened.json_bytes, per_day=json_per_day),
        _JSON_TEXT: Trend(now=len(tree.opened.json_text), per_day=text_per_day),
        "manifests": Trend(now=len(tree.index.live), per_day=manifests),
        "manifest_bytes": Trend(now=sum(live), per_day=_per_day(times, sizes)),
        "metadata_bytes": Trend(now=metadata_bytes, per_day=written, quickening=quickening),
        "data_bytes": Trend(now=data_bytes or 0, per_day=data),
    }
    judged = {mark: _JSON_TEXT for mark in JSON_MARKS if not mark.is_stored}
    days = {
        mark.name: _days(trends[judged.get(mark, mark.quantity)], mark.value)
        for mark in MARKS
        if mark.quantity in trends
    }
    days |= {mark.name: days_until_share(trends, mark.value) for mark in MARKS if mark.quantity == "metadata_share"}
    other_size = {True: trends[_JSON_TEXT], False: trends["metadata_json_bytes"]}
    others = {mark.name: _days(other_size[mark.is_stored], mark.value) for mark in JSON_MARKS}
    return Growth(trends=trends, days_until=days, days_until_other=others)


def mark_rows(growth: Growth) -> Iterator[tuple[str, str, str, str]]:
    """A row for each mark: name, time until it, why it matters with the size that it judges, and a link or nothing."""
    for mark in MARKS:
        words = mark.source
        if mark in JSON_MARKS:
            sizes = ("as stored", "as JSON") if mark.is_stored else ("as JSON", "as stored")
            other = growth.days_until_other[mark.name]
            words += f"; {sizes[0]}"
            if other != growth.days_until[mark.name]:
                words += f" ({sizes[1]}: {time_until(other)})"
        yield mark.name, time_until(growth.days_until[mark.name]), words, mark.link


def _column(values: list[int]) -> Floats:
    return np.array([np.nan if value < 0 else value for value in values], dtype=np.float64)


def _per_day(times_s: Floats, values: Floats) -> float | None:
    """What a day adds lastingly to values that are NaN where unknown; None for too few, or all at once."""
    known = ~np.isnan(values)
    if known.sum() < LEAST_COMMITS or np.ptp(times_s[known]) <= 0:
        return None
    return lasting_slope(times_s[known], values[known]) * DAY_S


def _json_per_day(tree: Tree, history: History, parts: JsonParts, commits_per_day: float | None) -> float | None:
    """What a day adds to metadata.json as stored: by the versions that are there, or by the parts that commits add to.

    Every version counts, with a snapshot or without: Trino writes two at each INSERT, the second with statistics.
    """
    if commits_per_day is None or len(tree.index.snapshots) < LEAST_COMMITS:
        return None
    log = len(tree.opened.metadata.metadata_log)
    log_entry_bytes = parts.bytes["metadata-log"] / log * tree.stored_share if log else 0.0
    added = history.versions.growth(log_entry_bytes)
    if added is not None and history.versions_per_hour is not None:
        return added * history.versions_per_hour * 24
    grown = sum(parts.growth_bytes.get(part, 0.0) for part in ("snapshots", "snapshot-log", "statistics"))
    return grown * commits_per_day * tree.stored_share


def _written_per_day(
    tree: Tree, history: History, commits_per_day: float | None, json_per_day: float
) -> tuple[float | None, float]:
    """Metadata that a day adds, at today's sizes, and what a day adds to that. Deleted metadata.json add nothing.

    `json_per_day` is what a day adds to metadata.json, in bytes.
    """
    if commits_per_day is None:
        return None, 0.0
    lists, newest = Kind.MANIFEST_LIST, {Kind.METADATA_JSON: float(tree.opened.json_bytes)}
    list_bytes = np.where(history.known[lists], history.ledger.written_bytes[lists].astype(np.float64), np.nan)
    if not np.isnan(list_bytes).all():
        newest[lists] = float(list_bytes[~np.isnan(list_bytes)][-1])
    kinds = [Kind.METADATA_JSON, lists, Kind.DATA_MANIFEST, Kind.DELETE_MANIFEST]
    if TableProperties.read_leniently(tree.opened.metadata.properties).metadata_delete_after_commit_enabled:
        kinds.remove(Kind.METADATA_JSON)
    per_day = dict.fromkeys(kinds, commits_per_day)
    if Kind.METADATA_JSON in per_day and history.versions_per_hour is not None:
        per_day[Kind.METADATA_JSON] = history.versions_per_hour * 24
    mostly = {kind: spread.median for kind in kinds if (spread := history.bytes_per_commit(kind)) is not None}
    if not mostly:
        return None, 0.0
    written = sum(newest.get(kind, size) * per_day[kind] for kind, size in mostly.items())
    quickening = json_per_day * per_day.get(Kind.METADATA_JSON, 0.0)
    quickening += (_per_day(history.ledger.event_time_s, list_bytes) or 0.0) * commits_per_day
    return written, max(0.0, quickening)


def _days(trend: Trend, value: float) -> float | None:
    if trend.now >= value:
        return 0.0
    return (value - trend.now) / trend.per_day if trend.per_day is not None and trend.per_day > 0 else None


def days_until_share(trends: Mapping[str, Trend], share: float) -> float | None:
    """Days until metadata is that share of data: 0 where it is, None where that is not in sight."""
    metadata, data = trends["metadata_bytes"], trends["data_bytes"]
    if data.now > 0 and metadata.now >= share * data.now:
        return 0.0
    if metadata.per_day is None:
        return None
    gap, closing = share * data.now - metadata.now, metadata.per_day - share * max(0.0, data.per_day or 0.0)
    if data.now <= 0:
        return None
    if metadata.quickening <= 0:
        return gap / closing if closing > 0 else None
    # gap = closing · t + quickening · t² / 2
    return (math.sqrt(closing**2 + 2 * metadata.quickening * gap) - closing) / metadata.quickening
