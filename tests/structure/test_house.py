"""House rules: short files and functions, no trace of anyone's machine."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path

from tests.structure.tree import PACKAGE, ROOT, files, parsed

# "About" 400 lines and 60 lines: a fifth more is where about ends.
FILE_LINES, FUNCTION_LINES = 480, 70
SOURCE = (".py", ".ts", ".tsx", ".mjs", ".js")
# A path of one machine (people's homes and the like) or the host of a package registry.
PRIVATE = re.compile(
    r"(?<![\w.])/(?:home|Users|root|work|opt|mnt)/\w|registry\.[a-z]+js\.|/simple/"
)


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def written(*endings: str) -> dict[Path, str]:
    """The files that are written by hand, with their texts: the first line of others says so."""
    texts = {path: path.read_text() for path in files(*endings)}
    return {
        path: text for path, text in texts.items() if "do not edit" not in text.partition("\n")[0]
    }


def test_files_are_short() -> None:
    lengths = {relative(path): text.count("\n") for path, text in written(*SOURCE).items()}
    assert {name: length for name, length in lengths.items() if length > FILE_LINES} == {}


def test_functions_are_short() -> None:
    long = {}
    for path in written(".py"):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > FUNCTION_LINES:
                    long[f"{relative(path)}:{node.name}"] = lines
    assert long == {}


def test_no_empty_lines_are_left_over() -> None:
    texts = written(*SOURCE).items()
    assert [
        relative(path) for path, text in texts if "\n\n\n\n" in text or text.endswith("\n\n")
    ] == []


def test_no_machine_is_named() -> None:
    found = []
    for path in files():
        if path == Path(__file__):
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:  # a picture
            continue
        lines = enumerate(text.splitlines(), start=1)
        found += [f"{relative(path)}:{n}: {line[:80]}" for n, line in lines if PRIVATE.search(line)]
    assert found == []


TOP_LEVEL = {
    "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "README.zh.md",
    "graphwidget", "hatch_build.py", "js", "notebooks", "pyproject.toml", "tests",
}  # fmt: skip
BUILT = {"build", "dist", "__pycache__"}
"""What commands of the Makefile leave at the top, beside files that begin with a dot."""


def test_the_top_level_holds_what_it_should() -> None:
    names = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert names - BUILT == TOP_LEVEL


def test_the_lock_file_names_no_host() -> None:
    lock = json.loads((ROOT / "js" / "package-lock.json").read_text())
    assert [name for name, entry in lock["packages"].items() if "resolved" in entry] == []


def test_public_things_have_docstrings() -> None:
    bare = []
    for path in files(".py", under=PACKAGE):
        tree = parsed(path)
        for node in (tree, *tree.body):
            if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                continue
            name = getattr(node, "name", "the module")
            if not name.startswith("_") and ast.get_docstring(node) is None:
                bare.append(f"{relative(path)}: {name}")
    assert bare == []


def test_modules_say_in_one_line_what_they_hold() -> None:
    docs = {
        relative(path): ast.get_docstring(parsed(path)) or ""
        for path in files(".py", under=PACKAGE)
    }
    assert [path for path, doc in docs.items() if not doc.partition("\n")[0].endswith(".")] == []
