"""The one error that reading or writing Iceberg's files raises."""

from wasim.errors import WasimError


class IcebergFileError(WasimError):
    """A file that Iceberg would not have written, or one too large to trust: which file, and what is wrong with it."""

    def __init__(self, source: str, problem: str) -> None:
        """The error about a file, named as the user knows it."""
        super().__init__(f"{source}: {problem}")
        self.source = source
        self.problem = problem
