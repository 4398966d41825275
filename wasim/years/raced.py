"""What several writers add to the sums of one: attempts that were lost, and commits that were given up.

How often that happens is settled within some hundred commits of a race, and changes only as attempts take longer: they
read and write a metadata.json that grows. So a race at each of a few places stands for any horizon. A lost attempt
wrote a manifest list, which is deleted later, and a metadata.json, of which the catalog decides; a commit that was
given up wrote data files and a manifest too, all deleted. The races have the rules that exact simulation follows, so
that the two differ by chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from wasim.contention import Outcome, WriterTimes, arrivals_of, conflict_rule, due_s, outcome_of, race, rules_of
from wasim.ledger import METADATA_KINDS, Contention, Kind, Summed
from wasim.ledger.vocabulary import COMMIT_FAILED
from wasim.scenario import Case
from wasim.scenario.metrics import PERIODS_S
from wasim.units import Floats
from wasim.years.samples import Samples

RACES = 5  # over the horizon, for attempts take ever longer
RACED = 1000  # commits of each
SETTLING = 100  # of them, left out
REAL_RACES = 0.27  # in the log-odds of a loss: how far real races lay from simulated ones, root mean square of ten
_BY_ATTEMPT = frozenset({Kind.METADATA_JSON, Kind.MANIFEST_LIST})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """How often a case's writers lose and give up in the long run: a race in the middle of each of its equal parts."""

    races: tuple[Outcome, ...]

    @property
    def shares(self) -> Floats:
        """The share of the commits at which each race is."""
        return (np.arange(len(self.races)) + 0.5) / len(self.races)

    @property
    def landed_share(self) -> float:
        """The share of commits that land."""
        return 1 - float(np.mean([one.failed_share for one in self.races]))

    def landed_of(self, case: Case) -> int:
        """Commits of the case's writers that land."""
        return max(1, round(case.commits * self.landed_share))

    @property
    def lost_share(self) -> float:
        """The share of attempts that are lost."""
        return sum(one.lost for one in self.races) / max(1, sum(one.attempts for one in self.races))

    @property
    def lost_share_band(self) -> float:
        """The half-width of its 95 % interval."""
        return float(np.linalg.norm([one.lost_share_band for one in self.races]) / len(self.races))

    def lost_at(self, commits: float, *, wrote_json: bool) -> Floats:
        """Attempts lost of this many commits, by share; `wrote_json` leaves out those that a server refused."""
        lost = [(one.lost - one.refused * wrote_json) / one.commits for one in self.races]
        return np.array(lost) * commits / len(self.races)


def settled(case: Case, together: Sequence[WriterTimes]) -> Settled:
    """What a case's writers come to, over its whole horizon."""
    rng, rules = np.random.default_rng(case.seed), rules_of(case, together)
    arrivals, writers = arrivals_of(case, None), case.writer.writers
    raced, skipped = (max(RACED, writers), 0) if arrivals == "at_once" else (RACED, SETTLING)
    due = due_s(arrivals, case.commit_interval_s, raced, writers, rng)
    races, landed = list[Outcome](), 0.0
    for _ in range(RACES):
        slower = replace(rules.after(landed + case.commits / RACES / 2), slows_s=0.0)
        races.append(outcome_of(race(range(1, raced + 1), due, slower, rng), skip=skipped))
        landed += case.commits / RACES * (1 - races[-1].failed_share)
    return Settled(races=tuple(races))


def landed_of(case: Case, samples: Samples, outcome: Settled) -> tuple[Case, Samples]:
    """The case and its history as far as commits land: without those that are given up."""
    landed = outcome.landed_of(case)
    if landed == case.commits:
        return case, samples
    return replace(case, horizon_s=landed * case.commit_interval_s), samples.until(float(landed))


def with_lost(case: Case, summed: Summed, outcome: Settled) -> Summed:
    """The sums of the commits that landed, with the files of lost attempts and of commits that were given up added."""
    totals, ledger, landed = summed.totals, summed.ledger, outcome.landed_of(case)
    files, wasted, cost = _wasted(case, summed, outcome)
    stays = {kind for kind, size in cost.orphan_bytes.items() if size}
    deleted = [kind for kind in files if kind not in stays]
    ledger = replace(
        ledger,
        event_time_s=ledger.event_time_s * (case.commits / landed),  # those that land come all over the horizon
        attempts=np.full(len(ledger), np.nan),
    )
    settled_so, more = dict(summed.settled), sum(wasted[kind] for kind in METADATA_KINDS if kind in wasted)
    if settled_so:
        settled_so["metadata_on_disk_bytes"] += sum(cost.orphan_bytes.values())
        for metric in PERIODS_S.keys() & settled_so:
            settled_so[metric] *= 1 + more / totals.metadata_bytes
    return replace(
        summed,
        ledger=ledger,
        settled=settled_so,
        totals=replace(
            totals,
            written_bytes=_added(totals.written_bytes, wasted),
            files_written=_added(totals.files_written, files),
            deleted_bytes=_added(totals.deleted_bytes, {kind: wasted[kind] for kind in deleted}),
            files_deleted=_added(totals.files_deleted, {kind: files[kind] for kind in deleted}),
        ),
        band={kind: round(width + _widened(outcome, kind in _BY_ATTEMPT), 4) for kind, width in summed.band.items()},
        contention=cost,
        approximated=(*summed.approximated, f"What several writers lose is that of races of {RACED:,} commits each."),
    )


