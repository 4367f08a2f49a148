"""Passes of static graphs, and a function's two graphs side by side, as widgets.

``tracing/show.py`` has the functions that users call: it records a function as a ``RunnableGraph``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from ..adapters.native import NativeAdapter
from ..adapters.position_finder import ours
from ..adapters.static_graphs import StaticAdapter
from ..adapters.static_passes import PassAdapter
from ..graph.listeners import get_observer, set_observer
from ..graph.tensor import Tensor
from ..recording import events as ev
from ..recording.log import Log
from ..recording.recorder import Recorder
from ..static.convert import placeholder
from ..static.graph import Graph, Operation
from ..static.listener import Listener, current
from ..static.nest import flatten, pack_like
from ..static.runner import State, execute, plan
from ..static.session import Session, fed_array, get_default_session
from ..static.stages import stages
from ..static.symbol import Symbol
from .recorded import Recorded
from .still_pictures import passes_in_words, passes_picture, twins_picture


class RunnableGraph(NamedTuple):
    """A static graph with all that a run of it needs.

    ``operations`` are all of the graph, ``plan`` those that run, in their order; ``fed`` has the
    arrays of placeholders, and ``captured`` the tensors found around a recorded function.
    """

    operations: Sequence[Operation]
    plan: Sequence[Operation]
    fed: Mapping[Symbol, np.ndarray]
    results: Sequence[Symbol]
    state: State
    names: dict[Symbol, str]
    captured: Mapping[Symbol, Tensor] = {}


Record = Callable[[Callable[..., Any], Sequence[Any]], RunnableGraph]
"""Function that records another one, called with these inputs, as a static graph."""


def passes_widget(what: Any, inputs: Sequence[Any], record: Record, frame: FrameType) -> Recorded:
    """Return the widget of ``show_passes``, called in this frame.

    Raises:
        TypeError: ``what`` is neither callable nor symbols.
    """
    adapter = PassAdapter(Recorder())
    adapter.skipped = assigned(frame)
    if all(isinstance(each, Symbol) for each in flatten(what)) and flatten(what):
        graph = fed_graph(what, *inputs, names=symbols_in(frame))
    elif callable(what):
        with only_listener(adapter):
            graph = record(what, fresh(inputs))
    else:
        raise TypeError(
            f"show_passes takes a function, a module or symbols, not {type(what).__name__}."
        )
    found = stages(graph.plan, graph.fed, graph.results, graph.state)
    adapter.emit_passes(found, graph.names)
    log = adapter.recorder.log
    return Recorded(log, passes_in_words(log.model()), lambda: passes_picture(log))


def twins_widget(
    function: Callable[..., Any], inputs: Sequence[Any], static: Callable[..., Any] | None,
    record: Record, frame: FrameType,
) -> Recorded:  # fmt: skip
    """Return the widget of ``side_by_side``, called in this frame."""
    skipped = assigned(frame)
    with only_listener(None):
        one, two = both_logs(function, inputs, static, record, skipped)
    counts = [len(log.model().calls) for log in (one, two)]
    words = f"<Dynamic beside static: {counts[0]} ops, {counts[1]} operations>"
    return Recorded(one, words, lambda: twins_picture(one, two), two)


def fed_graph(
    fetches: Any, feed_dict: Mapping[Any, Any] | None = None, *, names: dict[Symbol, str]
) -> RunnableGraph:
    """Return the graph that a session would run for symbols."""
    wanted = flatten(fetches)
    fed = {symbol: fed_array(symbol, value) for symbol, value in (feed_dict or {}).items()}
    session = get_default_session()
    graph = wanted[0].graph
    operations = plan([symbol.op for symbol in wanted], fed, graph.root)
    return RunnableGraph(
        graph.operations,
        operations,
        fed,
        wanted,
        State() if session is None else session._state,
        names,
    )


def assigned(frame: FrameType) -> set[tuple[str, str]]:
    """Return the variables, as (scope, name), to which the widget is about to be assigned: no value
    of the program bears such a name."""
    return set(Recorder.sites.names(frame, (), ours)[0])


def symbols_in(frame: FrameType) -> dict[Symbol, str]:
    """Return the names that a frame's variables give to symbols."""
    found = {**frame.f_globals, **frame.f_locals}
    return {value: name for name, value in found.items()
            if isinstance(value, Symbol) and not name.startswith("_")}  # fmt: skip


@contextmanager
def only_listener(listener: Listener | None) -> Iterator[None]:
    """Let only this listener of static graphs observe the block."""
    before, observer = current.listener, get_observer()
    current.listener = listener
    set_observer(None)
    try:
        yield
    finally:
        current.listener = before
        set_observer(observer)


def argument_names(function: Callable[..., Any], inputs: Sequence[Any]) -> list[str]:
    """Return a function's names of its arguments; "" for those in structures, or unknown ones."""
    try:
        bound = inspect.signature(getattr(function, "forward", function)).bind(*inputs).arguments
    except (TypeError, ValueError):
        bound = {}
    by_value = {id(value): name for name, value in bound.items() if isinstance(value, Tensor)}
    tensors = {id(each): each for each in flatten(inputs) if isinstance(each, Tensor)}
    return [by_value.get(key, "") for key in tensors]


