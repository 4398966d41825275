from support.paths import ROOT

from wasim.report.pages.glossary import render_glossary


def test_the_glossary_of_the_documents_is_that_of_the_reports() -> None:
    assert (ROOT / "docs" / "glossary.md").read_text() == render_glossary()
