"""What a writer does with each append, operation by operation, and which of them share a metadata.json."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal

AppendMode = Literal["fast", "merge"]
Sharing = Literal["same", "own"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsOfCommit:
    """Statistics of each column in a Puffin file, and its entry in metadata.json: a sketch of distinct values.

    `file` is the file's name, a template as a summary's values are. A sketch, compressed, takes `sketch_bytes`, and
    `value_bytes` for each distinct value up to `most_values`.
    """

    commit: Sharing
    file: str
    blob: str
    codec: str
    created_by: str
    sketch_bytes: int
    value_bytes: int
    most_values: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpiryOfCommit:
    """Snapshots that the writer itself expires after each of its appends."""

    commit: Sharing
    older_than_s: float
    retain_last: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerOfCommits:
    """What makes the writer commit, as it ships: `every_s`, None where its caller decides, or one of the counts before.

    No interval is longer than `most_s`, and `bytes`, which are of rows as they arrive, can be set to `most_bytes`.
    Of intervals without rows in a row, every `idle_every` ends in a commit of nothing, None: none does. `words` say
    it with the names of its settings, `setting` is the line that sets another interval, in `language`: a template
    of `interval`, `ms` and `seconds`. Of several tables it commits to `tables_at_once`, and to the others after
    them; None: each of its tasks commits to some of the tables.
    """

    every_s: float | None = None
    most_s: float = inf
    bytes: int | None = None
    most_bytes: int | None = None
    rows: int | None = None
    idle_every: int | None = None
    tables_at_once: int | None = 1
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

    append: AppendMode | None = None
    counts_no_partition: bool = True
    statistics: StatisticsOfCommit | None = None
    expiry: ExpiryOfCommit | None = None
    tag: str | None = None
    sets: Mapping[str, str] = field(default_factory=dict)

    @property
    def versions_per_append(self) -> int:
        """How many metadata.json an append and its statistics write."""
        return 2 if self.statistics is not None and self.statistics.commit == "own" else 1


def trigger_from(document: Mapping[str, Any]) -> TriggerOfCommits:
    """The trigger in a profile's JSON. TypeError or ValueError for what is none."""
    trigger = TriggerOfCommits(**document)
    for name in ("every_s", "most_s", "bytes", "most_bytes", "rows", "idle_every", "tables_at_once"):
        count = getattr(trigger, name)
        if count is not None and not count > 0:
            raise ValueError(f"trigger.{name} is {count}, which never comes; give more than 0")
    return trigger


def recipe_from(document: Mapping[str, Any]) -> Recipe:
    """The recipe in a profile's JSON. TypeError or ValueError for what is none."""
    fields = dict(document)
    for name, kind in (("statistics", StatisticsOfCommit), ("expiry", ExpiryOfCommit)):
        given = fields.get(name)
        if given is not None:
            if given["commit"] not in ("same", "own"):
                raise ValueError(f"recipe.{name}.commit is {given['commit']}; give same or own")
            fields[name] = kind(**given)
    expiry = fields.get("expiry")
    if expiry is not None and not (expiry.older_than_s > 0 and expiry.retain_last >= 1):
        raise ValueError("recipe.expiry has older_than_s or retain_last of nothing; give more than 0")
    if fields.get("append") not in (None, "fast", "merge"):
        raise ValueError(f"recipe.append is {fields['append']}; give fast or merge")
    return Recipe(**fields)
