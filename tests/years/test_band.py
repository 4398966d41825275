"""The band of a sum: which causes widen it."""

from collections.abc import Callable

import pytest

from wasim.ledger import Kind
from wasim.scenario import Case
from wasim.twin import Site, shipped_profile
from wasim.years import band, simulate_years
from wasim.years.arrivals import even_arrivals

SMALL = 4 << 20


def test_no_band_is_wider_than_fifteen_percent():
    widths = [
        one for name, one in vars(band).items() if name.startswith("_") and isinstance(one, dict) and Kind.DATA in one
    ]
    assert len(widths) > 15
    assert max(width for one in widths for width in one.values()) == 0.15


@pytest.mark.parametrize(("target", "is_wider"), [(SMALL - 1, True), (SMALL, False), (2 * SMALL, False)])
def test_manifests_of_less_than_four_mebibytes_are_told_less_closely(
    target: int, is_wider: bool, small_case: Callable[..., Case]
):
    case = small_case(
        table=f"{{columns: [{{name: n, type: int}}], properties: {{commit.manifest.target-size-bytes: '{target}'}}}}"
    )
    found = simulate_years(case, shipped_profile(case), Site()).band
    assert found[Kind.METADATA_JSON] == (0.01 if is_wider else 0.005)
    assert found[Kind.DATA_MANIFEST] == (0.08 if is_wider else 0.015)


@pytest.mark.parametrize(("trigger", "width"), [("every: 10s", 0.015), ("when_small_files: 10", 0.03)])
def test_compaction_by_count_is_chance_where_statements_rewrite_files(
    trigger: str, width: float, small_case: Callable[..., Case]
):
    case = small_case(
        horizon="60s",
        changes="{update: {every: 20s, share: 0.01, mode: copy-on-write}}",
        maintenance=f"{{rewrite_data_files: {{{trigger}}}}}",
    )
    assert simulate_years(case, shipped_profile(case), Site()).band[Kind.METADATA_JSON] == width


def test_bands_of_an_evolving_table_are_of_its_last_shape(small_case: Callable[..., Case]):
    case = small_case(horizon="60s", evolution="[{at: 40s, set_properties: {write.metadata.compression-codec: gzip}}]")
    approximated = simulate_years(case, shipped_profile(case), Site()).approximated
    assert any("as its evolution leaves it; bands are of that table" in sentence for sentence in approximated)


def test_upserts_on_read_beside_compaction_are_told_less_closely(small_case: Callable[..., Case]):
    upserts = "{kind: batch, upsert: {share: 0.2, mode: merge-on-read}}"
    left, compacted = (
        simulate_years(case, shipped_profile(case), Site()).band
        for case in (
            small_case(horizon="60s", writer=upserts),
            small_case(horizon="60s", writer=upserts, maintenance="{rewrite_data_files: {every: 20s}}"),
        )
    )
    assert compacted[Kind.DELETE_MANIFEST] > left[Kind.DELETE_MANIFEST]
    assert compacted[Kind.DELETE_FILE] > left[Kind.DELETE_FILE]


@pytest.mark.parametrize(
    ("partitions", "width"), [("", 0.03), (", partition_by: [{column: n, transform: 'bucket[4]'}]", 0.15)]
)
def test_newest_rows_upserted_into_partitions_are_less_closely_known(
    partitions: str, width: float, small_case: Callable[..., Case]
):
    writer = "{kind: batch, upsert: {share: 0.2, mode: copy-on-write, locality: newest}}"
    case = small_case(horizon="60s", writer=writer, table=f"{{columns: [{{name: n, type: int}}]{partitions}}}")
    assert simulate_years(case, shipped_profile(case), Site()).band[Kind.MANIFEST_LIST] == width


def test_dynamic_overwrites_of_partitions_are_less_closely_known(small_case: Callable[..., Case]):
    table = "{columns: [{name: n, type: int, values: 3}], partition_by: [{column: n}]}"
    widths = {}
    for kind in ("dynamic", "static"):
        case = small_case(table=table, changes=f"{{overwrite: {{every: 20s, rows: 10, kind: {kind}}}}}")
        widths[kind] = band.band_of(case, even_arrivals(case), 1e4, {})[Kind.DATA_MANIFEST]
    assert widths["dynamic"] == 0.15 > widths["static"]


@pytest.mark.parametrize(("file_bytes", "width"), [(1e4, 0.03), (1e9, 0.06)])
def test_compactions_into_several_files_are_less_closely_known(
    file_bytes: float, width: float, small_case: Callable[..., Case]
):
    case = small_case(horizon="60s", maintenance="{rewrite_data_files: {every: 20s}}")
    assert band.band_of(case, even_arrivals(case), file_bytes, {})[Kind.DATA] == width
