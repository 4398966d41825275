"""Every published figure of the saved sample, computed again from its events by arithmetic of this file's own."""

import json
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from support.paths import sample_run

DATA = {"data", "delete_file"}


def events_of(case: Path) -> list[dict[str, Any]]:
    return pq.read_table(case / "events.parquet").to_pylist()


def summed(events: list[dict[str, Any]], action: str) -> Counter[str]:
    sums: Counter[str] = Counter()
    for event in events:
        if event["action"] == action:
            sums[event["kind"]] += event["bytes"]
    return sums


@pytest.fixture(scope="module")
def summary(reported_sample: Path) -> dict[str, Any]:
    return json.loads((reported_sample / "summary.json").read_text())


@pytest.fixture(scope="module")
def page(reported_sample: Path) -> str:
    return (reported_sample / "report.html").read_text()


@pytest.fixture(scope="module")
def written(summary: dict[str, Any]) -> dict[str, Counter[str]]:
    return {one["label"]: summed(events_of(sample_run() / "cases" / one["key"]), "write") for one in summary["cases"]}


def test_reporting_the_sample_changes_no_tracked_file(reported_sample: Path) -> None:
    git = ("git", "-C", str(sample_run()))
    tracked = subprocess.run([*git, "ls-files"], capture_output=True, text=True, check=True).stdout.split()
    assert [
        name for name in tracked if (sample_run() / name).read_bytes() != (reported_sample / name).read_bytes()
    ] == []
    made = {str(path.relative_to(reported_sample)) for path in reported_sample.rglob("*") if path.is_file()} - set(
        tracked
    )
    ignored = subprocess.run([*git, "check-ignore", *made], capture_output=True, text=True, check=True).stdout.split()
    assert set(ignored) == made >= {"report.html", "summary.json"}


def metadata(written: Counter[str]) -> int:
    return sum(size for kind, size in written.items() if kind not in DATA)


def data(written: Counter[str]) -> int:
    return sum(size for kind, size in written.items() if kind in DATA)


def test_bytes_by_kind_are_the_sums_of_the_events(summary: dict[str, Any], written: dict[str, Counter[str]]) -> None:
    for one in summary["cases"]:
        assert {kind: size for kind, size in one["written_bytes"].items() if size} == dict(written[one["label"]])
        deleted = summed(events_of(sample_run() / "cases" / one["key"]), "delete")
        assert {kind: size for kind, size in one["deleted_bytes"].items() if size} == dict(deleted)


def test_write_amplification_divides_by_the_longest_intervals_data(
    page: str, summary: dict[str, Any], written: dict[str, Counter[str]]
) -> None:
    longest = max(one["commit_interval_s"] for one in summary["cases"])
    denominator = min(data(written[one["label"]]) for one in summary["cases"] if one["commit_interval_s"] == longest)
    rows = table_rows(page, "Written by kind")
    for one in summary["cases"]:
        assert f"{metadata(written[one['label']]) / denominator:.3g}" in rows[one["writer"], one["commit_interval_s"]]
        assert one["wa"]["data"] == pytest.approx(data(written[one["label"]]) / denominator)
        assert one["wa"]["metadata"] == pytest.approx(metadata(written[one["label"]]) / denominator)
        assert one["wa"]["total"] == pytest.approx(sum(written[one["label"]].values()) / denominator)


def test_the_answers_figures_are_those_of_the_events(summary: dict[str, Any], written: dict[str, Counter[str]]) -> None:
    for choice in summary["answer"]["choices"]:
        for option in choice["options"]:
            label = f"{choice['group']} every {option['commit_interval_s']:g}s"
            assert option["metadata_bytes"] == metadata(written[label])
            assert option["data_bytes"] == data(written[label])


def test_on_disk_is_what_was_written_and_not_deleted(page: str, summary: dict[str, Any]) -> None:
    text = re.sub(r"<[^>]+>", " ", page)
    for one in summary["cases"]:
        left: Counter[str] = Counter()
        for event in events_of(sample_run() / "cases" / one["key"]):
            left[event["kind"]] += event["bytes"] * (1 if event["action"] == "write" else -1)
        assert {kind: size for kind, size in one["on_disk_bytes"].items() if size} == dict(+left)
        assert in_units(metadata(left)) in text


def test_planning_is_the_median_of_the_last_warm_full_scan(summary: dict[str, Any]) -> None:
    options = {
        f"{choice['group']} every {option['commit_interval_s']:g}s": option
        for choice in summary["answer"]["choices"]
        for option in choice["options"]
    }
    for one in summary["cases"]:
        probes = json.loads((sample_run() / "cases" / one["key"] / "case.json").read_text())["probes"]
        last = [probe for probe in probes if (probe["query"], probe["temperature"]) == ("full_scan", "warm")][-1]
        together = np.median(np.array(last["load_ms"]) + np.array(last["planning_ms"]))
        assert options[one["label"]]["planning_ms"] == pytest.approx(together)


def table_rows(page: str, caption: str) -> dict[tuple[str, float], list[str]]:
    """The cells of one table of the page, by writer and interval."""
    table = page[page.index(f"<caption>{caption}") :].split("</table>", maxsplit=1)[0]
    rows = [re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", row) for row in table.split("<tr>")[2:]]
    return {(row[1], float(row[0].removesuffix("s"))): row[2:] for row in rows}


def test_the_page_prints_what_the_events_say(
    page: str, summary: dict[str, Any], written: dict[str, Counter[str]]
) -> None:
    text = re.sub(r"<[^>]+>", " ", page)
    for one in summary["cases"]:
        for kind in ("metadata_json", "manifest_list", "data_manifest", "data"):
            assert in_units(written[one["label"]][kind]) in text
        assert in_units(metadata(written[one["label"]])) in text
    assert summary["answer"]["conclusion"].replace("'", "&#39;") in text


def in_units(size: float) -> str:
    """Three figures and an IEC unit, reckoned here once more."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1000 or unit == "GiB":
            break
        size /= 1024
    digits = 0 if unit == "B" else max(0, 3 - len(str(int(size))))
    return f"{size:.{digits}f} {unit}"
