"""Engine `sim`: the writer's state machine, exact to the byte.

`case` carries out a scenario's steps on a simulated table (`table`, `merging`, `live_manifests`, `table_json`) whose
data files `data_files` draws from the scenario's rows and a writer `profile`; `measure` learns a profile from a real
table. Where several writers commit at once, `wasim.contention` says who wins, and `concurrent_appends` writes what
their attempts leave.
"""

from wasim.twin.case import CaseWriter, Simulated, raced, simulate_case, simulate_table
from wasim.twin.creation import Site
from wasim.twin.measure import measure_profile
from wasim.twin.profile import WriterProfile, profile_named, read_profile, render_profile, shipped_profile, with_samples
