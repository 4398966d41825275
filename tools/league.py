"""The league of defaults: what each writer's metadata comes to on one table, as it ships and at one commit a minute.

`make league` runs `python -m tools.league`, which writes docs/writers.md and docs/writers.svg from long horizons.
"""

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tools.league_entries import ENTRIES, Entry
from tools.league_page import Row, render_chart, render_page
from wasim.capacity import NO_MAINTENANCE, Figures, PlanRequest, Requirements, Setting, SettingSimulator
from wasim.capacity.commits import latency_request
from wasim.capacity.request import request_from_document
from wasim.contention import commit_latency
from wasim.errors import WasimError
from wasim.forecast import with_change
from wasim.iceberg.properties import METADATA_COMPRESSION, METADATA_DELETE_AFTER_COMMIT_ENABLED
from wasim.runs import write_atomically
from wasim.scenario import Case
from wasim.scenario.changes import ExpireSnapshots, Maintenance, RewriteManifests
from wasim.scenario.examine import examine
from wasim.scenario.from_flags import table_of_columns
from wasim.scenario.sweep import make_case
from wasim.twin import shipped_profile
from wasim.twin.profile import as_triggered, as_written
from wasim.units import DAY_S, HOUR_S, format_duration

DOCS = Path(__file__).parents[1] / "docs"
MINUTE = "1m"
HORIZON = "30d"
WRITERS = 4
TABLE: Mapping[str, Any] = table_of_columns(20, 0) | {"partition_by": [{"column": "event_time", "transform": "day"}]}
Change = Maintenance | dict[str, str]
CHANGES: Mapping[str, tuple[str, Change]] = {
    "expiry": (
        "Spark's `expire_snapshots` daily, older than 1 d",
        Maintenance(expire_snapshots=ExpireSnapshots(every=DAY_S, older_than=DAY_S)),
    ),
    "older": (
        "its own expiry, older than 1 h",
        Maintenance(expire_snapshots=ExpireSnapshots(every=60.0, older_than=HOUR_S)),
    ),
    "gzip": (f"`{METADATA_COMPRESSION}` = `gzip`", {METADATA_COMPRESSION: "gzip"}),
    "rewriting": ("Spark's `rewrite_manifests` daily", Maintenance(rewrite_manifests=RewriteManifests(every=DAY_S))),
    "deletion": (f"`{METADATA_DELETE_AFTER_COMMIT_ENABLED}` = `true`", {METADATA_DELETE_AFTER_COMMIT_ENABLED: "true"}),
}
"""What may be set without a change of the interval: in words of Spark or of the table, and as the case has it."""


def row_of(entry: Entry, every: str | None) -> Row:
    """The writer at that interval, None as it ships. WasimError for what no scenario may say."""
    document = {
        "name": "league",
        "question": "What do a writer's defaults come to?",
        "table": dict(TABLE),
        "workload": {"rows_per_second": "1000", "files_per_commit": 1},
        "writer": dict(entry.writer),
        "horizon": HORIZON,
    }
    request = request_from_document("league", document, Requirements(provider="s3"))
    ships_s = entry.facts.trigger.every_s
    scenario, faults = examine({**document, "commit_interval": every or format_duration(ships_s or 60.0)})
    if faults:
        raise WasimError(f"{entry.profile}: {faults[0].place} {faults[0].problem}. {faults[0].remedy}")
    case = make_case(scenario, repetition=0, swept={})
    profile = shipped_profile(case)
    case = as_written(as_triggered(case, profile) if every is None else case, profile)
    figures = _figures(case, request)
    race = commit_latency(
        latency_request(figures.footprint, case.commit_interval_s, case, replace(request, writers=WRITERS))
    )
    helps, helped = _most_helpful(case, request, entry)
    further = (profile.recipe.statistics, profile.recipe.expiry)
    return Row(
        entry=entry,
        interval_s=case.commit_interval_s,
        versions_per_commit=1 + sum(part is not None and part.commit == "own" for part in further),
        figures=figures,
        profile=profile,
        lost_share=race.outcome.lost_share,
        helps=helps,
        helped=helped,
    )


def _figures(case: Case, request: PlanRequest) -> Figures:
    gzips = case.table.properties.get(METADATA_COMPRESSION) == "gzip"
    setting = Setting(interval_s=case.commit_interval_s, maintenance=NO_MAINTENANCE, gzips_json=gzips)
    simulator = SettingSimulator(request=request)
    if gzips:  # sizes before compression are read off the same case without it
        plain = {key: text for key, text in case.table.properties.items() if key != METADATA_COMPRESSION}
        uncompressed = replace(case, table=case.table.model_copy(update={"properties": plain}))
        simulator.figures_of_case(uncompressed, replace(setting, gzips_json=False))
    return simulator.figures_of_case(case, setting)


def _most_helpful(case: Case, request: PlanRequest, entry: Entry) -> tuple[str, Figures]:
    """The change after which a day writes least metadata, and what then is."""
    found = []
    for name, (words, change) in CHANGES.items():
        if name in _pointless(case):
            continue
        changed = with_change(case, change)
        found.append((entry.says.get(name, words), _figures(changed, request)))
    return min(found, key=lambda one: one[1].metadata_bytes_per_day)


def _pointless(case: Case) -> set[str]:
    """Changes that the writer has made already, or that contradict what it does."""
    expires, properties = case.maintenance.expire_snapshots, case.table.properties
    return {
        "older" if expires is None or expires.older_than <= HOUR_S else "",
        "expiry" if expires is not None else "",
        "deletion" if properties.get(METADATA_DELETE_AFTER_COMMIT_ENABLED) == "true" else "",
    }


def league() -> tuple[list[Row], list[Row]]:
    """The writers that ship an interval, as they ship; and all of them at one commit a minute."""
    ship = [row_of(entry, None) for entry in ENTRIES if entry.facts.trigger.every_s is not None]
    return ship, [row_of(entry, MINUTE) for entry in ENTRIES]


def main() -> None:
    """Writes the page and its chart."""
    ship, minute = league()
    write_atomically(DOCS / "writers.svg", render_chart(minute))
    write_atomically(DOCS / "writers.md", render_page(ship, minute))


if __name__ == "__main__":
    try:
        main()
    except WasimError as error:
        sys.exit(str(error))
