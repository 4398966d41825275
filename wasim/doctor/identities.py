"""Identities of findings: short, stable, and what a suppression names. A number is given once and never again."""

from collections.abc import Mapping

from wasim.doctor.faults import FaultKind

IDENTITIES: Mapping[str, str] = {
    "metadata_json_bytes": "WA001",
    "snapshots": "WA002",
    "manifests": "WA003",
    "manifest_bytes": "WA004",
    "metadata_share": "WA005",
    "small_file_share": "WA006",
    "delete_file_share": "WA007",
    "partition_skew": "WA008",
    "orphan_share": "WA009",
    "manifest_overlap": "WA010",
    FaultKind.ABSENT_METADATA: "WA101",
    FaultKind.ABSENT_LOGGED: "WA102",
    FaultKind.ABSENT_DATA: "WA103",
    FaultKind.UNREADABLE: "WA104",
    FaultKind.UNSUPPORTED: "WA105",
    FaultKind.UNDER_WAY: "WA106",
    FaultKind.VANISHED: "WA107",
    FaultKind.WRONG_DATA_SIZE: "WA108",
    FaultKind.WRONG_MANIFEST_LENGTH: "WA109",
    FaultKind.WRONG_COUNT: "WA110",
    FaultKind.WRONG_STATISTICS: "WA111",
    FaultKind.OUTSIDE: "WA112",
    FaultKind.INCONSISTENT: "WA113",
    FaultKind.NOT_READ: "WA114",
    "past_version": "WA201",
    "shared_folder": "WA202",
    "gc_disabled": "WA203",
    "rivals": "WA204",
    "version_hint": "WA205",
    "moved": "WA206",
    "found_by_tail": "WA207",
}
"""By a finding's name: from 1 what passes a threshold, from 101 faults of files, from 201 which table it is."""


def identity_of(name: str) -> str:
    """The identity of the finding of that name."""
    return IDENTITIES[name]
