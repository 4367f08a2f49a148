"""The Chinese notebooks have the cells of the English ones, which run: the same code but for its
comments, and the same outputs stored."""

from __future__ import annotations

import io
import tokenize
from pathlib import Path

import nbformat
import pytest

FOLDER = Path(__file__).parents[2] / "notebooks"
CHINESE = sorted((FOLDER / "zh").glob("*.ipynb"))


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
    return printed, errors


@pytest.mark.parametrize("path", CHINESE, ids=lambda path: path.stem)
def test_code_and_outputs_are_the_english_ones(path: Path) -> None:
    ours, english = (nbformat.read(file, 4).cells for file in (path, FOLDER / path.name))
    assert [cell.cell_type for cell in ours] == [cell.cell_type for cell in english]
    pairs = [pair for pair in zip(ours, english, strict=True) if pair[0].cell_type == "code"]
    wrong = [one.source for one, other in pairs if bare(one.source) != bare(other.source)]
    assert wrong == []
    apart = [(shown(one), shown(other)) for one, other in pairs if shown(one) != shown(other)]
    assert apart == []
