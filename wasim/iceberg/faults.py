"""The one error that reading or writing Iceberg's files raises."""

from wasim.errors import WasimError, printable

__all__ = ["IcebergFileError", "UnsupportedFile", "printable"]


class IcebergFileError(WasimError):
    """A file that Iceberg would not have written, or one too large to trust: which file, and what is wrong with it."""

    def __init__(self, source: str, problem: str) -> None:
        """The error about a file, named as the user knows it."""
        self.source = printable(source, 1_000)
        self.problem = printable(problem)
        super().__init__(f"{self.source}: {self.problem}")

    def __reduce__(self) -> tuple[type["IcebergFileError"], tuple[str, str]]:
        """How it is pickled: an exception knows only its text."""
        return type(self), (self.source, self.problem)


class UnsupportedFile(IcebergFileError):
    """A sound file that wasim does not read: of a newer format version, of a view, encrypted."""
