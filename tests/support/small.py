"""A small case."""

from pathlib import Path

from wasim.scenario import Case, load_scenario

SMALL_SCENARIO = """
name: small
question: Does it work?
table: {columns: [{name: reading, type: double}, {name: sensor, type: string, values: 5}]}
workload: {rows_per_second: 20}
horizon: 4s
commit_interval: 1s
writer: batch
environment: {warm_up_commits: 0}
planning: {rounds: 1, rounds_at_end: 1, cold: false, execution: false, checkpoints: [1.0]}
"""


def small_case_in(folder: Path, **lines: str) -> Case:
    """The first case of the small scenario, written into the folder with lines of it replaced."""
    text = SMALL_SCENARIO
    for key, value in lines.items():
        kept = [line for line in text.splitlines() if not line.startswith(f"{key}:")]
        text = "\n".join([*kept, f"{key}: {value}"])
    path = folder / "small.yaml"
    path.write_text(text)
    return load_scenario(path).cases()[0]
