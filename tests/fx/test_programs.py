"""Programs with ``torch.fx`` on both engines: graphs, code, tables, results and error texts."""

from __future__ import annotations

import contextlib
import difflib
import io
import re
import sys
import warnings
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
import torch.fx

import graphwidget
import graphwidget.fx
from tests.compare_engines import attempt, close, is_tensor, programs

PROGRAMS = programs(Path(__file__).with_name("programs.txt").read_text())
CHANGING = [
    (r"0x[0-9a-f]+", "0x"),
    (r"<function (boolean_dispatch.<locals>.fn|max_pool2d) at", "<function max_pool2d at"),
    (r"<eval_with_key>\.\w+( from <program>:\d+ in [<>\w]+)?", "<generated>"),
]
"""Texts that differ from run to run, and a function of PyTorch's named by its decorator."""


def settled(text: str) -> str:
    for pattern, put in CHANGING:
        text = re.sub(pattern, put, text)
    return text


def plain(value: Any) -> Any:
    """A value as text, numbers as arrays."""
    if is_tensor(value):
        return str(value.dtype), np.array(value.detach().numpy())
    if isinstance(value, dict):
        return {settled(str(key)): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return settled(str(value))


def tables() -> ModuleType:
    """A library in place of tabulate, which draws a plainer table."""
    module: Any = ModuleType("tabulate")
    module.__spec__ = ModuleSpec("tabulate", None)
    module.tabulate = lambda rows, headers: "\n".join(
        " | ".join(map(str, row)) for row in [headers, *rows]
    )
    return module  # type: ignore[no-any-return]


class Program:
    """One run of a program: what it said, printed and warned."""

    def __init__(self, engine: Any, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.engine, self.reported = engine, []
        monkeypatch.setitem(sys.modules, "tabulate", tables())
        monkeypatch.setitem(sys.modules, "program", ModuleType("program"))
        names = {
            "__name__": "program", "torch": engine, "fx": engine.fx, "attempt": attempt,
            "symbolic_trace": engine.fx.symbolic_trace, "said": self.said, "show": self.show,
        }  # fmt: skip
        engine.manual_seed(0)
        out, err = io.StringIO(), io.StringIO()
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            warnings.catch_warnings(record=True) as caught,
        ):
            warnings.simplefilter("always")
            exec(compile(body, "<program>", "exec"), names)
        around = re.findall(r"(?s)Call using .*?(?=Traceback|$)", err.getvalue())
        self.said(out.getvalue(), around, [str(each.message) for each in caught])

    reported: list[Any]

    def said(self, *values: Any) -> None:
        self.reported += map(plain, values)

    def show(self, module: Any, *args: Any) -> None:
        self.said(module.graph, module.code, module, type(module).__name__)
        module.graph.print_tabular()
        module.graph.lint()
        if args:
            self.said(attempt(lambda: module(*args)))
            self.said(attempt(lambda: self.engine.fx.Interpreter(module).run(*args)))


def differences(ours: Any, theirs: Any, path: str = "") -> list[str]:
    """Return where what two runs said differs."""
    if isinstance(ours, np.ndarray) and isinstance(theirs, np.ndarray):
        same = ours.shape == theirs.shape and close(ours, theirs, 1e-5)
        return [] if same else [f"{path}: ours {ours} theirs {theirs}"]
    if isinstance(ours, dict) and isinstance(theirs, dict) and list(ours) == list(theirs):
        return [
            line for key in ours for line in differences(ours[key], theirs[key], f"{path}.{key}")
        ]
    if isinstance(ours, (list, tuple)) and isinstance(theirs, (list, tuple)):
        found = [] if len(ours) == len(theirs) else [f"{path}: {len(ours)} and {len(theirs)}"]
        for place, (mine, other) in enumerate(zip(ours, theirs, strict=False)):
            found += differences(mine, other, f"{path}[{place}]")
        return found
    lines = difflib.unified_diff(
        str(theirs).split("\n"), str(ours).split("\n"), f"theirs {path}", "ours", n=0, lineterm=""
    )
    return [] if ours == theirs else [*lines]


@pytest.mark.parametrize(("title", "body"), PROGRAMS, ids=[title for title, _ in PROGRAMS])
def test_program(title: str, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = Program(torch, body, monkeypatch)
    ours = Program(graphwidget, body, monkeypatch)
    assert ours.reported, "the program says nothing"
    found = differences(ours.reported, theirs.reported)
    assert not found, "\n".join(found)
