"""Pages, sentences that are printed, names and docstrings use the nouns of docs/glossary.md, not a dialect."""

import re
from pathlib import Path

import pytest
from support.paths import ROOT

DIALECT = re.compile(
    r"\b(leap(s|t|ing)?|alike|weigh(s|ed|ing)?|honou?r(s|ed)?|held against|comes round|told|dues|hangs? on|dearer"
    r"|spares|oftener|beside|those of|passed over)\b",
    flags=re.IGNORECASE,
)
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "wasim").rglob("*.jinja"),
]
MODULES = sorted([*(ROOT / "wasim").rglob("*.py"), *(ROOT / "tools").rglob("*.py")])


def flowing(text: str) -> str:
    """The text in one line: a sentence may go on in the next line, comment or literal."""
    joined = re.sub(r"\"\s*\n\s*[fr]?\"", "", text)
    return " ".join(re.sub(r"\n\s*#", "\n", joined).split())


@pytest.mark.parametrize(("files", "least"), [(PAGES, 100_000), (MODULES, 1_500_000)], ids=["pages", "code"])
def test_pages_and_code_speak_no_dialect(files: list[Path], least: int) -> None:
    texts = {file: flowing(file.read_text()) for file in files}
    assert sum(map(len, texts.values())) > least
    found = (
        (file, text[one.start() - 40 : one.end() + 40])
        for file, text in texts.items()
        for one in DIALECT.finditer(text)
    )
    assert [f"{file.name}: … {said} …" for file, said in found] == []


def test_a_sentence_is_read_across_lines() -> None:
    assert DIALECT.search(flowing('f"what those "\n    f"of others take"'))
    assert DIALECT.search(flowing("# what those\n# of others take"))


def test_names_of_tests_have_ten_words_at_most() -> None:
    texts = [path.read_text() for path in sorted((ROOT / "tests").rglob("test_*.py"))]
    names = [name for text in texts for name in re.findall(r"^def test_(\w+)", text, flags=re.MULTILINE)]
    assert len(names) > 1_000
    assert [name for name in names if len(name.split("_")) > 10] == []
