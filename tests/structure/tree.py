"""The project's own files, for tests about them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "graphwidget"
BUILT = {
    *("node_modules", "dist", "build", "__pycache__", ".git", ".venv", ".ipynb_checkpoints"),
    *(".mypy_cache", ".pytest_cache", ".ruff_cache"),
}


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text("utf-8"))


def files(*suffixes: str, under: Path = ROOT) -> Iterator[Path]:
    """Every file of the project with one of these suffixes (any, if none), nothing built."""
    for path in sorted(under.iterdir()):
        if path.name in BUILT or path.name.endswith(".egg-info"):
            continue
        if path.is_dir():
            yield from files(*suffixes, under=path)
        elif not suffixes or path.suffix in suffixes:
            yield path
