"""The doctor: what a real table's metadata is, what of it may go, and how it grows. Reads only.

`opening` finds the current metadata.json, `lists` and `content` what it refers to, `tree` and `table_files` what every
file of the folder is; `json_parts`, `history`, `growth`, `remedies` and `findings` say what follows. `terminal`,
`document`, `watching` and `page` show it; `as_case` makes it a case to plan and simulate from, which alone imports the
scenario.
"""

from wasim.doctor.findings import Severity
from wasim.doctor.inspection import Inspection, InspectOptions, inspect_location
from wasim.doctor.opening import Choice
