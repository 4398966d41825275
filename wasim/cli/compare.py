"""`wasim compare`: two runs case by case."""

from wasim.cli.options import RunName
from wasim.cli.terminal import console


def compare(
    first: RunName,
    second: RunName,
) -> None:
    """Compare two runs case by case: the second's figures, and their ratio to the first's."""
    from wasim.report.pages import render_comparison
    from wasim.runs import find_run, read_run

    console().print(render_comparison(read_run(find_run(first)), read_run(find_run(second))))
