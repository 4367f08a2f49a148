"""``show_passes`` and ``side_by_side``: a static graph's advantages, shown in the widget."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

from ..graph.tensor import Tensor
from ..static.nest import flatten
from ..widget.recorded import Recorded
from ..widget.static_graphs import RunnableGraph, argument_names, passes_widget, twins_widget
from .function import StaticFunction
from .torch_compile import OptimizedModule

KEYS = re.compile(r"[@<](\w+)|\['(\w+)'\]|\.(\w+)")


def show_passes(what: Any, *inputs: Any) -> Recorded:
    """The widget in which an optimiser's passes over a graph are stepped through.

    One step is one pass: what it removed, added, fused or made share memory is marked. The number
    of operations left, the most memory that their values take at a time and the time of a run are
    shown. All of it is measured: each stage is compiled and run.

        tf.show_passes(f, torch.rand(1000, 1000))     # a function or module of tensors
        tf.show_passes(y, {x: 2.})                    # what sess.run(y, {x: 2.}) would run

    Args:
        what: a function or module (compiled or not), which is recorded with ``inputs``; or a symbol
            or a list of symbols, then the input is what is fed.

    Raises:
        NotStatic: the function cannot be recorded as a graph.
        TypeError: ``what`` is neither.
    """
    return passes_widget(what, inputs, record, sys._getframe(1))


def side_by_side(
    function: Callable[..., Any], *inputs: Any, static: Callable[..., Any] | None = None
) -> Recorded:
    """The widget that shows one function twice: dynamic on the left, static on the right.

    One player moves both. The static graph is built first and stands there empty; then values flow
    through it, while the dynamic graph grows line by line.

        tf.side_by_side(f, torch.tensor(1.), torch.tensor(2.))

    Args:
        function: a function of tensors; the static graph is what ``from_function`` makes of it.
        static: a function of symbols that builds the static graph instead. It is called with a
            placeholder for each input: for loops (``while_loop``) and branches (``cond``).

    Raises:
        NotStatic: the function cannot be recorded as a graph, and no other was given.
    """
    return twins_widget(function, inputs, static, record, sys._getframe(1))


def record(function: Callable[..., Any], inputs: Sequence[Any]) -> RunnableGraph:
    """Record a function anew, whether it is compiled or not.

    Raises:
        NotStatic: it cannot be recorded as a graph.
    """
    if isinstance(function, OptimizedModule):
        function = function._orig_mod
    if isinstance(function, StaticFunction):
        function = function.function
    static = StaticFunction(function)
    tensors = {id(leaf): leaf for leaf in flatten(inputs) if isinstance(leaf, Tensor)}
    before = [tensor._data.copy() for tensor in tensors.values()]
    static(*inputs)
    (kept,) = (kept for recordings in static.kept.values() for kept in recordings)
    recording = kept.recording
    arrays = [*before, *(tensor._data for tensor in recording.captured.values())]
    names = dict(zip(recording.inputs, argument_names(function, inputs), strict=False))
    paths = {id(value): path for path, value in kept.facts.items() if isinstance(value, Tensor)}
    for symbol, tensor in recording.captured.items():
        names[symbol] = expression(paths.get(id(tensor), ""))
    return RunnableGraph(
        recording.graph.operations, recording.plan,
        dict(zip((*recording.inputs, *recording.captured), arrays, strict=True)),
        recording.results, recording.state,
        {symbol: name for symbol, name in names.items() if name}, recording.captured,
    )  # fmt: skip


def expression(path: str) -> str:
    """Return what the user would type for a tensor in a function's surroundings, such as
    ``net[0].weight``."""
    text = ""
    for match in KEYS.finditer(path):
        root, key, attribute = match.groups()
        name = root or key or attribute
        if name in ("_modules", "_parameters", "_buffers"):
            continue
        text += f"[{name}]" if name.isdigit() and text else f".{name}" if text else name
    return text