def both_logs(
    function: Callable[..., Any], inputs: Sequence[Any], static: Callable[..., Any] | None,
    record: Record, skipped: set[tuple[str, str]],
) -> tuple[Log, Log]:  # fmt: skip
    """Return the logs of a function on the dynamic engine, and of its static graph."""
    left, right = NativeAdapter(Recorder()), StaticAdapter(Recorder())
    arguments = fresh(inputs)
    names = argument_names(function, arguments)
    tensors = list(
        {id(each): each for each in flatten(arguments) if isinstance(each, Tensor)}.values()
    )
    with left.observing():
        for tensor in tensors:
            left.identity.current(tensor)
        left.bind(("", name, each) for name, each in zip(names, tensors, strict=True) if name)
        function(*arguments)
    left.drain()
    if static is None:
        called = run_recorded(right, lambda: record(function, fresh(inputs)), names_in(left))
    else:
        called = run_built(right, static, fresh(inputs), names)
    right.recorder.drain()
    events = [list(of_function(each.recorder.log.since(0)[1], skipped)) for each in (left, right)]
    return log_of(flat(without_end(events[0]))), log_of(renamed(events[1], called))


def fresh(inputs: Sequence[Any]) -> tuple[Any, ...]:
    """Return the inputs with copies of their tensors, which the function may write into."""
    made: dict[int, Tensor] = {}
    for each in flatten(inputs):
        if isinstance(each, Tensor) and id(each) not in made:
            copy = made[id(each)] = Tensor._wrap(each._data.copy())
            copy.requires_grad = each.requires_grad
    return tuple(pack_like(inputs, [made.get(id(each), each) for each in flatten(inputs)]))


class Building(Listener):
    """Listener that observes what is added to graphs, and not what runs."""

    def __init__(self, adapter: StaticAdapter) -> None:
        self.added = adapter.added  # type: ignore[method-assign]


def run_recorded(
    adapter: StaticAdapter, record: Callable[[], RunnableGraph], known: Mapping[int, str]
) -> dict[int, str]:
    """Record a function while the adapter observes it, and run its graph. Return names by value.

    Args:
        known: the names of tensors in the function's surroundings, by ``id``.
    """
    with only_listener(Building(adapter)):
        graph = record()
    adapter.settle()
    env: dict[Any, Any] = dict(graph.fed)
    with only_listener(adapter):
        adapter.begins(graph.operations, list(env.items()))
        execute(graph.plan, env, graph.state)
        adapter.ends(None)
    names = graph.names
    for symbol, tensor in graph.captured.items():
        if id(tensor) in known:
            names[symbol] = known[id(tensor)]
    values = adapter.numbers()
    by_value = {values[symbol]: name for symbol, name in names.items() if symbol in values}
    return dict.fromkeys(values.values(), "") | by_value


def run_built(
    adapter: StaticAdapter, static: Callable[..., Any], inputs: Sequence[Any], names: Sequence[str]
) -> dict[int, str]:  # fmt: skip
    """Build a graph with a function of symbols, and run it in a session."""
    graph = Graph()
    given = [each for each in flatten(inputs) if isinstance(each, Tensor)]
    with only_listener(adapter), graph.as_default():
        feed = {
            placeholder(each._data.dtype, each._data.shape, name=name or None): each._data
            for each, name in zip(given, names, strict=True)
        }
        fetches = static(*feed)
        adapter.settle()
        with Session(graph=graph) as session:
            session.run(fetches, feed)
    values = adapter.numbers()
    return {values[s]: name for s, name in zip(feed, names, strict=True) if s in values and name}


def of_function(events: Sequence[Any], skipped: set[tuple[str, str]]) -> Iterator[Any]:
    """Events in which a function's own variables are the user's, for it is all that is shown; and
    not those that are about to get the widget."""
    for event in events:
        if isinstance(event, ev.Name) and (event.scope, event.name) in skipped:
            continue
        own = isinstance(event, ev.Name) and event.scope not in ("graph", "module")
        yield event._replace(scope="") if own else event


def names_in(adapter: NativeAdapter) -> dict[int, str]:
    """Return the names of living tensors in a recording, by ``id``."""
    found = {}
    for value, row in adapter.recorder.log.model().values.items():
        tensor = adapter.object(value)
        if tensor is not None and row["names"]:
            found[id(tensor)] = row["names"][-1][1]
    return found


def renamed(events: Sequence[Any], names: Mapping[int, str]) -> Iterator[Any]:
    """Events in which a value bears the name given here, and no other; where that is empty, not
    the name of its operation."""
    named: set[int] = set()
    for event in events:
        name = names.get(event.value) if isinstance(event, (ev.Name, ev.Value)) else None
        if isinstance(event, ev.Name) and (name or (name == "" and event.scope == "graph")):
            continue
        yield event
        if name and event.value not in named:
            named.add(event.value)
            yield ev.Name(event.value, name, "")


def flat(events: Sequence[Any]) -> Iterator[Any]:
    """Events without modules: as in a static graph, the operations themselves are seen."""
    parents: dict[int | None, int | None] = {}
    for event in events:
        if isinstance(event, ev.Scope):
            if event.kind == "module":
                parents[event.scope] = parents.get(event.parent, event.parent)
                continue
            event = event._replace(parent=parents.get(event.parent, event.parent))
        elif isinstance(event, ev.Op):
            event = event._replace(scope=parents.get(event.scope, event.scope))
        yield event


def without_end(events: Sequence[Any]) -> list[Any]:
    """Events without what became of the function's values when it had returned."""
    last = len(events)
    while last and isinstance(events[last - 1], (ev.Dead, ev.Free)):
        last -= 1
    return list(events[:last])


def log_of(events: Iterable[Any]) -> Log:
    """Events as a log."""
    log = Log()
    log.extend(events)
    return log
