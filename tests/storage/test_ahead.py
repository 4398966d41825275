"""Many files read in their order, several at a time where each costs a round trip."""

import threading
from dataclasses import dataclass, field

from wasim.storage import StorageError, read_each


@dataclass
class Distant:
    """A storage that answers only when four have asked: reading one after another would wait for ever."""

    reads_at_once: int = 4
    scheme: str = "s3"
    together: threading.Barrier = field(default_factory=lambda: threading.Barrier(4, timeout=20))

    def read(self, path, *, head=None):
        self.together.wait()
        match int(path) % 4:
            case 1:
                raise FileNotFoundError(path)
            case 2:
                raise StorageError(path)
        return path.encode()


def test_files_come_in_their_order_whatever_became_of_them():
    found = list(read_each(Distant(), map(str, range(8))))
    assert [type(one) for one in found] == [bytes, FileNotFoundError, StorageError, bytes] * 2
    assert found[::4] == [b"0", b"4"]
