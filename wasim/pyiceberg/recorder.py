"""The journal of a table that pyiceberg writes: each file written or deleted, and each commit, as it happens."""

import threading
import time
from typing import Any

from pyiceberg.io import InputFile, OutputFile, OutputStream
from pyiceberg.io.pyarrow import PyArrowFile, PyArrowFileIO


class Journal:
    """Lines in the order seen, in the form that `wasim.collect` reads. pyiceberg writes from threads of a pool."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []
        self._turn = threading.Lock()

    def enter(self, what: str, **members: object) -> None:
        """One more line."""
        with self._turn:
            self.lines.append({"do": what, "at_us": time.time_ns() // 1000, **members})


class _RecordedStream:
    """pyiceberg's stream, whose first close enters the file with its bytes."""

    def __init__(self, real: OutputStream, file: "_RecordedFile") -> None:
        self._real, self._file, self._is_open = real, file, True

    def write(self, data: bytes) -> int:
        """Writes as the real stream does."""
        return self._real.write(data)

    def close(self) -> None:
        """Closes the real stream."""
        self._real.close()
        if self._is_open:
            self._is_open = False
            self._file.enter_written()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def __enter__(self) -> "_RecordedStream":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class _RecordedFile(PyArrowFile):
    """pyiceberg's file on pyarrow, recorded when it is written."""

    def __init__(self, real: PyArrowFile, journal: Journal) -> None:
        super().__init__(real.location, real._path, real._filesystem, real._buffer_size)
        self._journal = journal

    def create(self, overwrite: bool = False) -> Any:
        """The stream that writes the file."""
        return _RecordedStream(super().create(overwrite=overwrite), self)

    def enter_written(self) -> None:
        """Enters the file as written, with the bytes that it has on disk."""
        self._journal.enter("write", file=self.location, bytes=len(self))


class RecordingFileIO(PyArrowFileIO):
    """pyiceberg's FileIO on pyarrow, with all that is written and deleted entered into a journal."""

    def __init__(self, properties: dict[str, str], journal: Journal) -> None:
        super().__init__(properties)
        self._journal = journal

    def new_output(self, location: str) -> PyArrowFile:
        """A file that is recorded when it is written."""
        return _RecordedFile(super().new_output(location), self._journal)

    def delete(self, location: str | InputFile | OutputFile) -> None:
        """Deletes the file, and enters that."""
        super().delete(location)
        self._journal.enter("delete", file=location if isinstance(location, str) else location.location)
