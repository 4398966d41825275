"""The data of a page's sliders: places, names, limits and statements, as its script reads them."""

import json
from base64 import b64decode
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.by_hand import ByLaw, at_most, some_figures
from support.plans import a_request

from wasim.capacity import NO_MAINTENANCE, Figures, Maintenance, Setting
from wasim.capacity.commands import sql_of
from wasim.capacity.explorer import Explorer, _also, _axes, _between, _expiry_places, _weights, explorer_of
from wasim.capacity.lattice import Axes, Lattice, Scale, axes_for, build_lattice
from wasim.capacity.settings import case_of
from wasim.ledger import Kind
from wasim.units import DAY_S, HOUR_S

KEPT = Maintenance(expire_every_s=HOUR_S, older_than_s=2 * DAY_S, rewrite_every_s=None, compact_every_s=6 * HOUR_S)
BASE = Setting(interval_s=60.0, maintenance=KEPT)
REQUEST = a_request()


def axes_of(base: Setting = BASE) -> Axes:
    case = case_of(REQUEST, base)
    return axes_for(case, base, [10.0, 300.0], time_travel_s=DAY_S, horizon_s=10 * DAY_S)


def test_expiries_are_numbered_by_period_and_age():
    axes = axes_of()
    places = _expiry_places(axes)
    assert places[0] == [0, 0, 0]
    for period, row in enumerate(places[1:], 1):
        assert [axes.expiries[place] for place in row] == [(axes.periods_s[period], age_s) for age_s in axes.ages_s]


def test_what_no_slider_changes_is_said():
    assert _also(axes_of()) == ["compact every 6h"]
    assert _also(axes_of(replace(BASE, maintenance=replace(KEPT, compact_every_s=None)))) == []


def test_values_are_drawn_between_those_that_were_simulated():
    assert _between([1.0, 10.0, 100.0, 1_000.0], [0, 2, 3]) == [(0, 1, 0.0), (0, 1, 0.5), (1, 2, 0.0), (2, 2, 0.0)]
    scale = Scale(key="rate", label="Rate", values=(1.0, 10.0, 100.0, 1e4), at=1, simulated=dict.fromkeys((0, 3)))
    # no share for the table's own value; at 100, a third of the way from 10 to 10,000, that has the other two thirds
    assert _weights(scale) == [[(0, 1.0)], [], [(1, pytest.approx(1 / 3, abs=1e-6))], [(1, 1.0)]]


def law(setting: Setting, rate: float) -> Figures:
    written = dict.fromkeys(Kind, 0) | {Kind.METADATA_JSON: 5}
    return some_figures(
        setting,
        HOUR_S / setting.interval_s,
        written_bytes=written,
        milestones=some_figures().milestones.__class__(json_passes=_Never(), metadata_outweighs=None),
    )


class _Never(dict):
    def __missing__(self, key: int) -> None:
        return None


SCALE = Scale(
    key="rate",
    label="Rows a second",
    values=(0.5, 1000.0, 10_000.0, 1e6),
    at=1,
    simulated={place: ByLaw(request=REQUEST, law=law) for place in (0, 3)},
)


def lattice_of(axes: Axes, scales: tuple[Scale, ...] = ()) -> Lattice:
    return build_lattice(axes, ByLaw(request=REQUEST, law=law), scales=scales)


def document_in(explorer: Explorer) -> dict[str, Any]:
    return json.loads(str(explorer.document))


def explorer(axes: Axes, scales: tuple[Scale, ...] = (), **given: object) -> tuple[Explorer, dict[str, Any]]:
    found = explorer_of(
        lattice_of(axes, scales),
        case_of(REQUEST, axes.base),
        request=REQUEST,
        **{"limits": (), "reset": "Back"} | given,  # type: ignore[arg-type]
    )
    return found, document_in(found)


@pytest.fixture(scope="module")
def found() -> Explorer:
    return explorer(axes_of(), (SCALE,), limits=(at_most("manifests", 5), at_most("monthly_cost", 9, "<")))[0]


@pytest.fixture(scope="module")
def document(found: Explorer) -> dict[str, Any]:
    return document_in(found)


def test_values_are_packed_in_the_order_of_the_axes(document: dict[str, Any]):
    lattice = lattice_of(axes_of())
    values = np.frombuffer(b64decode(document["values"]), dtype="<f8").reshape(document["shape"])
    assert np.array_equal(values, lattice.values, equal_nan=True)
    assert document["fields"] == list(lattice.fields)
    (scale,) = document["scales"]
    ratios = np.frombuffer(b64decode(scale["ratios"]), dtype="<f4").reshape(scale["shape"])
    assert not ratios.any()
    assert (scale["key"], scale["at"], scale["names"]) == ("rate", 1, ["0.500", "1,000", "10,000", "1,000,000"])
    assert scale["weights"][1] == []
    assert [len(one) for one in scale["weights"]] == [1, 0, 1, 1]


def test_each_axis_has_the_names_of_its_settings(document: dict[str, Any]):
    for key, names in (
        ("interval", ["10s", "1m", "5m"]),
        ("expire", ["never", "daily", "hourly"]),
        ("keep", ["1d", "2d", "30d"]),
        ("rewrite", ["never", "daily"]),
        ("compact", ["every 6h"]),
        ("oldjson", ["kept", "deleted"]),
        ("gzip", ["no"]),
        ("horizon", ["1d", "7d", "10d", "30d", "365d"]),
    ):
        assert document[key]["names"] == names
        assert len(document[key]["values"]) == len(names)
    assert document["interval"]["values"] == [10, 60, 300]
    assert document["expire"]["values"] == [None, DAY_S, HOUR_S]
    both = explorer(replace(axes_of(), gzips=(False, True)))[1]
    assert both["gzip"] == {"names": ["no", "gzip"], "values": [0, 1]}


