"""Imports go downward only, and `import graphwidget` stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.structure.tree import PACKAGE, files

# What each part may import of the others: only what lies below it. `graphwidget` itself is the
# face of the whole and may import every part; nobody imports it.
BELOW: dict[str, set[str]] = {
    "optable": set(),
    "core": {"optable"},
    "static": {"optable"},
    "autograd": {"core", "optable"},
    "amp": {"core", "optable"},
    "cuda": {"amp", "core"},
    "func": {"nn", "core", "optable"},
    "linalg": {"core"},
    "special": {"core"},
    "nn": {"core", "optable"},
    "optim": {"nn", "core", "optable"},
    **{name: set() for name in ("accelerator", "backends", "cpu", "mps", "version", "xpu")},
    "standin": {"distributions"},
    "distributions": {"nn", "core", "optable"},
    "testing": {"core", "optable"},
    "random": {"core", "optable"},
    "__config__": set(),
    "__future__": {"nn"},
    "overrides": {"nn", "core"},
    "_C": {"core"},
    "compiler": {"core"},
    "distributed": set(),
    "functional": {"core"},
    "jit": {"nn", "core"},
    "profiler": {"autograd"},
    "signal": {"core"},
    "storage": {"core"},
    "return_types": {"core"},
    "types": {"core"},
    "serialization": {"nn", "core", "optable"},
    "utils": {"nn", "core", "optable"},
    "recording": set(),
    "adapters": {"recording", "nn", "core", "static", "optable"},
    "exporters": {"adapters", "recording", "nn", "core", "static", "optable"},
    "widget": {"exporters", "adapters", "recording", "nn", "core", "static", "optable"},
    "ipython": {
        "widget",
        "exporters",
        "adapters",
        "recording",
        "nn",
        "autograd",
        "core",
        "optable",
    },
}
NUMPY_ONLY = {
    *(
        "optable",
        "core",
        "static",
        "autograd",
        "func",
        "nn",
        "optim",
        "random",
        "return_types",
        "serialization",
        "utils",
    ),
    *("recording", "adapters"),
}


def part(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Line and dotted name of each import of a file, relative ones made absolute."""
    package = ["graphwidget", *path.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*start, *([node.module] if node.module else [])])
            # `from graphwidget import core` imports a part, `from .core import f` a name of one
            if source == "graphwidget":
                yield from ((node.lineno, f"graphwidget.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, source


def test_every_part_has_its_place() -> None:
    parts = {part(path) for path in files(".py", under=PACKAGE)} - {"__init__"}
    assert parts <= BELOW.keys()


def test_imports_go_downward() -> None:
    wrong = []
    for path in files(".py", under=PACKAGE):
        here = part(path)
        if here == "__init__":
            continue
        for line, name in imported(path):
            head, *rest = name.split(".")
            if head == "graphwidget" and (not rest or rest[0] not in BELOW[here] | {here}):
                wrong.append(f"{path.relative_to(PACKAGE)}:{line} imports {name}")
    assert wrong == []


def test_the_core_needs_numpy_only() -> None:
    allowed = {"graphwidget", "numpy", *sys.stdlib_module_names}
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line} imports {name}"
        for path in files(".py", under=PACKAGE)
        if part(path) in NUMPY_ONLY
        for line, name in imported(path)
        if name.split(".")[0] not in allowed
    ]
    assert wrong == []


def test_import_graphwidget_loads_numpy_and_nothing_else() -> None:
    code = """
import sys
before = set(sys.modules)
import graphwidget
new = {name.split(".")[0] for name in set(sys.modules) - before}
new = {name for name in new if "cython" not in name}  # numpy's
print(*sorted(new - set(sys.stdlib_module_names)))
"""
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=PACKAGE.parent, capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == ["graphwidget", "numpy"]
