"""Writes ``graphwidget/pytorch_names.txt``, the public names of PyTorch's modules.

``python -m tests.structure.pytorch_names`` writes it anew. Listed are the modules whose path
graphwidget has too, and the methods of Tensor.
"""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import warnings
from types import ModuleType

import torch

import graphwidget
from graphwidget.absent import ANSWERS
from tests.structure.tree import PACKAGE

PATH = PACKAGE / "pytorch_names.txt"


def module_names(module: ModuleType) -> set[str]:
    """The names that a module of PyTorch's offers, submodules included."""
    offered = getattr(module, "__all__", None)
    if offered is None:
        offered = [
            name
            for name, value in vars(module).items()
            if callable(value)
            and (getattr(value, "__module__", None) or "torch").startswith("torch")
        ]
    names = {name for name in offered if not name.startswith("_")}
    if hasattr(module, "__path__"):
        names |= {part.name for part in pkgutil.iter_modules(module.__path__)}
    return {name for name in names if not name.startswith("__")}


def listed() -> str:
    """The text of the file."""
    lines = [f"torch.Tensor: {' '.join(n for n in dir(torch.Tensor) if not n.startswith('_'))}"]
    ours = pkgutil.walk_packages(graphwidget.__path__, "graphwidget.")
    parts = {*(part.name for part in ours), *(f"graphwidget.{name}" for name in ANSWERS)}
    for name in ["torch", *(part.replace("graphwidget", "torch", 1) for part in sorted(parts))]:
        with warnings.catch_warnings(), contextlib.suppress(ImportError, AttributeError):
            warnings.simplefilter("ignore")
            lines.append(f"{name}: {' '.join(sorted(module_names(importlib.import_module(name))))}")
    return "\n".join(sorted(lines)) + "\n"


if __name__ == "__main__":
    PATH.write_text(listed(), "ascii")
