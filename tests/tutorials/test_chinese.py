"""The Chinese notebooks have the cells of the English ones, which run: the same code but for its
comments, and the same outputs stored. Only ``check`` is another one: it answers in Chinese."""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

import nbformat
import pytest

from graphwidget.tutorial import check, zh
from graphwidget.tutorial.texts import en
from graphwidget.tutorial.texts import zh as chinese

FOLDER = Path(__file__).parents[2] / "notebooks"
CHINESE = [FOLDER / "zh" / path.name for path in sorted(FOLDER.glob("*.ipynb"))]
FIELD, LINK = re.compile(r"{\w*}"), re.compile(r"\]\(([^):#]+)")


def bare(source: str) -> list[str]:
    """Return the tokens of a cell without comments; magics are such, too."""
    text = "\n".join(f"# {line}" if line[:1] in "%!" else line for line in source.splitlines())
    left_out = tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type not in left_out]


def shown(cell: nbformat.NotebookNode) -> tuple[str, list[str]]:
    """Return what a cell printed, and the errors that it raised."""
    printed = "".join(output.text for output in cell.outputs if output.output_type == "stream")
    errors = [f"{x.ename}: {x.evalue}" for x in cell.outputs if x.output_type == "error"]
    return printed.replace(chinese.TEXTS["empty"], en.TEXTS["empty"]), errors


@pytest.mark.parametrize("path", CHINESE, ids=lambda path: path.stem)
def test_code_and_outputs_are_the_english_ones(path: Path) -> None:
    ours, english = (nbformat.read(file, 4).cells for file in (path, FOLDER / path.name))
    assert [cell.cell_type for cell in ours] == [cell.cell_type for cell in english]
    pairs = [pair for pair in zip(ours, english, strict=True) if pair[0].cell_type == "code"]
    english_check = "graphwidget.tutorial.zh", "graphwidget.tutorial"
    sources = [(one.source.replace(*english_check), other.source) for one, other in pairs]
    assert [one for one, other in sources if bare(one) != bare(other)] == []
    assert "from graphwidget.tutorial.zh import check\n" in "".join(one.source for one in ours)
    assert [cell.metadata for cell in ours] == [cell.metadata for cell in english]
    apart = [(shown(one), shown(other)) for one, other in pairs if shown(one) != shown(other)]
    assert apart == []


@pytest.mark.parametrize("path", CHINESE, ids=lambda path: path.stem)
def test_links_lead_where_the_english_ones_do(path: Path) -> None:
    ours, english = (
        [set(LINK.findall(cell.source))
         for cell in nbformat.read(file, 4).cells if cell.cell_type == "markdown"]
        for file in (path, FOLDER / path.name)
    )  # fmt: skip
    assert [{link.removeprefix("../") for link in links} for links in ours] == english
    assert [link for links in ours for link in links if not (path.parent / link).exists()] == []


def test_all_languages_have_all_sentences() -> None:
    fields = [{key: set(FIELD.findall(text)) for key, text in table.items()}
              for table in (en.TEXTS, chinese.TEXTS)]  # fmt: skip
    assert fields[0] == fields[1]


@pytest.mark.parametrize(("name", "right"), [
    ("zh_CN.UTF-8", "✓ 对了。\n"), ("zh", "✓ 对了。\n"), ("de_DE.UTF-8", "✓ Right.\n"),
])  # fmt: skip
def test_language_of_the_reader(
    name: str, right: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LC_ALL", name)
    check("04.1", -24)
    zh.check("04.1", -24)
    assert capsys.readouterr().out == right + "✓ 对了。\n"
