"""A plan in other forms.

One JSON document has the figures that the terminal shows, unrounded, in seconds, bytes and milliseconds; a comment for
a pull request has the answer and its limits first, and every section folded; a scenario's file has the chosen setting,
for `simulate` and `bench` to carry out.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from shlex import quote
from typing import Any

from wasim.capacity.answer import Block, Section, conclusion, sections_of
from wasim.capacity.choice import Relaxation
from wasim.capacity.commands import counts_of, sql_of, statements_of
from wasim.capacity.figures import Figures
from wasim.capacity.now import Money
from wasim.capacity.plan import Plan
from wasim.capacity.request import PlanRequest
from wasim.capacity.settings import Setting, case_of, document_of
from wasim.capacity.warnings import warnings_of
from wasim.capacity.words import judged_words, limit_words, pasted_words
from wasim.contention import LOCAL, CommitLatency
from wasim.errors import printable
from wasim.ledger.trouble import JSON_MARKS
from wasim.report.tables import Comment, Folded, Judged, TextTable, render_comment, render_markdown
from wasim.scenario.cycles import window_of
from wasim.scenario.metrics import Limit, figure_name
from wasim.units import format_duration

SCHEMA_VERSION = 1


def plan_document(plan: Plan) -> dict[str, Any]:
    """The whole plan."""
    chosen = plan.chosen
    return {
        **_asked(plan),
        "recommended": setting_document(chosen),
        "limits": [] if chosen is None else [_judged(limit, chosen) for limit in plan.limits],
        "not_judged": list(plan.request.not_judged),
        "other_end": setting_document(plan.other_end),
        "binds": [limit.metric for limit in plan.stopped_by],
        "shorter": setting_document(plan.shorter),
        "longer": setting_document(plan.longer),
        "within_band": _settings(plan.or_within_band),
        "at_rates": [
            {"times": rate, **figures_document(one), "breaks": [limit.metric for limit in one.broken(plan.limits)]}
            for rate, one in plan.at_rates
        ],
        "out_of_reach_s": list(plan.out_of_reach),
        "intervals": _settings(plan.best),
        "frontier": _settings(plan.frontier),
        "relax": [_relaxation(one) for one in plan.relaxations],
        "beyond_freshness": setting_document(plan.beyond),
        "sql": [] if chosen is None else list(sql_of(plan.request, chosen.setting)),
        "statements": [] if chosen is None else [*map(asdict, statements_of(plan.request, plan.case, chosen.setting))],
        "warnings": list(warnings_of(plan)),
        **_saving(plan),
        "maintenance_fails": {one.name: one.share for one in plan.losing},
        "by_count": {} if chosen is None else dict(counts_of(chosen.setting, plan.files_per_commit)),
        "approximated": list(plan.approximated),
        "sustained": (
            None
            if plan.sustained is None
            else {"ceiling_per_s": plan.sustained.ceiling_per_s, "smallest_interval_s": plan.sustained.interval_s}
        ),
        "settings_simulated": plan.evaluated,
    }


def _asked(plan: Plan) -> dict[str, Any]:
    request, prices = plan.request, plan.request.prices
    return {
        "schema_version": SCHEMA_VERSION,
        "source": request.source,
        "location": request.location,
        "freshness_s": request.freshness_s,
        "longest_interval_s": request.longest_s,
        "time_travel_s": request.time_travel_s,
        "queries_per_hour": request.queries_per_hour,
        "tables": plan.case.writer.tables,
        "horizon_s": plan.horizon_s,
        "prefer": request.prefer,
        "assumed": list(request.assumed),
        "prices": {"source": prices.source, "as_of": prices.as_of, "currency": prices.currency},
        "machine": request.machine.words,
        "provider": request.provider,
        "catalog": plan.case.catalog,
        "dialect": request.sql,
    }


def _judged(limit: Limit, chosen: Figures) -> dict[str, Any]:
    value = chosen.judged(limit.metric)
    return {"metric": limit.metric, "bound": limit.bound, "value": value, "slack": 1 - value / limit.bound}


def _relaxation(found: Relaxation) -> dict[str, Any]:
    metric = found.limit.metric
    to, setting = pasted_words(metric, found.value), setting_document(found.figures)
    return {"metric": metric, "bound": found.limit.bound, "to": to, "setting": setting}


def _saving(plan: Plan) -> dict[str, Any]:
    found = plan.saving
    if found is None:
        return {"now": None, "money": None, "deleted_once_bytes": None}
    return {
        "now": setting_document(found.now),
        "money": money_document(found.now_money, found.then_money),
        "deleted_once_bytes": found.once_bytes,
    }


def money_document(now: Money | None, then: Money | None) -> dict[str, Any]:
    """Money now and then, and what is saved where both are known."""
    money = {"now": now, "then": then} | ({} if now is None or then is None else {"saved": now.less(then)})
    return {name: None if one is None else asdict(one) for name, one in money.items()}


def _settings(figures: Sequence[Figures]) -> list[dict[str, Any] | None]:
    return [setting_document(one) for one in figures]


def setting_document(figures: Figures | None) -> dict[str, Any] | None:
    """A setting with its figures."""
    if figures is None:
        return None
    setting, kept = figures.setting, figures.setting.maintenance
    return {
        "commit_interval_s": setting.interval_s,
        "expire_every_s": kept.expire_every_s,
        "older_than_s": kept.older_than_s,
        "rewrite_manifests_every_s": kept.rewrite_every_s,
        "rewrite_data_files_every_s": kept.compact_every_s,
        "delete_after_commit": setting.deletes_json,
        "gzip": setting.gzips_json,
        "append": setting.appends,
        "manifest_target_size_bytes": setting.manifest_target_bytes,
        **figures_document(figures),
    }


_STORED = {int(mark.value) for mark in JSON_MARKS if mark.is_stored}  # of the other marks, what the JSON in it has


def figures_document(figures: Figures) -> dict[str, Any]:
    """Figures, their bands, and what follows from them."""
    days = figures.milestones
    return {
        "figures": dict(figures.values),
        "mean": {name: spread.mean for name, spread in figures.spreads.items()},
        "most": {name: spread.most for name, spread in figures.spreads.items()},
        "final": {name: spread.final for name, spread in figures.spreads.items()},
        "bands": dict(figures.bands),
        "cost_by_part": dict(figures.cost.parts()),
        "written_bytes": {str(kind): size for kind, size in figures.written_bytes.items()},
        "on_disk_bytes": {str(kind): size for kind, size in figures.on_disk_bytes.items()},
        "metadata_json_passes_on_day": {str(size): day for size, day in days.json_passes.items() if size in _STORED},
        "metadata_json_text_passes_on_day": {
            str(size): day for size, day in days.json_passes.items() if size not in _STORED
        },
        "metadata_outweighs_data_on_day": days.metadata_outweighs,
        "keeps_up_until_s": figures.keeps_up_s,
        "latency_extrapolated": figures.extrapolated,
        "commit": commit_document(figures.commit),
    }


def commit_document(commit: CommitLatency | None) -> dict[str, Any] | None:
    """The latency of commits at the end of the horizon, a guess without a band."""
    if commit is None:
        return None
    return {
        "p50_ms": commit.p50_ms,
        "p95_ms": commit.p95_ms,
        "p99_ms": commit.p99_ms,
        "lost_share": commit.outcome.lost_share,
        "landed_per_s": commit.outcome.landed_per_s,
        "sustained": commit.sustains,
    }


_DURATIONS = frozenset(["every", "older_than", "at"])
_SIZES = frozenset(["target_file_size_bytes"])


def render_scenario(request: PlanRequest, setting: Setting) -> str:
    """The scenario of a setting as YAML text, with what the plan's figures are of besides."""
    horizon_s = window_of(case_of(request, setting)).end_s  # over which its figures are
    document = document_of(request, setting) | {"horizon": format_duration(horizon_s)}
    writer = document["writer"]
    own = {"kind": writer} if isinstance(writer, str) else writer
    ships = request.ships
    if ships.bytes or ships.rows:
        document["writer"] = {**own, "trigger": "none"}  # the interval comes first, as the statements set it
    provider = None if request.provider == LOCAL else request.provider
    flags = {"location": request.location, "provider": provider, "catalog": request.catalog}
    given = " ".join(f"--{name} {quote(printable(text))}" for name, text in flags.items() if text is not None)
    yaml = json.dumps(_written(document), indent=1)  # which is YAML too
    return f"# As planned: wasim simulate FILE {given}\n{yaml}\n"


