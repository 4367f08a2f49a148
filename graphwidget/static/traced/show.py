"""``show_passes`` and ``side_by_side``: what a static graph is good for, shown in the widget."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np

from ...adapters.native import NativeAdapter
from ...adapters.position_finder import ours
from ...adapters.static_graphs import StaticAdapter
from ...adapters.static_passes import PassAdapter
from ...graph.listeners import get_observer, set_observer
from ...graph.tensor import Tensor
from ...recording import events as ev
from ...recording.log import Log
from ...recording.recorder import Recorder
from ...widget.recorded import Recorded
from ..convert import placeholder
from ..graph import Graph
from ..listener import Listener, current
from ..nest import flatten, pack_like
from ..runner import State, execute, plan
from ..session import Session, fed_array, get_default_session
from ..stages import stages
from ..symbol import Symbol
from .function import StaticFunction
from .recording import Recording
from .still_pictures import passes_in_words, passes_picture, twins_picture
from .torch_compile import OptimizedModule

KEYS = re.compile(r"[@<](\w+)|\['(\w+)'\]|\.(\w+)")


def show_passes(what: Any, *inputs: Any) -> Recorded:
    """The widget in which an optimiser's passes over a graph are stepped through.

    One step is one pass: what it removed, added, fused or made share memory is marked, and how many
    operations are left, how much memory their values hold at a time, and how long a run takes is
    told. All of it is measured: each stage is compiled and run.

        tf.show_passes(f, torch.rand(1000, 1000))     # a function or module of tensors
        tf.show_passes(y, {x: 2.})                    # what sess.run(y, {x: 2.}) would run

    Args:
        what: a function or module (compiled or not), which is recorded with ``inputs``; or a symbol
            or a list of symbols, then the input is what is fed.

    Raises:
        NotStatic: the function cannot be recorded as a graph.
        TypeError: ``what`` is neither.
    """
    frame = sys._getframe(1)
    adapter = PassAdapter(Recorder())
    adapter.skipped = assigned(frame)
    if all(isinstance(each, Symbol) for each in flatten(what)) and flatten(what):
        given, wanted, state = fed(what, *inputs)
        names = symbols_in(frame)
        operations = plan([each.op for each in wanted], given, wanted[0].graph.root)
        found = stages(operations, given, wanted, state)
    elif callable(what):
        with unheard(adapter):
            recording, arrays, names = recorded(what, fresh(inputs))
        given = dict(zip((*recording.inputs, *recording.captured), arrays, strict=True))
        found = stages(recording.plan, given, recording.results, recording.state)
    else:
        raise TypeError(
            f"show_passes takes a function, a module or symbols, not {type(what).__name__}."
        )
    adapter.tell_passes(found, names)
    log = adapter.recorder.log
    return Recorded(log, passes_in_words(log.model()), lambda: passes_picture(log))


def fed(fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Any:
    """What a session would be given for symbols: arrays, the symbols themselves, its state."""
    wanted = flatten(fetches)
    given = {symbol: fed_array(symbol, value) for symbol, value in (feed_dict or {}).items()}
    session = get_default_session()
    return given, wanted, State() if session is None else session._state


def assigned(frame: FrameType) -> set[tuple[str, str]]:
    """The variables, (scope, name) each, that are about to get the widget: no value of the program
    is called so."""
    return set(Recorder.sites.names(frame, (), ours)[0])


def symbols_in(frame: FrameType) -> dict[Symbol, str]:
    """What the program calls symbols where it stands."""
    found = {**frame.f_globals, **frame.f_locals}
    return {value: name for name, value in found.items()
            if isinstance(value, Symbol) and not name.startswith("_")}  # fmt: skip


@contextmanager
def unheard(listener: Listener | None) -> Iterator[None]:
    """Let nobody record the block but this listener of static graphs."""
    before, observer = current.listener, get_observer()
    current.listener = listener
    set_observer(None)
    try:
        yield
    finally:
        current.listener = before
        set_observer(observer)


def recorded(
    function: Callable[..., Any], inputs: Sequence[Any]
) -> tuple[Recording, list[np.ndarray], dict[Symbol, str]]:
    """A recording of a function made afresh, the arrays that it is given, its symbols' names."""
    if isinstance(function, OptimizedModule):
        function = function._orig_mod
    if isinstance(function, StaticFunction):
        function = function.function
    static = StaticFunction(function)
    tensors = list(
        {id(each): each for each in flatten(inputs) if isinstance(each, Tensor)}.values()
    )
    before = [each._data.copy() for each in tensors]
    static(*inputs)
    (kept,) = (each for found in static.kept.values() for each in found)
    recording = kept.recording
    arrays = [*before, *(each._data for each in recording.captured.values())]
    names = dict(zip(recording.inputs, argument_names(function, inputs), strict=False))
    paths = {id(value): path for path, value in kept.facts.items() if isinstance(value, Tensor)}
    for symbol, tensor in recording.captured.items():
        names[symbol] = spelled(paths.get(id(tensor), ""))
    return recording, arrays, {symbol: name for symbol, name in names.items() if name}


