"""Imports go one way only, to rooms named earlier in the list, and nowhere in a circle.

Imports inside functions, under ``TYPE_CHECKING`` and in stubs count like all others.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from tests.structure.tree import PACKAGE, files, parsed

ROOMS = """
    absent                   | names of PyTorch's that are not part of the package
    recording                | what happened, as a list of events; needs nothing but numpy

    arrays                   | numpy arrays typed and laid out as PyTorch's memory
    optable/out              | what ``out=`` may be
    optable/declare          | what a declaration says
    optable/derivative_text  | ... and how it reads
    optable/pointwise        | every op, declared once, by family
    optable/shape
    optable/reduction
    optable/special
    optable/linalg
    optable/layers
    optable
    static                   | define and run: a graph first, of the same ops; no part of the engine
    graph                    | what is remembered: Tensor, Node, versions, views
    eager                    | how a call computes and is recorded
    autograd                 | how the graph is walked back

    adapters                 | live objects become events; the product needs only what is above
    exporters                | Graphviz, HTML
    widget                   | events to the page, its commands back
    ipython                  | magics, cells
    __main__  pytest_plugin  | scripts and tests, watched

    dispatch                 | between the user's call and the op
    functions/dims           | the functions and methods that users call, by family
    functions/shape
    functions/memory
    functions/creation
    functions/random
    functions/reduction
    functions/pointwise
    functions/indexing
    functions/linalg
    functions/statistics
    functions/tensor
    functions
    return_types  functional  linalg  special  random  types

    amp                      | what PyTorch's users import, by its path
    nn
    serialization
    optim
    distributions
    func
    tracing                  | functions of the engine, recorded as graphs of the static half
    utils
    testing
    onnx                     | programs as files that other runtimes read, and back
    fx                       | programs recorded, changed and compiled as graphs
    tutorial                 | the course: answers to its questions; needs nothing
    as_torch
"""
"""The rooms of the package, the lowest first: each file imports only from its own room and from
those that stand above it in this list. Rooms on one line do not import each other."""

PRODUCT = {
    *("recording", "adapters", "exporters", "widget", "ipython", "__main__", "pytest_plugin"),
}
HEART = {"absent", "arrays", "optable", "static", "graph", "eager", "autograd"}
APART = {"recording", "graph", "eager", "autograd", "dispatch", "functions", "nn"}
"""Rooms that static graphs neither import nor are imported by."""
ENGINE = HEART | {"dispatch", "functions"}


def rooms() -> dict[str, int]:
    """The place of each room in the list."""
    lines = filter(None, map(str.strip, ROOMS.splitlines()))
    return {
        name: place for place, line in enumerate(lines) for name in line.partition("|")[0].split()
    }


HEIGHTS = rooms()
PARTS = {name.partition("/")[0] for name in HEIGHTS}


def room(path: Path) -> str:
    """The room of a file: the longest name in the list that its own begins with."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    names = ["/".join(parts[:end]) for end in range(len(parts), 0, -1)]
    return next((name for name in names if name in HEIGHTS), names[-1] if names else "")


def part(path: Path) -> str:
    return room(path).partition("/")[0]


def modules() -> dict[str, Path]:
    """All files of the package, by dotted name; a stub alone counts as its module."""
    found = {}
    for path in files(".pyi", ".py", under=PACKAGE):
        parts = ("graphwidget", *path.relative_to(PACKAGE).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


@cache
def imported(path: Path) -> list[tuple[int, str]]:
    """Line and dotted name of each import of a file, relative ones made absolute: of a module where
    one is imported, else of the module that has the name."""
    found = []
    package = ["graphwidget", *path.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*start, *([node.module] if node.module else [])])
            for alias in node.names:
                name = f"{source}.{alias.name}"
                found.append((node.lineno, name if name in MODULES else source))
    return found


def edges() -> Iterator[tuple[Path, int, Path]]:
    """Yield which file of the package imports which, and where; a module's stub stands for it."""
    for path in files(".pyi", ".py", under=PACKAGE):
        module = path.with_suffix(".py") if path.with_suffix(".py").exists() else path
        for line, name in imported(path):
            if name in MODULES and MODULES[name] != module:
                yield module, line, MODULES[name]


EDGES = [edge for edge in edges() if edge[0] != PACKAGE / "__init__.py"]
"""The face of the whole may import every part."""


def reported(path: Path, line: int, other: Path) -> str:
    return f"{path.relative_to(PACKAGE)}:{line} imports {other.relative_to(PACKAGE)}"


