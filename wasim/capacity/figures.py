"""What settings cost: each simulated over the whole horizon, with the band that its figures lie in."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from wasim.capacity.request import PlanRequest
from wasim.capacity.settings import DAY_S, HOUR_S, NO_MAINTENANCE, Setting, case_of
from wasim.ledger import METADATA_KINDS, Kind, Summed
from wasim.report.answer.options import stops_writing
from wasim.runs import CaseRun
from wasim.scenario import Case
from wasim.scenario.limits import Limit
from wasim.twin import Site, shipped_profile
from wasim.twin.supported import check_answerable
from wasim.years import YearsOf


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """A setting's figures over the horizon: `values` by metric, `bands` their relative half-widths where known.

    `keeps_up_s` is when commits would take more metadata a second than any writer is taken to sustain; None: never.
    """

    setting: Setting
    values: Mapping[str, float]
    bands: Mapping[str, float]
    approximated: tuple[str, ...]
    keeps_up_s: float | None

    @property
    def keeps_up(self) -> bool:
        """Whether a writer may keep up over the whole horizon, as far as the bytes of its commits say."""
        return self.keeps_up_s is None

    @property
    def per_day_bytes(self) -> float:
        """Metadata written in a day, the mean of the horizon."""
        return self.values["metadata_bytes_per_day"]

    def at(self, metric: str, *, shift: float = 0.0) -> float:
        """A value, moved within its band: by its half-width at 1, down by the same at -1."""
        return self.values[metric] * (1 + shift * self.bands.get(metric, 0.0))

    def broken(self, limits: Iterable[Limit], *, shift: float = 0.0) -> tuple[Limit, ...]:
        """The limits that the setting breaks, its values moved within their bands."""
        return tuple(limit for limit in limits if not limit.holds(self.at(limit.metric, shift=shift)))


@dataclass(slots=True, kw_only=True)
class SettingSimulator:
    """Simulates settings of one request: what those at the same interval and rate share is found once."""

    request: PlanRequest
    _years: dict[tuple[float, float], YearsOf] = field(default_factory=dict)
    _bytes_per_row: float | None = None

    def figures(self, setting: Setting, *, rate: float = 1.0, deletes_json: bool = True) -> Figures:
        """The figures of a setting, at a multiple of the request's rate. WasimError for what makes no sense.

        `deletes_json` is write.metadata.delete-after-commit.enabled.
        """
        case = case_of(self.request, setting, rate=rate, deletes_json=deletes_json)
        summed = self._simulate(case, rate)
        stops = stops_writing(CaseRun.of_summed(case, summed, key="", engine="sim", wall_s=0.0))
        return Figures(
            setting=setting,
            values=_values(case, summed, self._row_bytes() * case.commits * case.rows_per_commit),
            bands=_bands(summed),
            approximated=summed.approximated,
            keeps_up_s=None if stops is None else stops.until_s,
        )

    def _simulate(self, case: Case, rate: float) -> Summed:
        key = case.commit_interval_s, rate
        if key not in self._years:
            profile = shipped_profile(case)
            check_answerable(case, profile)
            self._years[key] = YearsOf(profile=profile, site=Site())
        return self._years[key].simulate(case)

    def _row_bytes(self) -> float:
        """Data bytes that a row first takes at the longest interval: what amplification divides by."""
        if self._bytes_per_row is None:
            case = case_of(self.request, Setting(interval_s=self.request.freshness_s, maintenance=NO_MAINTENANCE))
            self._bytes_per_row = self._simulate(case, 1.0).ingested_bytes / (case.commits * case.rows_per_commit)
        return self._bytes_per_row


def _values(case: Case, summed: Summed, data_bytes: float) -> dict[str, float]:
    totals, on_disk = summed.totals, summed.totals.on_disk_bytes
    metadata = float(totals.metadata_bytes)
    return {
        "metadata_bytes_per_day": metadata / (case.horizon_s / DAY_S),
        "wa_metadata": metadata / data_bytes,
        "metadata_json_bytes": float(summed.live_bytes[Kind.METADATA_JSON]),
        "manifests": float(summed.ledger.live_manifests[-1]),
        "snapshots": float(summed.ledger.snapshots_retained[-1]),
        "metadata_bytes": metadata,
        "metadata_on_disk_bytes": float(sum(on_disk[kind] for kind in METADATA_KINDS)),
        "metadata_bytes_per_event_hour": metadata / (case.horizon_s / HOUR_S),
        "wa_data": totals.data_bytes / data_bytes,
        "wa_total": (totals.data_bytes + metadata) / data_bytes,
    }


def _bands(summed: Summed) -> dict[str, float]:
    written = summed.totals.written_bytes
    metadata = sum(summed.band[kind] * written[kind] for kind in METADATA_KINDS) / max(summed.totals.metadata_bytes, 1)
    data = summed.band[Kind.DATA]
    of_metadata = ("metadata_bytes_per_day", "wa_metadata", "metadata_bytes", "metadata_bytes_per_event_hour")
    return {
        **dict.fromkeys((*of_metadata, "metadata_on_disk_bytes"), metadata),
        "metadata_json_bytes": summed.band[Kind.METADATA_JSON],
        "manifests": summed.band[Kind.DATA_MANIFEST],
        **dict.fromkeys(("wa_data", "wa_total"), max(data, metadata)),
    }
