"""Objects that raise when they are looked at stand everywhere in a program: it runs as it would
alone, and the whole of it is recorded."""

from __future__ import annotations

import linecache
import subprocess
import sys
import weakref
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell

import graphwidget
from graphwidget.recording import looking

FILE = Path(__file__).with_name("hostile.txt")
PROGRAM = FILE.read_text()
LOOKS = {"__dict__", "key's repr"}
"""Accesses that are allowed: the place of stored attributes, and the text of a key."""
ENGINES = {"PyTorch": torch, "graphwidget": graphwidget}


def run(library: Any, watched: Any) -> tuple[dict[str, Any], Any]:
    code = compile(PROGRAM, str(FILE), "exec")
    space: dict[str, Any] = {"torch": library, "__name__": "__main__"}
    torch.manual_seed(0)
    graphwidget.manual_seed(0)
    with watched() as graph:
        exec(code, space)
        if hasattr(graph, "namespace"):
            graph.namespace = space
    return space, graph


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("watched", [graphwidget.watch, graphwidget.diagnose])
def test_a_program_of_objects_that_raise(engine: str, watched: Any, tmp_path: Path) -> None:
    linecache.checkcache()
    alone, _ = run(ENGINES[engine], nullcontext)
    space, graph = run(ENGINES[engine], watched)
    assert space["losses"] == alone["losses"]
    assert set(space["LOOKED"]) <= LOOKS
    if watched is graphwidget.watch:
        assert graph.adapter.faults == []
        model = graph.model
        assert len([each for each in model.runs.values() if each["status"] == "ok"]) == 3
        graph.to_html(tmp_path / "page.html")


@pytest.mark.parametrize("engine", ENGINES)
def test_cells_with_a_dead_proxy_are_drawn(engine: str, capsys: Any) -> None:
    shell = InteractiveShell.instance()
    try:
        shell.run_cell("%load_ext graphwidget")
        shell.user_ns["torch"] = ENGINES[engine]
        cells = [f"{PROGRAM}", "w = torch.ones(1, requires_grad=True); (w * 2).sum().backward()"]
        for cell in cells:
            capsys.readouterr()
            result = shell.run_cell(cell)
            output = capsys.readouterr()
            assert result.success
            assert "GraphWidget" in output.out
            assert "Error" not in output.out + output.err
    finally:
        shell.run_cell("%unload_ext graphwidget")
        InteractiveShell.clear_instance()


def test_a_script_is_recorded_to_its_end(tmp_path: Path) -> None:
    error = "class Bad(RuntimeError):\n    __str__ = add_note = raises('error')\nraise Bad\n"
    (tmp_path / "script.py").write_text(f"import torch\n{PROGRAM}{error}")
    command = [sys.executable, "-m", "graphwidget", "script.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert "Bad: <exception str() failed>" in done.stderr
    assert "internal error" not in done.stderr
    assert (tmp_path / "script.graph.html").exists()


def test_looks_run_no_code() -> None:
    space: dict[str, Any] = {"torch": torch}
    exec(PROGRAM.partition("class Net")[0], space)
    looked = space["LOOKED"]
    for name in ("hostile", "proxy", "odd", "listed", "mapped"):
        assert not looking.is_a(space[name], torch.Tensor)
        assert looking.attributes(space[name]) == {}
    assert set(looked) <= {"__dict__"}
    assert [key for key, _ in looking.items(space["listed"])] == [0, 1]
    assert [key for key, _ in looking.items(space["mapped"], 1)] == ["a"]
    assert list(looking.items(space["hostile"])) == []
    assert looking.text(space["hostile"]) == "<Hostile>"
    tensor = torch.ones(2)
    assert not looking.is_a(weakref.proxy(tensor), torch.Tensor)
    assert looking.is_a(torch.nn.Parameter(tensor), torch.Tensor)
