"""Commits of very many files on Iceberg's own library: how many manifests they become, and which files in which."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyspark")

from support.replay import metadata_files

from tools.comparison import compare
from wasim.bench.probing import CaseContext
from wasim.iceberg import read_manifest_list, read_metadata_json
from wasim.ledger import Kind
from wasim.runs import CaseRun, read_recording
from wasim.scenario import Case
from wasim.twin import Site, shipped_profile, simulate_table

TABLE = "{{key_column: none, time_column: none, columns: [{{name: reading, type: double}}], properties: {{{}}}}}"
# the machine's pool of threads has two at least, so two groups are made on any
MANY = {
    "in two groups, merged": (15_000, 3, "commit.manifest.min-count-to-merge: 5", "batch"),
    "in two groups, of a stream": (15_000, 2, "write.metadata.metrics.default: none", "streaming"),
    "rolled at the target": (3_000, 3, "commit.manifest.target-size-bytes: 50000", "streaming"),
    "rolled and uncompressed": (
        2_000, 3, "commit.manifest.target-size-bytes: 150000, write.manifest.compression-codec: uncompressed", "batch"
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", MANY)
def test_a_commit_of_many_files_writes_iceberg_s_manifests(
    name: str, small_case: Callable[..., Case], run_on: Callable[[str, Case], tuple[CaseRun, CaseContext]]
) -> None:
    files, commits, properties, writer = MANY[name]
    case = small_case(
        table=TABLE.format(properties),
        workload=f"{{rows_per_second: {files}, files_per_commit: {files}}}",
        writer=writer,
        horizon=f"{commits}s",
    )
    _, context = run_on("core", case)
    site = Site(location=str(context.table_root))
    simulated = simulate_table(case, shipped_profile(case), np.random.default_rng(1), site=site)
    kinds = compare(read_recording(context.folder.case(context.key)), simulated.recording)
    print([(str(kind.kind), kind.files_real, f"{kind.error:+.3%}") for kind in kinds])
    assert [kind for kind in kinds if not (kind.counts_agree and kind.meets_goal)] == []
    listed = Counter(one.file.added_files_count for one in simulated.table.manifests)
    assert counts_listed(metadata_files(context.table_root)[-1]) == listed
    assert next(one.files_real for one in kinds if one.kind == Kind.DATA_MANIFEST) >= 2 * commits


def counts_listed(path: Path) -> Counter[int | None]:
    """How many files each manifest of the newest snapshot has added."""
    newest = read_metadata_json(path.read_bytes(), source=path.name).snapshots[-1]
    listing = Path(newest.manifest_list or "")
    manifests = read_manifest_list(listing.read_bytes(), source=listing.name).manifests
    return Counter(one.added_files_count for one in manifests)
