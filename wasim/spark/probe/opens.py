"""The files of a local folder that were opened, by name, as the kernel saw it: for readers that do not say so."""

import ctypes
import os
import struct
import sys
from pathlib import Path

_OPENED, _OVERFLOWED = 0x20, 0x4000  # IN_OPEN, IN_Q_OVERFLOW of inotify(7)
_HEADER = struct.Struct("iIII")  # watch, mask, cookie, length of the name
_MOST_BYTES = 1 << 20


class OpenWatch:
    """Watches one folder while it is entered, by inotify; where there is none (not Linux), it sees nothing and says so.

    Whoever opens a file there is seen, so that nobody else may read the table meanwhile.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._watch: int | None = None

    def __enter__(self) -> "OpenWatch":
        if sys.platform == "linux":
            kernel = ctypes.CDLL(None, use_errno=True)
            descriptor = kernel.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
            if descriptor >= 0 and kernel.inotify_add_watch(descriptor, os.fsencode(self._folder), _OPENED) >= 0:
                self._watch = descriptor
            elif descriptor >= 0:
                os.close(descriptor)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._watch is not None:
            os.close(self._watch)
            self._watch = None

    def opened(self) -> list[str] | None:
        """Names opened since the watch began or this was last asked, in order; None if some may have been missed."""
        if self._watch is None:
            return None
        names, whole = list[str](), True
        while True:
            try:
                events = os.read(self._watch, _MOST_BYTES)
            except BlockingIOError:
                return names if whole else None
            position = 0
            while position < len(events):
                _, mask, _, length = _HEADER.unpack_from(events, position)
                name = os.fsdecode(events[position + _HEADER.size : position + _HEADER.size + length].rstrip(b"\0"))
                position += _HEADER.size + length
                whole = whole and not mask & _OVERFLOWED
                if name:  # the folder itself, when it was listed, has none
                    names.append(name)
