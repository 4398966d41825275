"""`wasim schema`: the scenario language as JSON Schema."""

import json

from wasim.cli.terminal import echo


def schema() -> None:
    """Print the scenario language as JSON Schema, for editors."""
    from wasim.scenario.schema import json_schema

    echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))