def test_every_file_is_in_a_room() -> None:
    homeless = {room(path) for path in MODULES.values()} - HEIGHTS.keys() - {""}
    assert homeless == set()
    assert {room(path) for path in MODULES.values()} >= HEIGHTS.keys() - {"functions"}


def test_rooms_import_those_below() -> None:
    assert [
        reported(path, line, other)
        for path, line, other in EDGES
        if room(path) != room(other) and not HEIGHTS[room(other)] < HEIGHTS[room(path)]
    ] == []


def test_no_files_import_each_other_in_a_circle() -> None:
    # A package's __init__ names what is in it; no file in it needs that in turn.
    graph: dict[str, set[str]] = {}
    for path, _, other in EDGES:
        if "__init__.py" not in (path.name, other.name):
            graph.setdefault(str(path), set()).add(str(other))
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError("\n".join(error.args[1])) from None


def test_the_product_needs_only_the_heart() -> None:
    assert [
        reported(path, line, other)
        for path, line, other in EDGES
        if part(path) in PRODUCT and part(other) not in PRODUCT | HEART
    ] == []


def test_the_static_half_stands_apart() -> None:
    assert [
        reported(path, line, other)
        for path, line, other in EDGES
        if (room(path) == "static" and part(other) in APART)
        or (part(path) in APART and part(other) == "static")
    ] == []


def test_nothing_imports_the_whole() -> None:
    # It is known only when all of it is there; ipython and the like are loaded after that.
    assert [
        f"{path.relative_to(PACKAGE)}:{line}"
        for path in MODULES.values()
        for line, name in imported(path)
        if name == "graphwidget"
    ] == []


def test_the_engine_needs_numpy_only() -> None:
    allowed = {"graphwidget", "numpy", *sys.stdlib_module_names}
    free = {"exporters", "widget", "ipython", "pytest_plugin"}
    assert [
        f"{path.relative_to(PACKAGE)}:{line} imports {name}"
        for path in MODULES.values()
        if part(path) not in free
        for line, name in imported(path)
        if name.split(".")[0] not in allowed
        and not (name.split(".")[0] == "torch" and "adapters/pytorch" in path.as_posix())
    ] == []


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


MOST_MODULES = 150
"""Each file costs an import of the package a millisecond or two."""


def test_import_graphwidget_loads_few_modules() -> None:
    code = """
import sys
import numpy
before = set(sys.modules)
import graphwidget
print(len(set(sys.modules) - before))
"""
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=PACKAGE.parent, capture_output=True, text=True, check=True
    )
    assert int(result.stdout) <= MOST_MODULES


LAYERS = """
import sys
import graphwidget
from graphwidget.dispatch.offer import FUNCTIONS
before = set(FUNCTIONS)
assert "graphwidget.nn" not in sys.modules
assert set(graphwidget.__all__) <= set(dir(graphwidget))
import graphwidget.nn
later = set(FUNCTIONS) - before
assert later == set(graphwidget._OF_LAYERS), later ^ set(graphwidget._OF_LAYERS)
assert all(getattr(graphwidget, name) is FUNCTIONS[name] for name in later)
"""


def test_layers_load_when_they_are_first_used() -> None:
    """... and the package names the functions of its own that come with them."""
    subprocess.run([sys.executable, "-c", LAYERS], cwd=PACKAGE.parent, check=True)


NESTED = """
import sys
import numpy

deepest = [0, ""]

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        frame, chain = sys._getframe(), []
        while frame is not None:
            module = frame.f_globals.get("__name__", "")
            if frame.f_code.co_name == "<module>" and module.startswith("graphwidget"):
                chain.append(module)
            frame = frame.f_back
        if len(chain) > deepest[0]:
            deepest[:] = len(chain), " <- ".join([name, *chain])

sys.meta_path.insert(0, Finder)
import graphwidget
for name in graphwidget.__all__:
    if name not in ("GraphWidget", "watch"):
        getattr(graphwidget, name)
print(*deepest)
"""


def test_imports_nest_little() -> None:
    """Each file whose import waits for another's lies on the stack. That of V8, where Python runs
    in a browser, overflowed at 140 of them (Pyodide 0.28 in Node 20); 120 ran, but notebooks and
    the programs in them stand on the same stack. So the rooms are imported from the bottom up."""
    result = subprocess.run(
        [sys.executable, "-c", NESTED],
        cwd=PACKAGE.parent, capture_output=True, text=True, check=True,
    )  # fmt: skip
    depth, _, chain = result.stdout.partition(" ")
    assert int(depth) <= 10, chain
