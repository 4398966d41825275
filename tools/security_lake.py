"""The metadata of a published Security Lake table, from its samples alone: `python -m tools.security_lake`.

docs/security_lake.md states the assumptions. Each is varied here, and none is fitted to the published 8.7 TB.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from wasim.ledger import METADATA_KINDS, Kind, Summed
from wasim.scenario import Case, load_scenario
from wasim.twin import Site, WriterProfile, profile_named
from wasim.years import YearsOf

SCENARIO = Path(__file__).parents[1] / "scenarios" / "security_lake.yaml"
# As published: what lies there, what the sampled snapshot says, and a manifest list ten months older.
STORED_METADATA_BYTES = 8.7e12
STORED_DATA_BYTES = 53.7e9
TOTAL_DATA_BYTES = 109_247_397_623
TOTAL_DATA_FILES = 1_139_022
FILES_PER_COMMIT = 7
LISTED_SEQUENCE_NUMBER = 24_466
DAYS_SINCE_LISTED = 295  # 2024-04-08, the partition of the listed file, to 2025-01-28, the snapshot's time
_BUCKET = "aws-security-data-lake-ap-northeast-1-"
_LONGEST_BUCKET = 63  # S3 allows no longer name; the page masks what follows the region
_TB = 1e12


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumed:
    """What the calculation rests on. `kept` is the share of the commits, newest first, whose files still lie there."""

    case: Case
    profile: WriterProfile
    bucket: str = _BUCKET.ljust(_LONGEST_BUCKET, "x")
    commits: int = TOTAL_DATA_FILES // FILES_PER_COMMIT
    kept: float = STORED_DATA_BYTES / TOTAL_DATA_BYTES
    published_bytes: float = STORED_METADATA_BYTES

    def years(self) -> YearsOf:
        """What simulates the table, for any number of commits."""
        return YearsOf(profile=self.profile, site=Site(location=f"s3://{self.bucket}/aws/CLOUD_TRAIL_MGMT/2.0"))

    def summed(self, years: YearsOf, commits: int) -> Summed:
        """The table after this many commits."""
        return years.simulate(replace(self.case, horizon_s=commits * self.case.commit_interval_s))


def stored_bytes(years: YearsOf, assumed: Assumed) -> dict[Kind, int]:
    """Metadata by kind that the kept commits wrote and did not delete again."""
    gone = assumed.commits - round(assumed.kept * assumed.commits)
    whole = assumed.summed(years, assumed.commits).totals.on_disk_bytes
    before = assumed.summed(years, gone).totals.on_disk_bytes if gone else dict.fromkeys(Kind, 0)
    return {kind: whole[kind] - before[kind] for kind in METADATA_KINDS if whole[kind]}


def as_published() -> Assumed:
    """The assumptions that the page states."""
    (case,) = load_scenario(SCENARIO).cases()
    return Assumed(case=case, profile=profile_named("security_lake"))


def render() -> str:
    """The result by kind, and what each assumption does to it, as Markdown."""
    assumed = as_published()
    years = assumed.years()
    return "\n".join([*by_kind(years, assumed), "", *_varied(years, assumed)]) + "\n"


def by_kind(years: YearsOf, assumed: Assumed) -> Iterator[str]:
    """The result: files and bytes by kind, and how it compares, line by line."""
    summed, stored = assumed.summed(years, assumed.commits), stored_bytes(years, assumed)
    written = summed.totals
    sizes = {kind: int(size[-1]) for kind, size in summed.ledger.written_bytes.items()}
    total = sum(stored.values())
    yield "| kind | files written | ever written | still stored | share | newest file |"
    yield "|---|--:|--:|--:|--:|--:|"
    for kind, size in stored.items():
        yield (
            f"| {kind} | {written.files_written[kind]:,} | {written.written_bytes[kind] / _TB:.4f} TB"
            f" | {size / _TB:.4f} TB | {size / total:.2%} | {sizes[kind]:,} B |"
        )
    ever = written.metadata_bytes
    yield f"| all metadata | | {ever / _TB:.2f} TB | {total / _TB:.2f} TB | | |"
    yield ""
    yield (
        f"{total / _TB:.2f} TB against {STORED_METADATA_BYTES / _TB:.1f} TB published:"
        f" {total / STORED_METADATA_BYTES - 1:+.1%}."
    )


def _varied(years: YearsOf, assumed: Assumed) -> Iterator[str]:
    yield "| instead of what is assumed | metadata stored | against the published |"
    yield "|---|--:|--:|"
    for label, other in _variations(assumed):
        same_files = (other.case, other.profile, other.bucket) == (assumed.case, assumed.profile, assumed.bucket)
        total = sum(stored_bytes(years if same_files else other.years(), other).values())
        yield f"| {label} | {total / _TB:,.2f} TB | {total / other.published_bytes - 1:+,.1%} |"


def _variations(assumed: Assumed) -> Iterator[tuple[str, Assumed]]:
    yield "nothing: as assumed", assumed
    yield "no lifecycle: all that was ever written is there", replace(assumed, kept=1.0)
    kept = STORED_DATA_BYTES * 2**30 / 1e9 / TOTAL_DATA_BYTES
    binary = replace(assumed, kept=kept, published_bytes=STORED_METADATA_BYTES * 2**40 / _TB)
    yield "published sizes in GiB and TiB (9.57 TB)", binary
    yield "metadata.json compact, as since Iceberg 1.9", replace(assumed, profile=_newer(assumed.profile))
    yield "compact, and no lifecycle", replace(assumed, profile=_newer(assumed.profile), kept=1.0)
    fast = assumed.case.writer.model_copy(update={"append": "fast"})
    yield "fast appends: lists that grow for ever", replace(assumed, case=replace(assumed.case, writer=fast))
    yield "a bucket's name without the masked letters", replace(assumed, bucket=_BUCKET.rstrip("-"))
    for files in (1, 4, 6, 8):
        yield f"{files} files a commit{_SAMPLES.get(files, '')}", replace(assumed, commits=TOTAL_DATA_FILES // files)
    five_minutes = LISTED_SEQUENCE_NUMBER + DAYS_SINCE_LISTED * 288
    yield "a commit every five minutes since the dated list", replace(assumed, commits=five_minutes)


_SAMPLES = {1: ", as the commit of the published list", 4: ", the mean of both samples"}


def _newer(profile: WriterProfile) -> WriterProfile:
    return replace(profile, iceberg="1.9")


if __name__ == "__main__":
    print(render(), end="")
