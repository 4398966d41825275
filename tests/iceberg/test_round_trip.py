"""Files written by the real Iceberg, decoded and encoded again from rules: they must be the same bytes."""

import shutil
import zlib
from collections import Counter
from pathlib import Path

import pytest
from support.iceberg_files import header_bytes
from support.paths import DATA
from support.round_trip import check_round_trip, check_round_trips

from wasim.iceberg import IcebergFileError, read_manifest, read_manifest_list
from wasim.iceberg.containers import container_bytes, read_container

TABLES = DATA / "tables"
# Java and Python must run one zlib for compressed bytes to be equal; elsewhere the inflated bytes are compared.
ZLIB_OF_THE_TABLES = "1.2.13"
# Snappy has no standard form: another release of it packs the same bytes otherwise.
WITHOUT_STANDARD_FORM = "manifest_snappy"
FILES = [
    path for path in sorted(TABLES.rglob("metadata/*")) if (path.suffix == ".avro" or ".metadata.json" in path.name)
]


def identify(path):
    return f"{path.parts[-3]}-{path.name[:12]}"


def assert_identical(mismatch):
    if zlib.ZLIB_RUNTIME_VERSION == ZLIB_OF_THE_TABLES:
        assert mismatch is None
    else:
        assert mismatch is None or mismatch.is_compression_only


@pytest.mark.parametrize("path", FILES, ids=identify)
def test_a_file_encoded_from_rules_equals_the_one_by_java(path):
    mismatch = check_round_trip(path)
    if path.parts[-3] == WITHOUT_STANDARD_FORM:
        assert mismatch is None or mismatch.is_compression_only
    else:
        assert_identical(mismatch)


def test_the_tables_cover_every_kind_and_version():
    kinds = Counter()
    for path in FILES:
        data = path.read_bytes()
        if path.suffix != ".avro":
            kinds["metadata.json.gz" if data[:2] == b"\x1f\x8b" else "metadata.json"] += 1
        elif path.name.startswith("snap-"):
            kinds[f"list v{read_manifest_list(data, source=path.name).header.format_version}"] += 1
        else:
            header = read_manifest(data, source=path.name).header
            kinds[f"{header.content.value} v{header.format_version}"] += 1
    print(f"{len(FILES)}/{len(FILES)} identical:", dict(sorted(kinds.items())))
    expected = {"data v1", "data v2", "data v3", "deletes v2", "deletes v3", "list v1", "list v2", "list v3"}
    assert set(kinds) == expected | {"metadata.json", "metadata.json.gz"}


@pytest.mark.spark
@pytest.mark.last
def test_whatever_the_writers_of_this_run_left_is_encoded_again(tmp_path_factory):
    checked, mismatches, faults = 0, [], []
    for warehouse in tmp_path_factory.getbasetemp().rglob("warehouse"):
        more, different, broken = check_round_trips(warehouse)
        checked, mismatches, faults = checked + more, mismatches + different, faults + broken
    if not checked:
        pytest.skip("no test of this run has written a table")
    print(f"{checked - len(mismatches) - len(faults)}/{checked} identical")
    assert not faults
    for mismatch in mismatches:
        # snappy has no standard form: another release packs the same bytes otherwise
        if not (mismatch.is_compression_only and is_snappy(Path(mismatch.source))):
            assert_identical(mismatch)


def is_snappy(path: Path) -> bool:
    return read_container(path.read_bytes(), source=path.name).codec == "snappy"


@pytest.mark.parametrize("codec", ["bzip2", "xz", "brotli"])
def test_a_codec_that_is_not_read_is_refused_by_name(codec, tmp_path):
    path = next((TABLES / "blocks").rglob("*-m0.avro"))
    found = read_container(path.read_bytes(), source=path.name)
    copy = tmp_path / path.name
    copy.write_bytes(header_bytes({**found.header, "avro.codec": codec.encode()}, found.sync_marker))
    with pytest.raises(
        IcebergFileError, match=rf"{path.name}.*compressed with {codec}; only null, deflate, snappy and"
    ):
        check_round_trip(copy)


def test_metadata_json_spaced_otherwise_is_a_mismatch_with_its_place(tmp_path):
    original = next(TABLES.rglob("empty_v2/metadata/*.metadata.json"))
    folder = tmp_path / "t" / "metadata"
    folder.mkdir(parents=True)
    spaced = folder / "00000-spaced.metadata.json"
    spaced.write_bytes(original.read_bytes().replace(b'"last-column-id":1', b'"last-column-id": 1'))
    shutil.copyfile(original, folder / "00001-same.metadata.json")
    checked, mismatches, faults = check_round_trips(tmp_path)
    assert (checked, faults) == (2, [])
    assert [Path(mismatch.source).name for mismatch in mismatches] == [spaced.name]
    assert "differs at byte" in mismatches[0].problem


def test_a_block_that_announces_too_few_records_is_an_error(tmp_path):
    path = next((TABLES / "blocks").rglob("metadata/*-m0.avro"))
    found = read_container(path.read_bytes(), source=path.name)
    records = [block.raw for block in found.blocks]
    copy = tmp_path / path.name
    copy.write_bytes(container_bytes(found.header, [b"".join(records)], sync_marker=found.sync_marker))
    with pytest.raises(IcebergFileError, match="do not fill it"):
        check_round_trip(copy)
