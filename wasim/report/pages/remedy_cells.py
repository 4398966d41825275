"""The table of what the standard remedies would save."""

from wasim.report.remedies import Remedies, Remedy
from wasim.report.tables import TextTable
from wasim.report.words import ABSENT
from wasim.units import format_bytes, format_duration

LEAST_BAND = 0.005  # of what is written: narrower ones are not worth a word


def remedy_table(remedies: Remedies) -> TextTable:
    """One row per remedy: metadata written over the horizon, on disk at its end, and live manifests.

    Empty where no remedy lets a writer keep up that long.
    """
    over = format_duration(remedies.horizon_s)
    figures = (f"metadata written in {over}", "on disk at the end", "manifests live")
    return TextTable(
        caption=f"{remedies.case}: {over} simulated, as it is and with each remedy",
        head=("remedy", *figures),
        rows=tuple((one.name, *_figures(one)) for one in remedies.rows) if remedies.has_figures else (),
        figures=figures,
    )


def _figures(remedy: Remedy) -> tuple[str, ...]:
    if not remedy.keeps_up:
        return ABSENT, ABSENT, ABSENT
    width = f" ± {remedy.band * 100:.2g} %" if remedy.band >= LEAST_BAND else ""
    return f"{format_bytes(remedy.written_bytes)}{width}", format_bytes(remedy.on_disk_bytes), f"{remedy.manifests:,}"
