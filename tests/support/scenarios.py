"""A scenario's text, as the file that a user gives."""

from pathlib import Path

from wasim.errors import ExitCode, ScenarioError
from wasim.scenario import LoadedScenario, load_scenario


def loaded(folder: Path, text: str | bytes, **overrides: str) -> LoadedScenario:
    """The scenario of a file with this text; `table__format_version="3"` overrides `table.format_version`."""
    path = folder / "given.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_scenario(path, {name.replace("__", "."): value for name, value in overrides.items()})


def faults_of(folder: Path, text: str | bytes, **overrides: str) -> list[str]:
    """The faults of a file with this text, without its name; none if it loads."""
    try:
        loaded(folder, text, **overrides)
    except ScenarioError as error:
        faults, exit_code = list(error.args), error.exit_code
    else:
        return []
    assert faults, "refused without a fault"
    assert exit_code == ExitCode.USER_MISTAKE
    return [fault.removeprefix(f"{folder / 'given.yaml'}:").removeprefix(" ") for fault in faults]