def _written(value: Any, key: str = "") -> Any:  # noqa: ANN401 - a document of any depth
    """A value as a file has it: durations and sizes with their units, and none for what is not there."""
    if value is None:
        return "none"
    if isinstance(value, Mapping):
        return {name: _written(one, name) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_written(one) for one in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        if key in _DURATIONS:
            return format_duration(float(value))
        if key in _SIZES:
            return f"{value:.0f}B"
    return value


def plan_comment(plan: Plan, link: str) -> str:
    """The comment as Markdown; `link` leads to the plan's page, and is empty where there is none."""
    return sections_comment(conclusion(plan), list(_limits_judged(plan)), list(sections_of(plan)), link)


def sections_comment(headline: str, judged: Sequence[Judged], sections: Sequence[Section], link: str) -> str:
    """A headline and what was judged, the first table, and every section folded."""
    tables = [block for one in sections for block in one.blocks if isinstance(block, TextTable)]
    return render_comment(
        Comment(
            headline=headline,
            judged=judged,
            table=next(iter(tables), None),
            details=[Folded(title=one.title, text="\n\n".join(map(_text, one.blocks))) for one in sections],
            link=link,
        )
    )


def _limits_judged(plan: Plan) -> Iterator[Judged]:
    if plan.chosen is None:
        yield Judged(text="no setting meets the limits", holds=False)
        return
    currency = plan.request.prices.currency
    for limit in plan.limits:
        value = plan.chosen.judged(limit.metric)
        said, most = judged_words(limit, value, currency), limit_words(limit, currency)
        name = figure_name(limit.metric, plan.case.writer.tables)
        yield Judged(text=f"{name}: {said}, {most}", holds=limit.holds(value))


def _text(block: Block) -> str:
    if isinstance(block, str):
        return block
    if isinstance(block, TextTable):
        return render_markdown(block)
    return "\n".join(("```sql", *block.lines, "```"))
