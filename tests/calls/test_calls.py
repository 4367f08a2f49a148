"""Calls, right and wrong, one a line of the texts beside: each shows the same on both engines.

Lines that begin with ``|`` prepare what the calls use, those with ``#`` are titles. What stands
before the last semicolon of a line runs first.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compare_engines import compare, source

REPORTED = """
def saved(out):
    node = getattr(out, "grad_fn", None)
    names = [name for name in dir(node) if name.startswith("_saved_")]
    return {name: attempt(lambda: getattr(node, name)) for name in names}
def reported(out):
    parts = out if isinstance(out, (tuple, list)) else (out,)
    return [type(out).__name__, parts, [saved(part) for part in parts]]
"""


@pytest.mark.parametrize("path", sorted(Path(__file__).parent.glob("*.txt")), ids=lambda p: p.stem)
def test_each_call_shows_the_same(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    setup = "\n".join(line[2:] for line in lines if line.startswith("|"))
    wrong = {}
    for line in lines:
        if line and line[0] not in "|#":
            before, _, call = line.rpartition("; ")
            text = f"{REPORTED}{setup}\n{before}\nresult = attempt(lambda: reported(({call})))"
            if found := compare(source(text)):
                wrong[line] = found[:3]
    assert wrong == {}, "\n".join(f"{line}: {found}" for line, found in wrong.items())
