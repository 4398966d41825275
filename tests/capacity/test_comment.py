"""A plan as a comment: its answer, what was judged, one table, and every section folded."""

from dataclasses import replace

from support.by_hand import at_most, some_figures, some_plan
from support.plans import a_request

from wasim.capacity.answer import Section, sections_of
from wasim.capacity.commands import Statements
from wasim.capacity.comment import LIMITS_HEAD, plan_comment, sections_comment
from wasim.report.tables import Judged, TextTable

REQUEST = replace(a_request(), limits=(at_most("manifests", 100), at_most("monthly_cost", 5.0, "<")))


def test_each_limit_is_judged_by_the_chosen_setting():
    chosen = some_figures(30.0, 5.0, manifests=75)
    said = plan_comment(some_plan([chosen], chosen, REQUEST), "")
    kept, broken = (line for line in said.splitlines() if "at most" in line and "Limit" not in line)
    assert "manifests: 75, at most 100" in kept
    assert "5.00 USD, at most 5.00 USD" in broken  # which is not below
    assert kept.split("manifests")[0] != broken.split("cost")[0]


def test_limits_on_sums_are_of_all_tables():
    chosen = some_figures(30.0, 4.0, manifests=75)
    plan = some_plan([chosen], chosen, REQUEST)
    twelve = replace(plan.case, writer=plan.case.writer.model_copy(update={"kind": "batch", "tables": 12}))
    said = plan_comment(replace(plan, case=twelve), "")
    assert "cost a month, all 12: 4.00 USD" in said
    assert "manifests: 75" in said


def test_without_a_choice_no_limit_is_kept():
    said = plan_comment(some_plan([some_figures(30.0)], None, REQUEST), "https://example.com/page")
    assert "no setting meets the limits" in said
    assert "https://example.com/page" in said


def test_every_section_is_folded_and_its_statements_are_code():
    chosen = some_figures(30.0)
    plan = some_plan([chosen], chosen)
    said = plan_comment(plan, "")
    for one in sections_of(plan):
        assert one.title in said
    assert said.count("```sql\n") == 2  # the table's, and the writer's
    assert said.count("```") == 4


def test_the_first_table_not_of_limits_is_shown():
    tables = [TextTable(caption=name, head=(name, "b"), rows=(("x", "y"),)) for name in (LIMITS_HEAD, "First", "Next")]
    sections = [Section(title="One", blocks=(tables[0], "words")), Section(title="Two", blocks=tuple(tables[1:]))]
    said = sections_comment("headline", [Judged(text="it", holds=True)], sections, "")
    before = said.split("<details>")[0]
    assert "| First |" in before.replace("  ", " ")
    assert "Next" not in before
    assert LIMITS_HEAD not in before
    code = sections_comment("h", [], [Section(title="C", blocks=(Statements(language="SQL", lines=("a", "b")),))], "")
    assert "```sql\na\nb\n```" in code
