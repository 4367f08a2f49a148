"""Program: what is exported, whatever it was given as: a function, a module, a static graph."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..autograd.grad_mode import no_grad
from ..graph.listeners import get_observer, set_observer
from ..graph.tensor import Tensor
from ..nn.module import Module
from ..static.graph import Graph
from ..static.listener import current, default_session
from ..static.nest import flatten, pack_like
from ..static.symbol import Symbol
from ..tracing.function import Argument, NotStatic, StaticFunction
from ..tracing.surroundings import last_name
from .errors import OnnxExporterError


@dataclass
class Program:
    """A graph with what goes in, what comes out, and the parameters that lie in it."""

    graph: Graph
    inputs: dict[str, Symbol]
    outputs: list[Symbol]
    parameters: dict[Symbol, tuple[str, np.ndarray]]


VARIADIC = inspect.Parameter.VAR_POSITIONAL


@contextmanager
def unheard() -> Iterator[None]:
    """Observe nothing inside: a recording is no run of the program."""
    observer, listener = get_observer(), current.listener
    set_observer(None)
    current.listener = None
    try:
        yield
    finally:
        current.listener = listener
        set_observer(observer)


class Called:
    """A call of a model, whose parameters lie where the recorder looks."""

    def __init__(self, model: Callable[..., Any]) -> None:
        self.model = model
        self.held = [tensor for _, tensor in parameters_of(model)]
        self.__name__ = getattr(model, "__name__", type(model).__name__)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the model."""
        return self.model(*args, **kwargs)

    __call__ = forward


def parameters_of(model: Any) -> list[tuple[str, Tensor]]:
    """The parameters and buffers of a module, by name."""
    if not isinstance(model, Module):
        return []
    return [*model.named_parameters(), *model.named_buffers()]


def of_function(model: Callable[..., Any], args: Sequence[Any], kwargs: Any) -> Program:
    """A function or module, recorded with these arguments; a module as in ``eval()``.

    Raises:
        OnnxExporterError: it cannot be recorded; the message names the line and the reason.
    """
    model = model.function if isinstance(model, StaticFunction) else model
    training = {each: each.training for each in model.modules()} if isinstance(
        model, Module) else {}  # fmt: skip
    static = StaticFunction(Called(model), once=True)
    given = tuple(args), dict(kwargs)
    copies, named = pack_like(given, [
        each.detach().clone() if isinstance(each, Tensor) else each for each in flatten(given)
    ])  # fmt: skip
    try:
        for each in training:
            each.training = False
        with no_grad(), unheard():
            static(*copies, **named)
            if not static.recordings:  # now lazy modules know their sizes
                static(*copies, **named)
    except NotStatic as error:
        raise OnnxExporterError(str(error)) from None
    finally:
        for each, on in training.items():
            each.training = on
    (kept,) = static.kept.popitem()[1]
    recording = kept.recording
    names = argument_names(model, copies, named)
    inputs = dict(zip(names, recording.inputs, strict=True))
    written = dict(recording.effects)
    outputs = []
    for place in as_written(pack_like(kept.results, kept.places)):
        if isinstance(place, Argument):
            source = recording.inputs[place.place]
            outputs.append(written.get(source, source))
        elif hasattr(place, "place"):
            outputs.append(recording.outputs[place.place])
    known = {id(tensor): name for name, tensor in parameters_of(model)}
    paths = {id(tensor): path for path, tensor in kept.facts.items() if isinstance(tensor, Tensor)}
    parameters = {
        symbol: (known.get(id(tensor)) or last_name(paths.get(id(tensor), "captured")),
                 np.array(tensor._data))
        for symbol, tensor in recording.captured.items()
    }  # fmt: skip
    return Program(recording.graph, inputs, outputs, parameters)


def as_written(results: Any) -> list[Any]:
    """Flatten results; dicts in insertion order."""
    if isinstance(results, Mapping):
        results = list(results.values())
    if isinstance(results, (list, tuple)):
        return [item for each in results for item in as_written(each)]
    return [results]


def argument_names(model: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[str]:
    """The names of the tensors among arguments: the parameters' of the function."""
    function = model.forward if isinstance(model, Module) else model
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    names: dict[int, str] = {}
    for place, each in enumerate(args):
        several = place >= len(parameters) or parameters[place].kind is VARIADIC
        stem = f"input_{place}" if several else parameters[place].name
        tensors = [leaf for leaf in flatten(each) if isinstance(leaf, Tensor)]
        for i, tensor in enumerate(tensors):
            names.setdefault(id(tensor), stem if tensor is each else f"{stem}_{i}")
    for key in sorted(kwargs):
        tensors = [leaf for leaf in flatten(kwargs[key]) if isinstance(leaf, Tensor)]
        for i, tensor in enumerate(tensors):
            names.setdefault(id(tensor), key if tensor is kwargs[key] else f"{key}_{i}")
    return list(names.values())


def of_graph(model: Any, output_names: Sequence[str] | None) -> Program:
    """A static graph, whose outputs are named, or are what nothing reads; or symbols of one.

    Raises:
        OnnxExporterError: a variable has no value, as there is no session.
    """
    if isinstance(model, Graph):
        symbols = named_outputs(model, output_names) or unread(model)
        graph = model
    else:
        symbols = [each for each in flatten(model) if isinstance(each, Symbol)]
        graph = symbols[0].graph
    inputs = {
        each.name: each.outputs[0] for each in graph.root.operations if each.type == "Placeholder"
    }
    parameters = {}
    for each in graph.operations:
        if each.type == "VariableV2":
            session = default_session()
            value = None if session is None else session._state.variables.get(each)
            if value is None:
                raise OnnxExporterError(
                    f"variable '{each.name}' has no value: export inside the session that "
                    "initialised it"
                )
            parameters[each.outputs[0]] = each.name, np.array(value)
    return Program(graph, inputs, symbols, parameters)


def named_outputs(graph: Graph, names: Sequence[str] | None) -> list[Symbol]:
    """The symbols of these names, where all of them are in the graph."""
    found = [graph.by_name.get(each.removesuffix(":0")) for each in names or ()]
    return [each.outputs[0] for each in found if each is not None and each.outputs] if all(
        found) else []  # fmt: skip


def unread(graph: Graph) -> list[Symbol]:
    """The results that nothing reads."""
    read = {symbol for each in graph.operations for symbol in each.operands}
    for each in graph.operations:
        for region in each.regions:
            read.update(region.outputs)
    return [
        each.outputs[0] for each in graph.root.operations
        if each.outputs and not read.intersection(each.outputs)
        and each.type not in ("Placeholder", "VariableV2", "Assign", "Const")
    ]  # fmt: skip
