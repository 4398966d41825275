"""The board and the alerts ask for metrics that a running `watch` serves, and the page names all of them."""

import json
import re
import subprocess
import sys
from http.client import HTTPConnection

import pytest
from ruamel.yaml import YAML
from support.paths import DATA, ROOT

from wasim.doctor.table_files import State

DOCS = ROOT / "docs"
SELECTOR = re.compile(r"\b(wasim_\w+)(?:\{([^}]*)\})?")
LABEL = re.compile(r'(\w+)([=!]~?)"((?:[^"\\]|\\.)*)"')
Series = tuple[str, dict[str, str]]


@pytest.fixture(scope="module")
def served() -> list[Series]:
    """Every series that a `watch` serves while it runs."""
    command = (sys.executable, "-m", "wasim", "watch", str(DATA / "tables" / "evolving_v2"))
    with subprocess.Popen(
        [*command, "--every", "30s", "--for", "5m", "--prometheus-port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as watch:
        try:
            assert watch.stderr is not None
            assert watch.stdout is not None
            (port,) = re.findall(r"http://127.0.0.1:(\d+)/metrics", watch.stderr.readline())
            watch.stdout.readline()  # how the table stands, once it was read
            connection = HTTPConnection("127.0.0.1", int(port), timeout=10)
            connection.request("GET", "/metrics")
            text = connection.getresponse().read().decode()
        finally:
            watch.terminate()
    return [
        (name, {label: value for label, _, value in LABEL.findall(labels)})
        for line in text.splitlines()
        if not line.startswith("#")
        for name, labels in SELECTOR.findall(line)
    ]


def queries() -> list[str]:
    board = json.loads((DOCS / "grafana.json").read_text())
    rules = YAML(typ="safe").load(DOCS / "alerts.yaml")["groups"][0]["rules"]
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    asked += [variable["query"]["query"] for variable in board["templating"]["list"] if variable["type"] == "query"]
    return asked + [rule["expr"] for rule in rules]


def matches(label: str, sign: str, value: str, served_value: str) -> bool:
    if sign.endswith("~"):
        return bool(re.fullmatch(value, served_value)) is (sign == "=~")
    return value == served_value or (label == "state" and value in set(State))  # this table has no orphans


def answers(series: Series, name: str, conditions: list[tuple[str, str, str]]) -> bool:
    labels = series[1]
    return series[0] == name and all(
        label in labels and (value == "$table" or matches(label, sign, value, labels[label]))
        for label, sign, value in conditions
    )


@pytest.mark.parametrize("query", queries())
def test_a_query_selects_series_that_watch_serves(query: str, served: list[Series]) -> None:
    selectors = SELECTOR.findall(query)
    assert selectors
    for name, conditions in selectors:
        asked = LABEL.findall(conditions)
        assert any(answers(series, name, asked) for series in served), f"{name}{{{conditions}}}"


def test_the_page_names_every_metric_and_label(served: list[Series]) -> None:
    rows = [row.split("|") for row in (DOCS / "watch.md").read_text().splitlines() if row.startswith("| `wasim_")]
    named = {
        (metric, *sorted(re.findall(r"`(\w+)`", row[2]))) for row in rows for metric in re.findall(r"`(\w+)`", row[1])
    }
    assert named == {(name, *sorted(labels.keys() - {"table"})) for name, labels in served}


def test_an_alert_states_days_as_they_are() -> None:
    """`humanize` writes 0.01 days as 10m."""
    assert re.findall(r"humanize \}\} \w+", (DOCS / "alerts.yaml").read_text()) == []
