"""Bytes per second of event time, and write amplification: the left-hand side of the model."""

from collections.abc import Mapping

from wasim.ledger import Kind


def metadata_write_rate(written_bytes: Mapping[Kind, float], *, commits: float, commit_interval_s: float) -> float:
    """Metadata bytes per second of event time: commit rate × mean(metadata.json + manifest list + manifest delta).

    `written_bytes` are the sums over the horizon of `commits` commits; data must not be among them.
    """
    return sum(written_bytes.values()) / commits / commit_interval_s


def wa_metadata(written_bytes: Mapping[Kind, float], *, commits: float, data_bytes_per_commit: float) -> float:
    """WA_metadata over the horizon of `commits` commits: metadata write rate ÷ ingest rate. It grows with them."""
    return sum(written_bytes.values()) / (commits * data_bytes_per_commit)
