"""Scenarios simulated instead of run: the same cases, run folders, reports and exit codes, without Spark or a table.

`engine` says what a simulator is and names them; `fast` is the one for long histories; `run` carries out scenarios.
"""

from wasim.simulation.engine import Mode, Simulator, simulator_for
from wasim.simulation.run import SimulationOptions, simulate, simulated_cases

__all__ = ["Mode", "SimulationOptions", "Simulator", "simulate", "simulated_cases", "simulator_for"]