def argument_names(function: Callable[..., Any], inputs: Sequence[Any]) -> list[str]:
    """What a function calls its arguments; "" for those in structures, or where it is unknown."""
    try:
        bound = inspect.signature(getattr(function, "forward", function)).bind(*inputs).arguments
    except (TypeError, ValueError):
        bound = {}
    by_value = {id(value): name for name, value in bound.items() if isinstance(value, Tensor)}
    tensors = {id(each): each for each in flatten(inputs) if isinstance(each, Tensor)}
    return [by_value.get(key, "") for key in tensors]


def spelled(path: str) -> str:
    """What the user would type for a tensor in a function's surroundings: ``net[0].weight``."""
    text = ""
    for found in KEYS.finditer(path):
        root, key, attribute = found.groups()
        name = root or key or attribute
        if name in ("_modules", "_parameters", "_buffers"):
            continue
        text += f"[{name}]" if name.isdigit() and text else f".{name}" if text else name
    return text


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
    skipped = assigned(sys._getframe(1))
    with unheard(None):
        one, two = both(function, inputs, static, skipped)
    counts = [len(each.model().calls) for each in (one, two)]
    words = f"<Dynamic beside static: {counts[0]} ops, {counts[1]} operations>"
    return Recorded(one, words, lambda: twins_picture(one, two), two)


def both(
    function: Callable[..., Any], inputs: Sequence[Any], static: Callable[..., Any] | None,
    skipped: set[tuple[str, str]],
) -> tuple[Log, Log]:  # fmt: skip
    """The logs of a function on the dynamic engine, and of its static graph."""
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
        called = run_recorded(right, function, fresh(inputs), names_in(left))
    else:
        called = run_built(right, static, fresh(inputs), names)
    right.recorder.drain()
    told = [list(of_function(each.recorder.log.since(0)[1], skipped)) for each in (left, right)]
    return log_of(flat(without_end(told[0]))), log_of(renamed(told[1], called))


def fresh(inputs: Sequence[Any]) -> tuple[Any, ...]:
    """The inputs with tensors of their own, which the function may write into."""
    made: dict[int, Tensor] = {}
    for each in flatten(inputs):
        if isinstance(each, Tensor) and id(each) not in made:
            copy = made[id(each)] = Tensor._wrap(each._data.copy())
            copy.requires_grad = each.requires_grad
    return tuple(pack_like(inputs, [made.get(id(each), each) for each in flatten(inputs)]))


class Building(Listener):
    """Hears what is added to graphs, and not what runs."""

    def __init__(self, adapter: StaticAdapter) -> None:
        self.added = adapter.added  # type: ignore[method-assign]


def run_recorded(
    adapter: StaticAdapter, function: Callable[..., Any], inputs: Sequence[Any],
    known: Mapping[int, str],
) -> dict[int, str]:  # fmt: skip
    """Record a function, heard by the adapter, and run its graph. Returns names by value.

    Args:
        known: the names of tensors in the function's surroundings, by ``id``.
    """
    with unheard(Building(adapter)):
        recording, arrays, names = recorded(function, inputs)
    adapter.settle()
    env = dict(zip((*recording.inputs, *recording.captured), arrays, strict=True))
    with unheard(adapter):
        adapter.begins(recording.graph.operations, list(env.items()))
        execute(recording.plan, env, recording.state)
        adapter.ends(None)
    for symbol, tensor in recording.captured.items():
        if id(tensor) in known:
            names[symbol] = known[id(tensor)]
    values = adapter.numbers()
    told = {values[symbol]: name for symbol, name in names.items() if symbol in values}
    return dict.fromkeys(values.values(), "") | told


def run_built(
    adapter: StaticAdapter, static: Callable[..., Any], inputs: Sequence[Any], names: Sequence[str]
) -> dict[int, str]:  # fmt: skip
    """Build a graph with a function of symbols, and run it in a session."""
    graph = Graph()
    given = [each for each in flatten(inputs) if isinstance(each, Tensor)]
    with unheard(adapter), graph.as_default():
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
    """What tensors that live are called in a recording, by ``id``."""
    found = {}
    for value, row in adapter.recorder.log.model().values.items():
        tensor = adapter.object(value)
        if tensor is not None and row["names"]:
            found[id(tensor)] = row["names"][-1][1]
    return found


def renamed(events: Sequence[Any], names: Mapping[int, str]) -> Iterator[Any]:
    """Events in which a value bears the name given here, and no other; where that is empty, not
    the name of its operation."""
    told: set[int] = set()
    for event in events:
        name = names.get(event.value) if isinstance(event, (ev.Name, ev.Value)) else None
        if isinstance(event, ev.Name) and (name or (name == "" and event.scope == "graph")):
            continue
        yield event
        if name and event.value not in told:
            told.add(event.value)
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
