"""The cost equations against plain simulations of what Iceberg does, commit by commit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.synthetic import synthetic_case

from wasim.model import Appends, ManifestSizes, drivers_at, read_appends, smallest_sustainable_interval_s
from wasim.model.drivers import digits_at, digits_through

SIZES = ManifestSizes(new_bytes=7700, header_bytes=7300, entry_bytes=50)


def appends(**changes: object) -> Appends:
    values: dict[str, object] = {
        "merges": True, "repeats_epoch": False, "files_per_commit": 1, "rows_per_commit": 100,
        "data_bytes_per_commit": 9978.5, "columns": 10, "statistics_columns": 10, "format_version": 2, "log_limit": 100,
        "min_count_to_merge": 100, "target_manifest_bytes": 8 * 1024 * 1024, "gzip_json": False, "sizes": SIZES,
    }  # fmt: skip
    return Appends(**(values | changes))  # type: ignore[arg-type]


def simulate_merges(of: Appends, commits: int) -> dict[str, list[int]]:
    """ManifestMergeManager over (bytes, entries) of manifests, newest first: bins packed from the oldest."""
    live: list[tuple[float, int]] = []
    seen: dict[str, list[int]] = {"live": [], "files": [], "entries_merged": [], "replaced": []}
    for _ in range(commits):
        new = (of.sizes.new_bytes, of.files_per_commit)
        bins: list[list[tuple[float, int]]] = []
        for manifest in [*reversed(live), new]:
            if bins and sum(size for size, _ in bins[-1]) + manifest[0] <= of.target_manifest_bytes:
                bins[-1].append(manifest)
            else:
                bins.append([manifest])
        files = merged = replaced = 0
        kept: list[tuple[float, int]] = []
        for number, packed in enumerate(bins):
            newest = number == len(bins) - 1
            if len(packed) == 1 or (newest and len(packed) < of.min_count_to_merge):
                kept += packed
                continue
            entries = sum(count for _, count in packed)
            kept.append((of.sizes.header_bytes + of.sizes.entry_bytes * entries, entries))
            files, merged, replaced = files + 1, merged + entries, replaced + len(packed) - newest
        live = kept[::-1]
        for name, value in (
            ("live", len(live)),
            ("files", files + 1),
            ("entries_merged", merged),
            ("replaced", replaced),
        ):
            seen[name].append(value)
    return seen


def assert_drivers_equal_simulation(of: Appends, commits: int) -> None:
    simulated, drivers = simulate_merges(of, commits), drivers_at(of, np.arange(1, commits + 1))
    np.testing.assert_array_equal(drivers.live_manifests, simulated["live"])
    np.testing.assert_array_equal(drivers.manifest_files, simulated["files"])
    np.testing.assert_array_equal(drivers.entries_merged, simulated["entries_merged"])
    np.testing.assert_array_equal(drivers.manifests_replaced, simulated["replaced"])


def test_merges_come_at_commits_100_199_298():
    drivers = drivers_at(appends(), np.arange(1, 400))
    assert list(np.flatnonzero(drivers.entries_merged) + 1) == [100, 199, 298, 397]
    assert list(drivers.entries_merged[[99, 198]]) == [100, 199]
    assert list(drivers.manifests_replaced[[99, 198]]) == [99, 99]  # as Iceberg reports it: without the new one


def test_merges_equal_a_simulation_of_the_merge_manager():
    assert_drivers_equal_simulation(appends(), 1000)


def test_merges_equal_a_simulation_near_the_target_and_after_it():
    of = appends(
        target_manifest_bytes=30_000,
        min_count_to_merge=10,
        sizes=ManifestSizes(new_bytes=2400, header_bytes=2300, entry_bytes=60),
    )
    assert_drivers_equal_simulation(of, 2000)
    assert drivers_at(of, np.arange(1, 2001)).live_manifests[-1] > 4  # sealed ones stay in the list


@given(
    min_count=st.integers(1, 30),
    files=st.integers(1, 40),
    target=st.integers(1_000, 200_000),
    header=st.integers(200, 8_000),
    entry=st.integers(1, 400),
    first_entry=st.floats(0, 1),
)
def test_any_cadence_equals_the_simulation(
    min_count: int, files: int, target: int, header: int, entry: int, first_entry: float
):
    # what deflate has not learnt yet costs a new manifest more, but never more than a second commit's entries
    learning = int(first_entry * entry * files)
    sizes = ManifestSizes(new_bytes=header + entry * files + learning, header_bytes=header, entry_bytes=entry)
    of = appends(min_count_to_merge=min_count, files_per_commit=files, target_manifest_bytes=target, sizes=sizes)
    assert_drivers_equal_simulation(of, 400)


@given(increment=st.one_of(st.integers(1, 10**7), st.floats(0.5, 1e6)), commits=st.integers(1, 300))
def test_digits_are_those_of_the_numbers(increment: float, commits: int):
    numbers = np.arange(1, commits + 1)
    digits = np.array([len(str(max(1, int(np.floor(increment * n))))) for n in numbers])
    np.testing.assert_array_equal(digits_at(increment, numbers), digits)
    np.testing.assert_array_equal(digits_through(increment, numbers), np.cumsum(digits))


def test_json_digits_are_those_of_a_streaming_summary():
    of = appends(merges=False, repeats_epoch=True, rows_per_commit=100, data_bytes_per_commit=9978.0)
    expected, total = [], 0
    for n in range(1, 251):
        numbers = [n, 100 * n, n, 9978 * n, n - 1, n - 1, 100, 1, 9978]
        total += sum(len(str(number)) for number in numbers)
        expected.append(total + len(str(n)))
    np.testing.assert_array_equal(drivers_at(of, np.arange(1, 251)).json_digits, expected)


def test_the_first_commit_logs_the_file_that_create_table_wrote():
    assert list(drivers_at(appends(log_limit=3), np.arange(1, 6)).log_entries) == [1, 2, 3, 3, 3]


def test_table_properties_reach_the_model():
    properties = {
        "write.metadata.previous-versions-max": "7", "commit.manifest.min-count-to-merge": "5",
        "commit.manifest.target-size-bytes": "30000", "write.metadata.compression-codec": "gzip",
    }  # fmt: skip
    of = read_appends(synthetic_case(writer="batch", properties=properties))
    assert (of.log_limit, of.min_count_to_merge, of.target_manifest_bytes, of.gzip_json) == (7, 5, 30_000, True)
    assert of.merges
    assert not read_appends(
        synthetic_case(writer="batch", properties={"commit.manifest-merge.enabled": "false"})
    ).merges


def test_the_manifest_header_is_the_measured_one_of_ten_columns():
    of = read_appends(synthetic_case(writer="batch"))
    assert 7250 < of.sizes.header_bytes < 7350


def test_a_commit_at_the_smallest_sustainable_interval_takes_that_long():
    horizon_s, rows_per_second = 86_400.0, 100.0
    interval = smallest_sustainable_interval_s(
        base_ms=np.array([250.0]),
        commit_ms=np.array([0.05]),
        row_ms=np.array([0.001]),
        rows_per_second=rows_per_second,
        horizon_s=horizon_s,
    )
    commits = horizon_s / interval
    last = 250.0 + 0.05 * commits + 0.001 * rows_per_second * interval
    np.testing.assert_allclose(last / 1000, interval)


def test_rows_that_outrun_the_writer_have_no_sustainable_interval():
    assert np.isinf(
        smallest_sustainable_interval_s(
            base_ms=np.array([1.0]),
            commit_ms=np.array([0.0]),
            row_ms=np.array([1.0]),
            rows_per_second=2000,
            horizon_s=1.0,
        )
    )[0]
