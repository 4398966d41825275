"""The picture of the merge thrash: both lines on it, in light and dark, the same text for the same figures."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

pytest.importorskip("pyspark")

from support.paths import sample_run
from support.synthetic import synthetic_case

from tools.fidelity import draw_thrash
from tools.thrash import thrash_svg
from wasim.errors import WasimError
from wasim.ledger import Kind, view_by_commit
from wasim.twin import shipped_profile, simulate_case

MERGING = {"commit.manifest.min-count-to-merge": "5", "commit.manifest.target-size-bytes": "40000"}


def manifests(seed: int, **changes: str) -> np.ndarray:
    case = synthetic_case(writer="batch", horizon_s=60.0, properties={**MERGING, **changes})
    recording = simulate_case(case, shipped_profile(case), np.random.default_rng(seed))
    return view_by_commit(recording).written_bytes[Kind.DATA_MANIFEST]


@pytest.fixture(scope="module")
def svg() -> str:
    return thrash_svg(manifests(1), manifests(2), manifests(2, **{"commit.manifest-merge.enabled": "false"}))


def test_the_picture_stands_alone_and_says_what_it_shows(svg):
    root = ET.fromstring(svg)  # noqa: S314 - our own text
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert re.search(r"60 commits wrote [\d,]+ KB of manifests, [\d,]+ KB simulated", root.attrib["aria-label"])


def test_its_colours_follow_light_and_dark(svg):
    assert "prefers-color-scheme:dark" in svg
    assert svg.count("var(--orange)") >= 2
    assert "#a86f00" in svg.partition("</style>")[0]
    assert "#a86f00" not in svg.partition("</style>")[2]


def test_the_same_figures_make_the_same_text(svg):
    assert svg == thrash_svg(manifests(1), manifests(2), manifests(2, **{"commit.manifest-merge.enabled": "false"}))


def test_runs_without_a_merge_have_no_such_picture():
    with pytest.raises(WasimError, match="no case of these runs merged any"):
        draw_thrash([sample_run()])
