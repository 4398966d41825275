"""A concluded run as a comment for a pull request: the answer, its limits, what each interval costs, the report."""

from collections.abc import Sequence

from wasim.report.answer import Answer, conclude, measured_line
from wasim.report.comment import Comment, Judged, render_comment
from wasim.report.pages.answer_cells import matrix_table, options_table
from wasim.report.pages.cells import headline_table
from wasim.runs import LimitDocument, Run
from wasim.scenario.limits import format_value


def run_comment(run: Run, answer: Answer, limits: Sequence[LimitDocument], link: str) -> str:
    """The comment as Markdown; `link` leads to the report, and is empty where there is none."""
    failed = [Judged(text=f"failed: {label}: {line}", holds=False) for label, line in run.failures.items()]
    judged = [Judged(text=f"`{one['limit']}`: {worst_words(one)}", holds=one["holds"]) for one in limits]
    tables = [table for table in (options_table(answer, run), headline_table(run), matrix_table(answer)) if table.rows]
    comment = Comment(
        headline=conclude(answer, run),
        judged=[*failed, *judged],
        table=tables[0],
        notes=[line] if (line := measured_line(run)) else [],
        details=tables[1:],
        link=link,
    )
    return render_comment(comment)


def worst_words(limit: LimitDocument) -> str:
    """`1.50 GiB (streaming every 1m)`: the worst value and its case, or why there is none."""
    if limit["not_judged_because"]:
        return f"not judged: {limit['not_judged_because']}"
    worst = "not measured" if limit["worst"] is None else format_value(limit["metric"], limit["worst"])
    return f"{worst} ({limit['case']})"
