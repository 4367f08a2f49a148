"""Programs in the style of PyTorch's tutorials: only the import differs, and the output is equal.

Each program in `programs/` is run on both engines, here with PyTorch's module and ours bound to
the names that its imports would bind, and once more in a process of its own under `as_torch()`.
Numbers are printed with as many digits as float32 results of both engines share.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import io
import subprocess
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

import graphwidget

PROGRAMS = Path(__file__).parent / "programs"
ROOT = Path(__file__).parents[2]


def printed(path: Path, engine: ModuleType, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what a program prints when `torch` is this engine."""
    real = builtins.__import__

    def imports(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (),
                level: int = 0) -> Any:  # fmt: skip
        head, dot, rest = name.partition(".")
        if head != "torch" or engine is torch or (globals or {}).get("__name__") != "__program__":
            return real(name, globals, locals, fromlist, level)
        found = importlib.import_module(f"{engine.__name__}{dot}{rest}")
        return found if fromlist else engine

    out = io.StringIO()
    with monkeypatch.context() as patch, contextlib.redirect_stdout(out):
        patch.setattr(builtins, "__import__", imports)
        code = compile(path.read_text(), str(path), "exec")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(code, {"__name__": "__program__"})
    return out.getvalue()


@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.py")), ids=lambda path: path.stem)
def test_prints_the_same(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = printed(path, torch, monkeypatch)
    ours = printed(path, graphwidget, monkeypatch)
    assert ours == theirs


def test_with_only_the_import_changed() -> None:
    """All programs in one process where torch is graphwidget."""
    code = (
        "import graphwidget, runpy, sys\n"
        "graphwidget.as_torch()\n"
        "for path in sys.argv[1:]:\n"
        "    runpy.run_path(path)\n"
        "import torch\n"
        "assert torch is graphwidget\n"
    )
    paths = [str(path) for path in sorted(PROGRAMS.glob("*.py"))]
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *paths],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert "tensor(" in result.stdout
