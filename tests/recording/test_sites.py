"""Place of a call and the names its result is bound to, read off the bytecode after it."""

from __future__ import annotations

import linecache
import sys
from typing import Any

import pytest

from graphwidget.recording.sites import Sites

SITES = Sites()


class Probe:
    """Records the names that each call of ``f`` is about to be given."""

    def __init__(self) -> None:
        self.found: list[tuple[str, ...]] = []
        self.lines: list[int] = []

    def f(self, *_args: Any) -> Any:
        return self.note(())

    def pair(self, *_args: Any) -> tuple[Any, Any]:
        """Notes what becomes of the second of two results."""
        self.note((1,))
        return self, self

    def note(self, path: tuple[int, ...]) -> Any:
        frame = sys._getframe(2)
        names, *_end = SITES.names(frame, path)
        self.found.append(tuple(f"{scope}:{name}" if scope else name for scope, name in names))
        self.lines.append(SITES.at(frame.f_code, frame.f_lasti).line)
        return self

    def __add__(self, _other: Any) -> Any:
        frame = sys._getframe(1)
        names, *_end = SITES.names(frame)
        self.found.append(tuple(f"{scope}:{name}" if scope else name for scope, name in names))
        return self

    __iadd__ = __neg__ = __getitem__ = __add__  # type: ignore[assignment]


def run(source: str) -> Probe:
    probe = Probe()

    class Thing:
        pass

    exec(compile(source, "<probe>", "exec"), {"f": probe.f, "pair": probe.pair, "p": probe,
                                              "o": Thing()})  # fmt: skip
    return probe


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("a = f()", [("a",)]),
        ("f()", [()]),
        ("a = b = f()", [("a", "b")]),
        ("if (a := f()): pass", [("a",)]),
        ("a, b = f(), f(f())", [("a",), (), ("b",)]),
        ("_, a = pair()", [("a",)]),
        ("[_, a] = pair()", [("a",)]),
        ("a = pair()[1]", [("a",)]),
        ("a = pair()[0]", [()]),
        ("n = 1\na = pair()[n]", [()]),
        ("(a, (_, b)) = f(), pair()", [("a",), ("b",)]),
        ("a = p + 1", [("a",)]),
        ("a = p; a += 1", [("a",)]),
        ("a = f() + 1", [(), ("a",)]),
        ("a = [f(), f()]", [(), ()]),
        ("o.w = f()", [("o.w",)]),
        ("o.x = o\no.x.w = f()", [("o.x.w",)]),
        ("a: int = f()", [("a",)]),
        ("for a in range(2): b = f()", [("b",), ("b",)]),
        ("a = f() if p else 0", [("a",)]),
        ("with open(__import__('os').devnull): a = f()", [("a",)]),
        ("def g():\n    a = f()\n    return 1\nb = g()", [("g:a",)]),
        ("def g():\n    return f()\nb = g()", [("b",)]),
        ("def g():\n    return f(), f()\na, b = g()", [("a",), ("b",)]),
        ("def g():\n    def h(): return f()\n    a = h()\ng()", [("g:a",)]),
        ("def g():\n    global a\n    a = f()\ng()", [("a",)]),
        ("def g():\n    try: return f()\n    finally: pass\na = g()", [("a",)]),
        ("g = lambda: f()\na = g()", [("a",)]),
        (
            "class A:\n    def __init__(self): self.w = f()\nA()",
            [("run.<locals>.A.__init__:self.w",)],
        ),
        ("a = [f() for _ in range(2)]", [(), ()]),
        ("print(f(), file=open(__import__('os').devnull, 'w'))", [()]),
    ],
)
def test_names(source: str, names: list[tuple[str, ...]]) -> None:
    found = run(source).found
    assert [tuple(n.replace("run.<locals>.", "") for n in each) for each in found] == [
        tuple(n.replace("run.<locals>.", "") for n in each) for each in names
    ]


def test_a_call_over_several_lines_stands_on_its_own_line() -> None:
    assert run("a = (\n  f(\n    1\n  )\n)").lines == [2]


def test_the_text_of_the_line() -> None:
    source = "x = 1\n   \na = f()  # why\n"
    linecache.cache["<probe>"] = (len(source), None, source.splitlines(True), "<probe>")
    probe = Probe()
    sites = Sites()
    texts = []

    def f() -> None:
        frame = sys._getframe(1)
        site = sites.at(frame.f_code, frame.f_lasti)
        texts.append((site.line, site.text, site.file, site.cell, site.function))

    exec(compile(source, "<probe>", "exec"), {"f": f, "p": probe})
    assert texts == [(3, "a = f()  # why", "<probe>", None, "")]
