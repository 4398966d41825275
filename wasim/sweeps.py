"""A scenario's whole grid, simulated fast: on this machine, or on Spark as one DataFrame job."""

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from wasim.errors import WasimError
from wasim.grid import grid_schema, plan_grid, simulate_block, simulate_grid
from wasim.scenario import LoadedScenario
from wasim.simulation import Mode, SimulationOptions
from wasim.twin import Site
from wasim.units import format_bytes


def simulate_sweep(scenario: LoadedScenario, options: SimulationOptions, *, out: Path, master: str | None) -> str:
    """Simulates every case of the scenario into Parquet at `out`, a file, or a folder when Spark writes it.

    What was found comes back in a line. WasimError for options that a grid does not honour.
    """
    if options.mode not in (Mode.AUTO, Mode.FAST) or options.emit is not None:
        raise WasimError("--grid is simulated in fast mode. Leave --mode exact and --emit out, or --grid.")
    cases = list(scenario.cases())
    site = Site() if options.location is None else Site(location=options.location)
    blocks = plan_grid(cases, profile=options.profile, site=site)
    schema = grid_schema(scenario.swept)
    if master is None:
        results = simulate_grid(blocks, schema, processes=os.cpu_count() or 1)
        pq.write_table(results, out)
    else:
        from wasim.cluster import map_parts  # noqa: PLC0415 - only this needs Spark installed

        map_parts(blocks, simulate_block, schema, master=master, out=out, log=out.with_name(f"{out.name}.log"))
        results = ds.dataset(out, format="parquet").to_table()
    return f"{results.num_rows:,} settings, {_span(results, scenario)}: {out}"


def _span(results: pa.Table, scenario: LoadedScenario) -> str:
    written = results["metadata_written_bytes"]
    least, most = pc.min_max(written).as_py().values()
    cheapest = results.slice(pc.index(written, least).as_py(), 1).to_pylist()[0]
    named = " ".join(f"{field.rpartition('.')[2]}={cheapest[field]}" for field in scenario.swept)
    return f"metadata written from {format_bytes(least)} ({named}) to {format_bytes(most)}"
