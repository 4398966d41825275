"""What to paste: SQL that maintains the table, and the writer's interval as Spark or Flink take it."""

from wasim.capacity.plan import Plan
from wasim.capacity.settings import OFTEN, Setting
from wasim.iceberg.properties import MAX_SNAPSHOT_AGE_MS, METADATA_DELETE_AFTER_COMMIT_ENABLED
from wasim.scenario import Case
from wasim.units import format_duration


def sql_of(plan: Plan, setting: Setting) -> tuple[str, ...]:
    """Statements for Spark SQL: properties once, then each job with a comment that says how often."""
    name, kept = plan.request.table_name, setting.maintenance
    properties = {METADATA_DELETE_AFTER_COMMIT_ENABLED: "true"}
    if kept.older_than_s is not None:  # CALL takes no computed age: expiry without older_than goes by this property
        properties[MAX_SNAPSHOT_AGE_MS] = str(round(kept.older_than_s * 1000))
    given = ",\n".join(f"  '{key}'='{value}'" for key, value in properties.items())
    lines = [f"ALTER TABLE {name} SET TBLPROPERTIES (\n{given});"]
    for procedure, every_s in (("expire_snapshots", kept.expire_every_s), ("rewrite_manifests", kept.rewrite_every_s)):
        if every_s is not None:
            lines.append(f"-- {OFTEN[every_s]}\n{_call(procedure, name)}")
    return tuple(lines)


def writer_options(case: Case, setting: Setting) -> str:
    """How the writer is given its interval."""
    interval = format_duration(setting.interval_s)
    if case.writer.profile == "flink":
        return f"SET 'execution.checkpointing.interval' = '{_milliseconds(setting)} ms';  -- Flink"
    if case.writer.kind == "batch":
        return f"Start the batch job every {interval}."
    return f'.trigger(processingTime="{_milliseconds(setting)} milliseconds")  # Spark, {interval}'


def _milliseconds(setting: Setting) -> int:
    return round(setting.interval_s * 1000)


def _call(procedure: str, table: str) -> str:
    catalog, _, rest = table.partition(".")
    text = rest.replace("'", "''")
    return f"CALL {catalog}.system.{procedure}(\n  table => '{text}');"
