"""How often, and after which waits, a writer retries a lost commit: Iceberg's `commit.retry.…` properties."""

from dataclasses import dataclass

from wasim.iceberg.properties import TableProperties

JITTER = 0.1  # of a wait, at most
_GROWTH = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often a lost commit is retried, and after which waits, as by Iceberg's `Tasks`."""

    retries: int
    least_wait_ms: int
    most_wait_ms: int
    most_total_ms: int

    def wait_ms(self, attempt: int) -> int:
        """Milliseconds to wait after this many attempts, without jitter."""
        return int(min(self.least_wait_ms * _GROWTH ** (attempt - 1), self.most_wait_ms))

    def gives_up(self, attempt: int, elapsed_ms: float) -> bool:
        """Whether a commit fails for good after this many lost attempts, `elapsed_ms` after the first began."""
        return attempt > self.retries or (elapsed_ms > self.most_total_ms and attempt > 1)


def retry_policy(properties: TableProperties) -> RetryPolicy:
    """The policy that a table's properties set."""
    return RetryPolicy(
        retries=properties.commit_num_retries,
        least_wait_ms=properties.commit_min_retry_wait_ms,
        most_wait_ms=properties.commit_max_retry_wait_ms,
        most_total_ms=properties.commit_total_retry_time_ms,
    )
