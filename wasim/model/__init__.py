"""The cost equations of a commit, as functions of the scenario alone: no table, no Spark, no clock.

`appends` says what of a case matters, and when manifests merge; `drivers` puts that into columns by commit; `equations`
turns drivers into bytes, and says the smallest interval that a writer can keep up.
"""

from wasim.model.appends import Appends, ManifestSizes, read_appends
from wasim.model.drivers import Drivers, drivers_at, drivers_of_manifests
from wasim.model.equations import (
    Term,
    design_matrix,
    equation,
    keeps_up_for_s,
    known_bytes,
    smallest_sustainable_interval_s,
)
