"""Pages, sentences that are printed, names and docstrings use the nouns of docs/glossary.md, not a dialect."""

import re
from pathlib import Path

import pytest
from support.paths import ROOT

DIALECT = re.compile(
    r"\b(leap(s|t|ing)?|alike|weigh(s|ed|ing)?|honou?r(s|ed)?|held against|comes round|told|dues|hangs? on|dearer"
    r"|oftener|beside|those of|passed over)\b",
    flags=re.IGNORECASE,
)
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "wasim").rglob("*.jinja"),
]
MODULES = sorted([*(ROOT / "wasim").rglob("*.py"), *(ROOT / "tools").rglob("*.py")])


@pytest.mark.parametrize(("files", "least"), [(PAGES, 2_000), (MODULES, 50_000)], ids=["pages", "code"])
def test_pages_and_code_speak_no_dialect(files: list[Path], least: int) -> None:
    lines = [(file, line) for file in files for line in file.read_text().splitlines()]
    assert len(lines) > least
    assert [f"{file.name}: {line}" for file, line in lines if DIALECT.search(line)] == []


def test_names_of_tests_have_ten_words_at_most() -> None:
    texts = [path.read_text() for path in sorted((ROOT / "tests").rglob("test_*.py"))]
    names = [name for text in texts for name in re.findall(r"^def test_(\w+)", text, flags=re.MULTILINE)]
    assert len(names) > 1_000
    assert [name for name in names if len(name.split("_")) > 10] == []
