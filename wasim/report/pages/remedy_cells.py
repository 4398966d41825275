"""What the standard remedies would save: as a table, as a sentence, and as JSON."""

from typing import TYPE_CHECKING, Any

from wasim.report.tables import TextTable
from wasim.report.words import ABSENT, listed
from wasim.units import format_bytes, format_duration

if TYPE_CHECKING:
    from wasim.forecast import Forecast, Remedies

LEAST_BAND = 0.005  # of what is written: narrower ones are not worth a word


def remedy_table(remedies: "Remedies") -> TextTable:
    """One row per remedy: metadata written over the horizon, on disk at its end, and live manifests.

    Empty where no remedy lets a writer keep up that long.
    """
    over = format_duration(remedies.case.horizon_s)
    figures = (f"metadata written in {over}", "on disk at the end", "manifests live")
    has_figures = any(one.forecast.keeps_up for one in remedies.rows)
    return TextTable(
        caption=f"{remedies.case.label}: {over} simulated, as it is and with each remedy",
        head=("remedy", *figures),
        rows=tuple((one.name, *_figures(one.forecast)) for one in remedies.rows) if has_figures else (),
        figures=figures,
    )


def _figures(found: "Forecast") -> tuple[str, ...]:
    if not found.keeps_up:
        return ABSENT, ABSENT, ABSENT
    width = f" ± {found.band * 100:.2g} %" if found.band >= LEAST_BAND else ""
    return f"{format_bytes(found.written_bytes)}{width}", format_bytes(found.on_disk_bytes), f"{found.live_manifests:,}"


def remedies_line(remedies: "Remedies") -> str:
    """What all remedies together would save, in a sentence; empty where they save nothing."""
    best, before = remedies.together or next(iter(remedies.alone), None), remedies.as_is.forecast
    if best is None or (before.keeps_up and best.forecast.on_disk_bytes >= before.on_disk_bytes):
        return ""
    case, words = remedies.case, listed(remedies.together_words)
    over = format_duration(case.horizon_s)
    writer = f"{case.writer_name} every {format_duration(case.commit_interval_s)}"
    if not best.forecast.keeps_up:
        return f"Even with {words}, no writer keeps up for {over} ({writer})."
    what, after = f"{words[0].upper()}{words[1:]} would", format_bytes(best.forecast.on_disk_bytes)
    if not before.keeps_up:
        return f"{what} leave {after} of metadata on disk after {over}; as it is, no writer keeps up ({writer})."
    cut = f"from {format_bytes(before.on_disk_bytes)} to {after}"
    return f"{what} cut metadata on disk after {over} {cut} ({writer})."


def remedies_document(remedies: "Remedies | None") -> dict[str, Any] | None:
    """The remedies as plain JSON values, for summary.json."""
    if remedies is None:
        return None
    return {
        "case": remedies.case.label,
        "horizon_s": remedies.case.horizon_s,
        "remedies": [
            {
                "remedy": one.name,
                "metadata_bytes": one.forecast.written_bytes,
                "metadata_on_disk_bytes": one.forecast.on_disk_bytes,
                "manifests": one.forecast.live_manifests,
                "metadata_bytes_band": one.forecast.band,
                "keeps_up": one.forecast.keeps_up,
            }
            for one in remedies.rows
        ],
    }
