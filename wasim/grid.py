"""A sweep of many settings, each over a long horizon: `plan_grid` makes blocks of them, `simulate_block`
simulates one.

Settings with the same table and commits share file sizes, and those that rewrite in the same way share a history,
so ten thousand settings take seconds. A block stands for itself: any process can simulate it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from wasim.forecast import shape_key
from wasim.forecast.ahead import Forecast, Forecaster, profile_of
from wasim.ledger import METADATA_KINDS, Kind
from wasim.processes import map_in_processes
from wasim.runs.limits import HELD
from wasim.scenario import Case
from wasim.twin import Site
from wasim.twin.profile import as_triggered


@dataclass(frozen=True, slots=True, kw_only=True)
class GridBlock:
    """Settings of a sweep that share a shape, each with its number, to be simulated by one process."""

    site: Site
    settings: tuple[tuple[int, Case], ...]


def plan_grid(cases: Sequence[Case], site: Site | None = None) -> list[GridBlock]:
    """The cases of one sweep in blocks that can each be simulated alone. WasimError names what makes no sense."""
    groups: dict[str, list[tuple[int, Case]]] = {}
    keys: dict[tuple[str, ...], str] = {}  # by the swept values but maintenance, which changes no shape
    for number, given in enumerate(cases):
        case = as_triggered(given, profile_of(given))
        kept = (text for field, text in case.swept.items() if not field.startswith("maintenance"))
        swept = (str(case.seed), *kept)
        groups.setdefault(keys.get(swept) or keys.setdefault(swept, shape_key(case)), []).append((number, case))
    return [GridBlock(site=site or Site(), settings=tuple(members)) for members in groups.values()]


_JOBS = ("expire_snapshots", "rewrite_manifests", "rewrite_data_files")
KINDS = (*METADATA_KINDS, Kind.DATA, Kind.DELETE_FILE)


def simulate_block(block: GridBlock) -> list[dict[str, Any]]:
    """A record for every setting of a block, in their order: see `grid_schema`."""
    forecaster = Forecaster(site=block.site)
    return [_record(number, forecaster.of(case)) for number, case in block.settings]


def _record(number: int, found: Forecast) -> dict[str, Any]:
    run, case = found.run, found.run.case
    totals, kept = run.of_all_tables, case.maintenance
    return {
        "setting": number,
        **{field: _typed(text) for field, text in case.swept.items()},
        **{f"{name}_every_s": None if (job := getattr(kept, name)) is None else job.every for name in _JOBS},
        "expire_older_than_s": None if kept.expire_snapshots is None else kept.expire_snapshots.older_than,
        "keeps_up": found.keeps_up,
        "commits": case.commits,
        "commit_interval_s": case.commit_interval_s,
        "horizon_s": case.horizon_s,
        **{f"{kind}_written_bytes": totals.written_bytes[kind] for kind in KINDS},
        **{f"{kind}_files": totals.files_written[kind] for kind in KINDS},
        "metadata_written_bytes": found.written_bytes,
        **{name: found.most(name) for name in HELD},
        "wa_metadata": run.amplification.metadata,
        "approximated": list(run.approximated),
    }


def _typed(text: str) -> str | int | float:
    """A swept value as a number where it is one."""
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def _column_type(texts: Iterable[str]) -> pa.DataType:
    """What holds all these values of one field: integers, numbers, or the texts as written."""
    kinds = {type(_typed(text)) for text in texts}
    if kinds == {int}:
        return pa.int64()
    return pa.float64() if kinds <= {int, float} else pa.string()


def grid_schema(cases: Sequence[Case]) -> pa.Schema:
    """Columns of the results: the setting's number, the swept fields (numbers as numbers, others as written), when it
    is maintained, whether its commits stay shorter than their interval, counts, bytes, seconds, and sentences on what
    was ignored or replaced by its mean. What is written and on disk is of all tables that a job commits to.
    """
    values: dict[str, set[str]] = {}
    for case in cases:
        for field, text in case.swept.items():
            values.setdefault(field, set()).add(text)
    counts = ["commits", *(f"{kind}_written_bytes" for kind in KINDS), *(f"{kind}_files" for kind in KINDS)]
    return pa.schema(
        [
            ("setting", pa.int64()),
            *((field, _column_type(texts)) for field, texts in values.items()),
            *((f"{name}_every_s", pa.float64()) for name in _JOBS),
            ("expire_older_than_s", pa.float64()),
            ("keeps_up", pa.bool_()),
            *((name, pa.int64()) for name in (*counts, "metadata_written_bytes", *HELD)),
            *((name, pa.float64()) for name in ("commit_interval_s", "horizon_s", "wa_metadata")),
            ("approximated", pa.list_(pa.string())),
        ]
    )


def simulate_grid(blocks: Sequence[GridBlock], schema: pa.Schema, *, processes: int | None = None) -> pa.Table:
    """The results of all blocks, in the order of their settings, by as many processes as there are cores by default."""
    found = map_in_processes(simulate_block, blocks, processes=processes)
    table = pa.Table.from_pylist([record for part in found for record in part], schema=schema)
    return table.sort_by("setting")
