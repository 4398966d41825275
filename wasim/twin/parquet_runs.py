"""Numbers of few bits as Parquet writes levels and places in a dictionary: runs, and packed groups of eight.

Facts from parquet-java (RunLengthBitPackingHybridEncoder).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from wasim.iceberg.avro_encoding import encode_long

_GROUP, _MOST_GROUPS = 8, 63


def runs_and_groups(values: Sequence[int], width: int) -> bytes:
    """Numbers of so many bits: eight or more alike as a run, others packed in groups of eight."""
    runs = _Runs(width=width)
    for value in values:
        runs.add(value)
    return runs.end()


@dataclass(slots=True, kw_only=True)
class _Runs:
    """What is written of some numbers, and what waits: a run that may go on, a group, groups since the last run."""

    width: int
    written: bytearray = field(default_factory=bytearray)
    group: list[int] = field(default_factory=list)
    packed: list[bytes] = field(default_factory=list)
    run: int = 0
    before: int = 0  # the value that the run is of

    def add(self, value: int) -> None:
        """The next number."""
        if value == self.before:
            self.run += 1
            if self.run >= _GROUP:
                return
        else:
            if self.run >= _GROUP:
                self._end_run()
            self.run, self.before = 1, value
        self.group.append(value)
        if len(self.group) == _GROUP:
            self._end_group()
            self.run = 0

    def end(self) -> bytes:
        """All that is written, once no number follows."""
        if self.run >= _GROUP:
            self._end_run()
        elif self.group:
            self._end_group()
        self._end_groups()
        return bytes(self.written)

    def _end_run(self) -> None:
        self._end_groups()
        self.written.extend(encode_long(self.run) + self.before.to_bytes(-(-self.width // 8), "little"))
        self.group.clear()

    def _end_group(self) -> None:
        if len(self.packed) == _MOST_GROUPS:
            self._end_groups()
        bits = sum(value << place * self.width for place, value in enumerate(self.group))
        self.packed.append(bits.to_bytes(self.width, "little"))
        self.group.clear()

    def _end_groups(self) -> None:
        if self.packed:
            self.written.append(len(self.packed) << 1 | 1)
            self.written.extend(b"".join(self.packed))
            self.packed.clear()
