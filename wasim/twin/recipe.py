"""What a writer does with each append, operation by operation, and which of them share a metadata.json."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field

AppendMode = Literal["fast", "merge"]
Sharing = Literal["same", "own"]
NO_OTHERS = ConfigDict(extra="forbid")  # in a profile's JSON
Positive = Annotated[float, Field(gt=0)]
PositiveInt = Annotated[int, Field(gt=0)]
Whole = Annotated[int, Field(ge=0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsOfCommit:
    """Statistics of each column in a Puffin file, and its entry in metadata.json: a sketch of distinct values.

    `file` is the file's name, a template as a summary's values are. A sketch, compressed, takes `sketch_bytes`, and
    `value_bytes` for each distinct value up to `most_values`.
    """

    __pydantic_config__: ClassVar[ConfigDict] = NO_OTHERS
    commit: Sharing
    file: str
    blob: str
    codec: str
    created_by: str
    sketch_bytes: Whole
    value_bytes: Whole
    most_values: Whole


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpiryOfCommit:
    """Snapshots that the writer itself expires after each of its appends."""

    __pydantic_config__: ClassVar[ConfigDict] = NO_OTHERS
    commit: Sharing
    older_than_s: Positive
    retain_last: PositiveInt = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerOfCommits:
    """What makes the writer commit, as it ships: `every_s`, None where its caller decides, or one of the counts before.

    No interval is shorter than `least_s` or longer than `most_s`, and `bytes`, of rows as they arrive, can be set to
    `most_bytes`. Of intervals without rows in a row, every `idle_every` ends in a commit of nothing, None: none does.
    `words` say it with the names of its settings, `setting` is the line that sets another interval, in `language`: a
    template of `interval`, `ms` and `seconds`. Of several tables it commits to `tables_at_once`, and to the others
    after them; None: each of its tasks commits to some of the tables.
    """

    __pydantic_config__: ClassVar[ConfigDict] = NO_OTHERS
    every_s: Positive | None = None
    least_s: Positive | None = None
    most_s: Positive = inf
    bytes: PositiveInt | None = None
    most_bytes: PositiveInt | None = None
    rows: PositiveInt | None = None
    idle_every: PositiveInt | None = None
    tables_at_once: PositiveInt | None = 1
    words: str = "the caller's"
    setting: str = ""
    language: str = "Writer"
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """One commit: an append, or another change of rows, and what the writer does with it each time.

    `append` None is the kind of writer's own. A writer that `counts_no_partition` says of a table without partitions
    that one changed. `tag` is a tag that moves to each new snapshot, within the append's
    commit; `sets` are properties that each commit sets, templates, within it too.
    """

    __pydantic_config__: ClassVar[ConfigDict] = NO_OTHERS
    append: AppendMode | None = None
    counts_no_partition: bool = True
    statistics: StatisticsOfCommit | None = None
    expiry: ExpiryOfCommit | None = None
    tag: str | None = None
    sets: Mapping[str, str] = field(default_factory=dict)
