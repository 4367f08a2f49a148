"""Places in code, in words: ``cell 3, line 2``, ``model.py, line 7``."""

from __future__ import annotations

import os
import sys


def cell_of(filename: str) -> int | None:
    """The execution count of the notebook cell compiled as ``filename``, or None."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    counts = getattr(getattr(shell, "compile", None), "_filename_map", None)
    count = counts.get(filename) if counts else None
    return count if isinstance(count, int) else None


def file_in_words(cell: int | None, file: str | None) -> str:
    """Return a file's name for people: ``cell 3`` in a notebook."""
    return f"cell {cell}" if cell is not None else file or ""


def place_in_words(cell: int | None, file: str | None, line: int) -> str:
    """A place in words; of a file its name without the folder."""
    return f"{os.path.basename(file_in_words(cell, file))}, line {line}"
