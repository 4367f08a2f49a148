"""Programs that are run while they are watched, statement by statement, and what the page says."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import linecache
import subprocess
import types
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

import graphwidget
from graphwidget.adapters.names import named
from graphwidget.recording.log import wire
from tests.optable.test_ops import data, flat, put
from tests.tutorials.test_course import for_engine, read, tags

JS = Path(__file__).parents[2] / "js"


@dataclass
class Look:
    """Variables after a statement: the time in the log, and by name what is said of
    tensors by the engine itself."""

    time: int
    tensors: dict[str, dict[str, Any]]
    others: set[str]
    """Variables that are no tensors."""


@dataclass
class Program:
    """A program as it was recorded."""

    text: str
    events: list[Any] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    error: str | None = None


def numbers(tensor: Any) -> Any:
    """The numbers of a tensor of either engine."""
    kind = complex if "complex" in str(tensor.dtype) else float
    return np.array(tensor.detach().tolist(), dtype=kind).reshape(tuple(tensor.shape))


def seen(tensor: Any) -> dict[str, Any]:
    """Return what the engine itself says of a tensor."""
    grad_fn = tensor.grad_fn
    saved = {}
    for name in dir(grad_fn) if grad_fn is not None else ():
        if name.startswith("_saved_"):
            try:
                held = getattr(grad_fn, name)
            except RuntimeError as error:
                held = "stale" if "inplace" in str(error) else "freed"
            if isinstance(held, str) or hasattr(held, "grad_fn"):
                saved[name.removeprefix("_saved_")] = held if isinstance(held, str) else "kept"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        grad = tensor.grad
    return {
        "numbers": numbers(tensor),
        "version": tensor._version,
        "requires_grad": tensor.requires_grad,
        "leaf": tensor.is_leaf,
        "retains": bool(tensor.retains_grad),
        "grad": None if grad is None else numbers(grad),
        "node": None if grad_fn is None else type(grad_fn).__name__,
        "saved": saved,
    }


def record(text: str, engine: Any, number: int = 0) -> Program:
    """Run a program whose name for the engine is ``torch``; it ends where it raises."""
    file = f"/programs/program_{number}.py"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    space: dict[str, Any] = {"torch": engine, "np": np, "put": put}
    space["backward_from"] = _backward_from(engine)
    parts = [compile(ast.Module([part], []), file, "exec") for part in ast.parse(text).body]
    return _record(Program(text), parts, space)


def record_cells(name: str, engine: Any) -> Program:
    """Run the code cells of a notebook with `torch` bound to an engine; errors are part of it."""
    parts, sources = [], []
    for number, cell in enumerate(read(name)):
        if cell.cell_type == "code" and not (engine is torch and "ours" in tags(cell)):
            source = for_engine(cell.source, engine)
            file = f"/programs/{name}/cell_{number}.py"
            linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
            parts.append(compile(source, file, "exec"))
            sources.append(source)
    return _record(Program("\n".join(sources)), parts, {}, goes_on=True)


def _record(
    program: Program, parts: list[Any], space: dict[str, Any], goes_on: bool = False
) -> Program:
    """Run the parts of a program one after the other, after an error too if it ``goes_on``."""
    space["__name__"] = "__main__"
    known: set[str] = set()
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        graph = graphwidget.watch()
        try:
            for code in parts:
                try:
                    exec(code, space)
                except Exception as error:
                    program.error = f"{type(error).__name__}: {error}"
                    if not goes_on:
                        break
                    graph.adapter.raised(error)
                graph.adapter.settle()
                graph.adapter.bind(named(space))
                graph.adapter.drain()
                known |= space.keys()
                program.looks.append(_look(graph.recorder.log.count, space, known - space.keys()))
        finally:
            program.events = json.loads(json.dumps(wire(graph.recorder.log.since(0)[1])))
            graph.close()
    return program


def _backward_from(engine: Any) -> Any:
    def backward_from(out: Any) -> None:
        outs = [each for each in flat(out) if each.requires_grad]
        if outs:
            engine.autograd.backward(outs, [engine.ones_like(each) for each in outs])

    return backward_from


def _is_tensor(value: Any) -> bool:
    return isinstance(value, (graphwidget.Tensor, torch.Tensor))


def _look(time: int, space: dict[str, Any], gone: set[str]) -> Look:
    """Return what the variables hold. Those that are ``gone`` by ``del`` named a value before."""
    look = Look(time, {}, {name for name, value in space.items() if not _is_tensor(value)} | gone)
    for _scope, name, value in named(space):
        if _is_tensor(value):
            look.tensors[name] = _seen(value)
            if look.tensors[name].get("leaf") and value.grad is not None:
                look.tensors[f"{name}.grad"] = _seen(value.grad)
            look.others.add(f"{name}.grad")
    return look


def _seen(value: Any) -> dict[str, Any]:
    try:
        return seen(value) if value.numel() <= 64 else {}
    except Exception:  # of a kind that has no plain numbers: sparse, nested
        return {}


def told(programs: Sequence[Program], folder: Path) -> list[dict[str, Any]]:
    """Return what the page says of the programs."""
    script, asked, answer = folder / "facts.cjs", folder / "asked.json", folder / "answer.json"
    if not script.exists():
        build = [JS / "node_modules/.bin/esbuild", JS / "test/truth/facts.ts", "--bundle"]
        build += ["--platform=node", "--format=cjs", "--log-level=error", f"--outfile={script}"]
        subprocess.run(build, check=True)
    looks = [[look.time for look in each.looks] for each in programs]
    asked.write_text(json.dumps([
        {"events": each.events, "looks": times} for each, times in zip(programs, looks, strict=True)
    ]))  # fmt: skip
    subprocess.run(["node", script, asked, answer], check=True)
    return json.loads(answer.read_text())  # type: ignore[no-any-return]


def module_of(name: str) -> types.ModuleType:
    """The engine by its name."""
    return {"graphwidget": graphwidget, "torch": torch}[name]


def of_op(sample: Any, shapes: Any) -> str:
    """A program that computes a sample of an op, and its derivative by every input."""
    lines = ["F = torch.nn.functional"]
    for name, values in zip("xy", data(sample, shapes, "float64"), strict=False):
        needs = "" if values.dtype.kind != "f" else ", requires_grad=True"
        lines.append(f"{name} = torch.tensor({values.tolist()}, dtype=torch.{values.dtype}{needs})")
    lines += [
        f"out = {sample.text}",
        "backward_from(out)",
    ]
    return "\n".join(lines)


def of_fuzz(seed: int) -> str:
    """A random program."""
    from tests.fuzz.scope import PREAMBLE
    from tests.fuzz.seeds import write

    steps = [step.text for step in write(seed) if step.error is None]
    return "\n".join([PREAMBLE, "def note(*args): pass", *steps])
