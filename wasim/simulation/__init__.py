"""Scenarios simulated instead of run: the same cases, run folders, reports and exit codes, without Spark or a table.

`case` chooses a case's mode, simulates it, and estimates the time, memory and disk that this takes exactly; `run`
simulates a scenario.
"""

from wasim.simulation.case import Mode
from wasim.simulation.run import SimulationOptions, simulate, simulated_cases