def _wasted(case: Case, summed: Summed, outcome: Settled) -> tuple[dict[Kind, int], dict[Kind, int], Contention]:
    """Files of lost attempts and of commits that were given up, their bytes, and what that comes to."""
    totals, ledger, landed = summed.totals, summed.ledger, outcome.landed_of(case)
    lists, jsons = (outcome.lost_at(case.commits, wrote_json=refused) for refused in (False, True))
    lost, wrote_json, failed = round(lists.sum()), round(jsons.sum()), case.commits - landed
    snapshots = totals.files_written[Kind.MANIFEST_LIST]
    data_bytes, manifest_bytes = (float(ledger.written_bytes[kind][-1]) for kind in (Kind.DATA, Kind.DATA_MANIFEST))
    # of those that read the table just before a merge, each merges, and writes what no other can use; where maintenance
    # rewrites manifests, appends find few to merge
    merged, merged_bytes = 0, 0.0
    if case.maintenance.rewrite_data_files is None and case.maintenance.rewrite_manifests is None:
        merged = totals.files_written[Kind.DATA_MANIFEST] - snapshots
        merged_bytes = totals.written_bytes[Kind.DATA_MANIFEST] - snapshots * manifest_bytes
    files = {
        Kind.MANIFEST_LIST: lost,
        Kind.METADATA_JSON: wrote_json,
        Kind.DATA_MANIFEST: failed + round(merged * lost / landed),
        Kind.DATA: round(failed * float(ledger.entries_added[-1])),
    }
    wasted = {
        Kind.MANIFEST_LIST: round(float(lists @ _sizes(summed, Kind.MANIFEST_LIST, outcome.shares))),
        Kind.METADATA_JSON: round(float(jsons @ _sizes(summed, Kind.METADATA_JSON, outcome.shares))),
        Kind.DATA_MANIFEST: round(failed * manifest_bytes + merged_bytes * lost / landed),
        Kind.DATA: round(failed * data_bytes),
    }
    stays = {} if conflict_rule(case.catalog).deletes_losers else {Kind.METADATA_JSON: wasted[Kind.METADATA_JSON]}
    cost = Contention(
        attempts=snapshots + lost,  # maintenance takes one each
        lost_attempts=lost,
        failed={COMMIT_FAILED: failed} if failed else {},
        lost_bytes=dict.fromkeys(Kind, 0) | wasted | {Kind.DATA_MANIFEST: round(failed * manifest_bytes)},
        orphan_bytes=dict.fromkeys(Kind, 0) | stays,
        orphan_files=wrote_json if stays else 0,
    )
    return files, wasted, cost


def _added(counts: dict[Kind, int], more: dict[Kind, int]) -> dict[Kind, int]:
    return {kind: count + more.get(kind, 0) for kind, count in counts.items()}


def _sizes(summed: Summed, kind: Kind, shares: Floats) -> Floats:
    """Mean bytes of a file around each of these shares of the commits: as the ledger has them, to the mean of all."""
    ledger, mean = summed.ledger, summed.totals.written_bytes[kind] / max(1, summed.totals.files_written[kind])
    found = np.interp(shares * ledger.commit[-1], ledger.commit, ledger.written_bytes[kind])
    return np.asarray(found * (mean / found.mean()) if found.mean() > 0 else found)


def _widened(outcome: Settled, is_lost: bool) -> float:
    """By how much what is lost widens a band: of files that each lost attempt writes, by as many attempts a commit more
    or less as the share is uncertain, a = 1 / (1 - p), da / a = p d(log odds); of all others, by as many commits.
    """
    lost = outcome.lost_share
    unsure = lost * REAL_RACES + outcome.lost_share_band / (1 - lost) if lost else 0.0
    return unsure if is_lost else unsure * (1 - outcome.landed_share)
