"""File sizes at any interval: encoded at some rows a file, and read off between them."""

from dataclasses import dataclass, field, replace
from math import log

import pytest
from support.synthetic import synthetic_case

from wasim.capacity.shapes import ENCODED_ROWS, Shapes, _between
from wasim.scenario import Case
from wasim.twin import Site, shipped_profile
from wasim.years.arrivals import Arrivals, even_arrivals
from wasim.years.json_sizes import MetadataJson
from wasim.years.shape import read_shape
from wasim.years.sizes import Sizes, TableSample

CASE = synthetic_case(interval_s=0.32)  # 32 rows, in one file
PROFILE = shipped_profile(CASE)


@dataclass(slots=True)
class Watched:
    """A sample that keeps which rows a file were asked for."""

    case: Case = CASE
    rows: list[float] = field(default_factory=list)
    codecs: list[str] = field(default_factory=list)
    sample: TableSample | None = None

    def sizes(self, arrivals: Arrivals) -> Sizes:
        self.rows.append(arrivals.rows_per_file)
        self.sample = self.sample or TableSample(case=self.case, profile=PROFILE, site=Site(), draws_bounds=True)
        return self.sample.sizes(arrivals)

    def json_of(self, case: Case, arrivals: Arrivals) -> MetadataJson:
        """As for another table, whose compression takes seconds to encode: an item longer, and told by that."""
        self.codecs.append(case.table.properties.get("write.metadata.compression-codec", ""))
        assert self.sample is not None
        own = self.sample.sizes(arrivals).json
        return replace(own, around=own.around + len(self.codecs))


def at(rows: float) -> Case:
    return replace(CASE, commit_interval_s=rows / 100)


def shapes(sample: Watched | None = None, **given: object) -> Shapes:
    return Shapes(profile=PROFILE, site=Site(), sample=sample or Watched(), **given)  # type: ignore[arg-type]


def figures(sizes: Sizes) -> list[float]:
    """What differs between intervals: lists, manifests, and what is saved or written again."""
    manifests = sizes.data_manifests
    return [
        *(sizes.lists.by_count.at(count) for count in (1, 10, 500)),
        *(manifests.by_count.at(count) for count in (1, 8, 100)),
        sizes.lists.sibling_saving,
        sizes.lists.rewritten_more,
    ]


@pytest.fixture(scope="module")
def watched() -> Watched:
    return Watched()


@pytest.fixture(scope="module")
def read_off(watched: Watched) -> Shapes:
    """Sizes between 16 and 512 rows a file, with the sizes at either end encoded."""
    found = shapes(watched)
    found.of(CASE)
    assert watched.rows == [16, 512]
    return found


def exact(watched: Watched, rows: float) -> list[float]:
    return figures(watched.sizes(replace(even_arrivals(at(rows)), rows_per_file=rows)))


def test_manifests_do_not_depend_on_what_was_encoded_before():
    """A fleet's processes encode in any order. A writer that keeps its names would go on from where it was."""
    profile = shipped_profile(replace(CASE, writer=CASE.writer.model_copy(update={"profile": "flink"})))
    few, many = (replace(even_arrivals(CASE), rows_per_file=rows) for rows in (16.0, 4096.0))

    def sample() -> TableSample:
        return TableSample(case=CASE, profile=profile, site=Site(), draws_bounds=True)

    used = sample()
    used.sizes(few)
    found, alone = used.manifests(many), sample().manifests(many)
    assert (found.new, found.by_count.sizes) == (alone.new, alone.by_count.sizes)


def test_between_two_row_counts_sizes_are_linear_in_the_logarithm(watched: Watched, read_off: Shapes):
    low, high = (exact(watched, rows) for rows in (16, 512))
    assert figures(read_off.of(at(16)).sizes) == pytest.approx(low, rel=1e-3)
    for rows in (32, 64, 256):
        share = log(rows / 16) / log(512 / 16)
        expected = [one + share * (other - one) for one, other in zip(low, high, strict=True)]
        assert figures(read_off.of(at(rows)).sizes) == pytest.approx(expected, rel=1e-3)


def test_each_row_count_is_encoded_once(watched: Watched, read_off: Shapes):
    known = len(watched.rows)
    for rows in (16, 33, 100, 511):
        read_off.of(at(rows))
    assert len(watched.rows) == known
    read_off.of(at(512))
    assert watched.rows[known:] == [4096]
    assert [*ENCODED_ROWS] == sorted(ENCODED_ROWS)


def test_files_of_less_than_a_row_count_as_of_one(watched: Watched):
    known = len(watched.rows)
    sizes = shapes(watched)._sizes(CASE, replace(even_arrivals(CASE), rows_per_file=0.25))
    assert watched.rows[known:] == [1, 2]
    assert figures(sizes) == pytest.approx(exact(watched, 1), rel=1e-3)


def test_metadata_json_is_compressed_as_the_case_has_it(watched: Watched, read_off: Shapes):
    gzipped = synthetic_case(interval_s=0.32, properties={"write.metadata.compression-codec": "gzip"})
    plain = read_off.of(CASE)
    zipped, same = (read_off.with_json_of(one, plain) for one in (gzipped, CASE))
    assert zipped.sizes.json.around == plain.sizes.json.around + 1
    assert same.sizes.json.around == plain.sizes.json.around + 2
    assert replace(zipped.sizes, json=plain.sizes.json) == plain.sizes
    assert watched.codecs == ["gzip", ""]


@pytest.mark.parametrize("codec", ["none", "gzip"])
def test_an_encoded_shape_is_that_of_a_simulation(codec: str):
    case = synthetic_case(interval_s=0.32, properties={"write.metadata.compression-codec": codec})
    encoded, simulated = Shapes(profile=PROFILE, site=Site(), encodes_each=True), read_shape(case, PROFILE, Site())
    found = encoded.of(case).sizes
    assert figures(found) == figures(simulated.sizes)
    assert [float(one.json.over(case).of(1e6, 100.0)) for one in (found, simulated.sizes)] == [
        pytest.approx(float(simulated.sizes.json.over(case).of(1e6, 100.0)), rel=1e-12)
    ] * 2


def test_files_beyond_the_target_are_several(watched: Watched, read_off: Shapes):
    """A hundred rows a second, and a look at a file's size every thousand: the fourth of 3,200 rows has 200."""
    large = synthetic_case(interval_s=32.0, properties={"write.target-file-size-bytes": "3000"})
    split = read_off.of(large).arrivals
    assert (split.files, split.pieces) == (4, 4)
    assert split.rows_per_commit == 3_200
    assert read_off.of(synthetic_case(interval_s=32.0)).arrivals.pieces == 1


def test_what_is_saved_and_rewritten_lies_between_too(read_off: Shapes):
    own = read_off.of(CASE).sizes
    low, high = (
        replace(own, lists=replace(own.lists, sibling_saving=saved, rewritten_more=more))
        for saved, more in ((10.0, 100.0), (30.0, 500.0))
    )
    found = _between(low, high, 0.25, 3.0)
    assert (found.lists.sibling_saving, found.lists.rewritten_more) == (15, 200)
    assert found.data_manifests.files == 3
    assert found.json is own.json
