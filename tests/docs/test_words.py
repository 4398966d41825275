"""Pages and printed sentences use the nouns of docs/glossary.md, not a dialect of their own."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from support.paths import ROOT
from support.source import nodes_of

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
MODULES = sorted((ROOT / "wasim").rglob("*.py"))


def strings(module: Path) -> Iterator[tuple[int, str]]:
    """Line and text of each string that is no docstring."""
    bare = {id(node.value) for node in nodes_of(module) if isinstance(node, ast.Expr)}
    for node in nodes_of(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node.lineno, node.value


def test_pages_speak_no_dialect() -> None:
    lines = [(page, line) for page in PAGES for line in page.read_text().splitlines()]
    assert len(lines) > 2_000
    assert [f"{page.name}: {line}" for page, line in lines if DIALECT.search(line)] == []


def test_printed_sentences_speak_no_dialect() -> None:
    found = [(module, *one) for module in MODULES for one in strings(module)]
    assert len(found) > 5_000
    assert [f"{module.name}:{line}: {text}" for module, line, text in found if DIALECT.search(text)] == []


def test_names_of_tests_have_ten_words_at_most() -> None:
    texts = [path.read_text() for path in sorted((ROOT / "tests").rglob("test_*.py"))]
    names = [name for text in texts for name in re.findall(r"^def test_(\w+)", text, flags=re.MULTILINE)]
    assert len(names) > 1_000
    assert [name for name in names if len(name.split("_")) > 10] == []
