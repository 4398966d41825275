from support.paths import ROOT

from wasim.report.pages.run_page import _words


def test_the_glossary_of_the_documents_is_that_of_the_reports() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text()
    assert text == (ROOT / "wasim" / "report" / "pages" / "templates" / "glossary.md").read_text()
    assert len(_words()) == text.count("\n**")
