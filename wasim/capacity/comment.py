"""A plan as a comment for a pull request: the answer and its limits first, every section folded."""

from collections.abc import Iterator, Sequence

from wasim.capacity.answer import Block, Section, conclusion, sections_of
from wasim.capacity.plan import Plan
from wasim.capacity.words import bound_words, judged_words
from wasim.report.tables import Comment, Folded, Judged, TextTable, render_comment, render_markdown
from wasim.scenario.metrics import figure_name

LIMITS_HEAD = "Limit"  # of the table of limits, which stands above as a list


def plan_comment(plan: Plan, link: str) -> str:
    """The comment as Markdown; `link` leads to the plan's page, and is empty where there is none."""
    return sections_comment(conclusion(plan), list(_judged(plan)), list(sections_of(plan)), link)


def sections_comment(headline: str, judged: Sequence[Judged], sections: Sequence[Section], link: str) -> str:
    """A headline and what was judged, the first table that is not of limits, and every section folded."""
    tables = [block for one in sections for block in one.blocks if isinstance(block, TextTable)]
    return render_comment(
        Comment(
            headline=headline,
            judged=judged,
            table=next((one for one in tables if one.head[0] != LIMITS_HEAD), None),
            details=[Folded(title=one.title, text="\n\n".join(map(_text, one.blocks))) for one in sections],
            link=link,
        )
    )


def _judged(plan: Plan) -> Iterator[Judged]:
    if plan.chosen is None:
        yield Judged(text="no setting meets the limits", holds=False)
        return
    currency = plan.request.prices.currency
    for limit in plan.limits:
        value = plan.chosen.judged(limit.metric)
        said, most = judged_words(limit, value, currency), bound_words(limit, currency)
        name = figure_name(limit.metric, plan.case.writer.tables)
        yield Judged(text=f"{name}: {said}, at most {most}", holds=limit.holds(value))


def _text(block: Block) -> str:
    if isinstance(block, str):
        return block
    if isinstance(block, TextTable):
        return render_markdown(block)
    return "\n".join(("```sql", *block.lines, "```"))
