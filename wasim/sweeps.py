"""A scenario's whole grid, simulated fast: on this machine, or on Spark as one DataFrame job."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from wasim.errors import WasimError
from wasim.grid import grid_schema, plan_grid, simulate_block, simulate_grid
from wasim.runs import write_atomically
from wasim.runs.values import say_once
from wasim.scenario import LoadedScenario
from wasim.scenario.metrics import Limit
from wasim.simulation import Mode, SimulationOptions
from wasim.twin import Site
from wasim.units import format_bytes, format_count, format_duration


def simulate_sweep(scenario: LoadedScenario, options: SimulationOptions, *, out: Path, master: str | None) -> str:
    """Simulates every case of the scenario into Parquet at `out`, a file, or a folder when Spark writes it.

    What was found comes back in a line. WasimError for options that a grid does not support.
    """
    if options.mode not in (Mode.AUTO, Mode.FAST) or options.emit is not None:
        raise WasimError("--grid is simulated in fast mode. Leave --mode exact and --emit out, or --grid.")
    cases = list(scenario.cases())
    site = Site() if options.location is None else Site(location=options.location)
    blocks = plan_grid(cases, site)
    schema = grid_schema(cases)
    if master is None:
        results = simulate_grid(blocks, schema)
        pq.write_table(results, out)
    else:
        from wasim.cluster import map_parts  # noqa: PLC0415 - only this needs Spark installed

        map_parts(blocks, simulate_block, schema, master=master, out=out, log=out.with_name(f"{out.name}.log"))
        results = ds.dataset(out, format="parquet").to_table()
    said = f"{format_count(results.num_rows, 'setting')}, {_span(results, scenario)}: {out}\n{_best(results, scenario)}"
    approximated = zip(map(str, results["setting"].to_pylist()), results["approximated"].to_pylist(), strict=True)
    said += "".join(f"\n{sentence}" for sentence in say_once(approximated, "settings"))
    chart = _draw(results, scenario, out)
    return said if chart is None else f"{said}\nChart: {chart}"


def _draw(results: pa.Table, scenario: LoadedScenario, out: Path) -> Path | None:
    from wasim.report.charts import draw_chart  # noqa: PLC0415  (matplotlib takes most of a second to import)
    from wasim.report.charts.chart import LeftOut  # noqa: PLC0415
    from wasim.report.charts.grid import GridSetting, plan_grid  # noqa: PLC0415

    names = _judged(results, scenario)
    settings = [
        GridSetting(
            commit_interval_s=row["commit_interval_s"],
            metadata_bytes=row["metadata_written_bytes"],
            is_feasible=_is_feasible(row, names),
        )
        for row in results.select(_shown(names.values())).to_pylist()
    ]
    chart = plan_grid(settings, horizon_s=results["horizon_s"][0].as_py())
    if isinstance(chart, LeftOut):
        return None
    path = out.with_name(f"{out.stem}.svg")
    write_atomically(path, draw_chart(chart).svg.encode())
    return path


def _span(results: pa.Table, scenario: LoadedScenario) -> str:
    written = results["metadata_written_bytes"]
    least, most = pc.min_max(written).as_py().values()
    if results.num_rows == 1:
        return f"metadata written: {format_bytes(least)}"
    cheapest = results.slice(pc.index(written, least).as_py(), 1).to_pylist()[0]
    return f"metadata written from {format_bytes(least)}{_named(cheapest, scenario)} to {format_bytes(most)}"


def _named(setting: dict[str, Any], scenario: LoadedScenario) -> str:
    """What the scenario sweeps, as the setting has it, in brackets after a space; empty where it sweeps nothing."""
    said = " ".join(f"{field.rpartition('.')[2]}={setting[field]}" for field in scenario.swept)
    return f" ({said})" if said else ""


_COLUMNS = {"metadata_bytes": "metadata_written_bytes"}  # of metrics whose column has another name


def _shown(columns: Iterable[str]) -> list[str]:
    """The columns that a chart or a line is of, and further ones, each once: rows of all would take long to make."""
    return [*dict.fromkeys(("commit_interval_s", "metadata_written_bytes", "keeps_up", *columns))]


def _judged(results: pa.Table, scenario: LoadedScenario) -> dict[Limit, str]:
    """The scenario's limits that a grid can judge, each with its column."""
    names = {limit: _COLUMNS.get(limit.metric, limit.metric) for limit in scenario.limits}
    return {limit: name for limit, name in names.items() if name in results.column_names}


def _is_feasible(row: dict[str, Any], judged: dict[Limit, str]) -> bool:
    return bool(row["keeps_up"]) and all(limit.holds(float(row[name])) for limit, name in judged.items())


def _best(results: pa.Table, scenario: LoadedScenario) -> str:
    """The shortest interval that keeps up within the limits, and of its settings the one that writes least."""
    judged = _judged(results, scenario)
    shown = results.select(_shown([*judged.values(), *scenario.swept])).to_pylist()
    within = [row for row in shown if _is_feasible(row, judged)]
    said = f" and within {', '.join(f'{limit.metric} {limit.text}' for limit in judged)}" if judged else ""
    left_out = [limit.metric for limit in scenario.limits if limit not in judged]
    note = f" Not judged in a grid: {', '.join(left_out)}." if left_out else ""
    if not within:
        return f"No setting keeps up{said}.{note}"
    best = min(within, key=lambda row: (row["commit_interval_s"], row["metadata_written_bytes"]))
    settings = f"{format_count(len(within), 'setting')} {'does' if len(within) == 1 else 'do'}"
    return (
        f"Shortest interval that keeps up{said}: {format_duration(best['commit_interval_s'])}, written "
        f"{format_bytes(best['metadata_written_bytes'])}{_named(best, scenario)}; {settings}.{note}"
    )
