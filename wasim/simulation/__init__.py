"""Scenarios simulated instead of run: the same cases, run folders, reports and exit codes, without Spark or a table.

`engine` defines the simulators and chooses one, `case` simulates a case and `run` a scenario; `needs` estimates the
time, memory and disk that exact simulation takes.
"""

from wasim.simulation.case import Mode
from wasim.simulation.run import SimulationOptions, simulate, simulated_cases