def test_sliders_begin_at_the_base_setting(document: dict[str, Any]):
    assert document["start"] == {
        **{"interval": 1, "expire": 2, "keep": 1, "rewrite": 0, "compact": 0, "oldjson": 1, "gzip": 0, "horizon": 2}
    }

    def start(axes, horizon_s):
        return {one.key: one.at for one in _axes(axes, horizon_s)}

    assert start(axes_of(replace(BASE, maintenance=NO_MAINTENANCE)), 30 * DAY_S) == {
        **{"interval": 1, "expire": 0, "keep": 0, "rewrite": 0, "compact": 0, "oldjson": 1, "gzip": 0, "horizon": 3}
    }
    zipped = replace(axes_of(), base=replace(BASE, gzips_json=True, deletes_json=False), gzips=(False, True))
    assert (start(zipped, DAY_S)["gzip"], start(zipped, DAY_S)["oldjson"]) == (1, 0)


def test_only_an_axis_of_several_places_has_a_slider(found: Explorer):
    groups = {title: [one.key for one in controls] for title, controls in found.groups}
    assert groups == {
        "Commits": ["interval"],
        "Maintenance": ["expire", "keep", "rewrite", "oldjson"],
        "Workload": ["rate"],
        "Over": ["horizon"],
    }
    controls = {one.key: one for _, group in found.groups for one in group}
    assert [key for key, one in controls.items() if one.is_switch] == ["oldjson"]
    assert (controls["interval"].at, controls["rate"].at, controls["horizon"].at) == (1, 1, 2)
    few = explorer(replace(axes_of(), horizons_s=(10 * DAY_S,), gzips=(False, True)))[0]
    others = {title: [one.key for one in group] for title, group in few.groups}
    assert "Workload" not in others
    assert others["Over"] == []
    assert "gzip" in others["Maintenance"]


def test_limits_are_said_with_their_comparison(document: dict[str, Any]):
    assert [(one["field"], one["text"], one["bound"]) for one in document["limits"]] == [
        ("manifests", "at most 5", 5),
        ("monthly_cost", "below 9.00 USD", 9),
    ]
    assert [one["comparison"] for one in document["limits"]] == ["<=", "<"]


def test_kinds_that_nothing_is_written_of_are_left_out(found: Explorer, document: dict[str, Any]):
    assert [one["field"] for one in document["kinds"]] == ["written_json"]
    assert found.kinds == tuple(document["kinds"])


def test_metrics_of_several_tables_are_named_as_of_all():
    case = case_of(REQUEST, BASE)
    twelve = replace(case, writer=case.writer.model_copy(update={"kind": "batch", "tables": 12}))
    found = explorer_of(
        lattice_of(axes_of()), twelve, request=REQUEST, limits=(), reset="", shown=("manifests", "monthly_cost")
    )
    assert found.metrics == (("manifests", "manifests"), ("monthly_cost", "cost a month, all 12"))


def test_each_place_has_its_statements():
    axes = replace(axes_of(), gzips=(False, True))
    document = explorer(axes)[1]
    assert len(document["sql"]) == 2 * 1 * 7 * 2 * 2  # rewriting, compaction, expiry, deletion of metadata.json, gzip
    place = np.ravel_multi_index((1, 0, 4, 0, 1), axes.shape[1:])
    expected = sql_of(REQUEST, axes.setting(0, 1, 0, 4, 0, 1))
    assert document["sql"][place] == list(expected)
    assert "delete-after-commit.enabled'='false'" in expected[0]
    assert ["10000 milliseconds" in document["writer"][0], len(document["writer"])] == [True, 3]


def test_expiry_has_its_places_by_period_and_age(document: dict[str, Any]):
    assert document["expiry"] == [[0, 0, 0], [1, 2, 3], [4, 5, 6]]
    assert document["sparse"]["expiry"] == [0, 1, 1, 1, 1, 1, 1]
    # simulated at 10 s and a minute alone: what is longer is as at a minute
    assert document["sparse"]["interval"] == [[0, 1, 0.0], [1, 1, 0.0], [1, 1, 0.0]]
    assert len(document["sparse"]["horizon"]) == 5


def test_marks_lie_where_metadata_json_passes_them(found: Explorer, document: dict[str, Any]):
    marks = document["marks"]
    assert marks["outweighs_days"] == {"field": "outweighs_days", "by": "wa_metadata", "bound": 1}
    assert marks["passes_5mb_days"]["bound"] == 5_000_000
    names = {field: words for field, _, words in found.marks}
    assert names["passes_50mb_days"] == "json passes 50 MB"
    assert {*names} == {*marks}


def test_no_text_of_the_document_can_end_its_script():
    request = replace(REQUEST, table_name="`</script>`.t")
    found = explorer_of(lattice_of(axes_of()), case_of(request, BASE), request=request, limits=(), reset="")
    assert "<" not in str(found.document)
    assert any("</script>" in line for one in json.loads(str(found.document))["sql"] for line in one)
