"""Years in a moment: totals in closed form, with coefficients fitted to an exact or a measured ledger.

`appends` sums what a writer alone does. Under maintenance `upkeep` says when what falls due, `appended`, `rewritten`
and `replaying` make the `history` of the manifests between replacements, which keeps what is `recurring` once;
`retention` says which snapshots are left, `metadata_sizes` what every metadata.json then holds; `maintained` puts them
together into the same totals.
"""

from wasim.twin.fast.appends import (
    FastModel,
    Law,
    fast_checkpoints,
    fast_live_bytes,
    fast_rows,
    fast_totals,
)
from wasim.twin.fast.maintained import (
    Maintained,
    maintain_fast,
    maintained_live_bytes,
    maintained_totals,
)
from wasim.twin.fast.maintained_model import MaintainedModel
from wasim.twin.fast.upkeep import Upkeep, read_upkeep

__all__ = [
    "FastModel",
    "Law",
    "Maintained",
    "MaintainedModel",
    "Upkeep",
    "fast_checkpoints",
    "fast_live_bytes",
    "fast_rows",
    "fast_totals",
    "maintain_fast",
    "maintained_live_bytes",
    "maintained_totals",
    "read_upkeep",
]
