"""Session: what runs a graph, and keeps its variables' values between runs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .compiler import Compiled
from .errors import InaccessibleTensorError
from .graph import Graph, Operation, get_default_graph, stacks
from .listener import Listener, current, default_session, sessions
from .runner import Env, Ref, State, execute, plan
from .symbol import Symbol
from .tensor_shape import merged, shape_text

PERSISTENT = ("Const", "Identity", "PlaceholderWithDefault", "Exit", "Merge")
"""Operations whose arrays others share."""


class Session:
    """Runs a graph; a context manager in which it is the default."""

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        self.graph = graph or get_default_graph()
        self._state = State()
        self._closed = False
        self._plans: dict[Any, list[Operation]] = {}
        self._ready: dict[Any, Ready] = {}
        self._size = 0
        """Of the graph for which these were made: a gradient changes loops that were there."""

    def run(self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None,
            options: Any = None, run_metadata: Any = None) -> Any:  # fmt: skip
        """The values of what is fetched, in the structure in which it is asked for.

        Args:
            fetches: symbols, operations (None comes back), their names, or lists, tuples, dicts
                and namedtuples of those.
            feed_dict: values for placeholders, or for any other symbols.

        Raises:
            RuntimeError: the session is closed, or the graph empty.
            ValueError, TypeError: a fetch or feed is none (TensorFlow's texts).
            errors.OpError: an operation failed.
        """
        if self._size != len(self.graph.operations):
            self._size = len(self.graph.operations)
            self._ready.clear()
            self._plans.clear()
        listener = current.listener
        if listener is None:
            ready = self._found(fetches, feed_dict)
            if ready is not None:
                return ready.run(feed_dict, self._state)
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if not self.graph.operations:
            raise RuntimeError(
                "The Session graph is empty. Add operations to the graph before calling run()."
            )
        wanted: list[Any] = []
        self._collect(fetches, wanted)
        env = self._fed(feed_dict or {})
        given = set(map(id, env.values()))
        key = (tuple(wanted), tuple(env))
        operations = self._plans.get(key)
        again = operations is not None
        if operations is None:
            roots = [each.op if isinstance(each, Symbol) else each for each in wanted
                     if each not in env]  # fmt: skip
            for root in roots:
                if root.region is not self.graph.root:
                    raise not_fetchable(root)
            operations = self._plans[key] = plan(roots, env, self.graph.root)
        if again and listener is None and len(env) == len(feed_dict or ()):
            # Once more the same: from now on as one function.
            ready = Ready(operations, tuple(env), wanted, fetches)
            self._ready[signature(fetches, feed_dict)] = ready
            return ready.run(feed_dict, self._state)
        if listener is None:
            execute(operations, env, self._state)
        else:
            self._heard(listener, operations, env)
        values = (fetched(each, env[each], given) if isinstance(each, Symbol) else None
                  for each in wanted)  # fmt: skip
        return rebuilt(fetches, iter(list(values)))

    def _found(self, fetches: Any, feed_dict: Any) -> Ready | None:
        """Return the compiled run if the same was asked for before."""
        known = self._ready
        try:  # what ``signature`` makes of one symbol, or of a flat list or tuple
            kind = fetches.__class__
            key: Any = (kind, *fetches) if kind is list or kind is tuple else fetches
            found = known.get((key, *feed_dict) if feed_dict else key)
            if found is not None or not known:
                return found
        except TypeError:  # there are lists in the list
            pass
        try:
            return known.get(signature(fetches, feed_dict))
        except TypeError:  # it is nothing that can be fetched
            return None

    def _heard(self, listener: Listener, operations: list[Operation], env: Env) -> None:
        """Run operations, and report the begin and end of the run to a listener."""
        listener.begins(operations, list(env.items()))
        try:
            execute(operations, env, self._state)
        except BaseException as error:
            listener.ends(error)
            raise
        listener.ends(None)

    # Fetches ---------------------------------------------------------------------------------
    def _collect(self, fetch: Any, found: list[Any]) -> None:
        """Append the symbols and operations of a structure."""
        if isinstance(fetch, (list, tuple)):
            for each in fetch:
                self._collect(each, found)
        elif isinstance(fetch, Mapping):
            for each in fetch.values():
                self._collect(each, found)
        else:
            found.append(self._element(fetch))

    def _element(self, fetch: Any) -> Any:
        if fetch is None:
            raise TypeError('Argument `fetch` = None has invalid type "NoneType". Cannot be None')
        try:
            return self.graph.as_graph_element(fetch)
        except TypeError as error:
            raise TypeError(
                f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}" must be a '
                f"string or Tensor. ({error})"
            ) from None
        except (ValueError, KeyError) as error:
            raise ValueError(
                f"Argument `fetch` = {fetch} cannot be interpreted as a Tensor. ({error})"
            ) from None

    # Feeds -----------------------------------------------------------------------------------
    def _fed(self, feed_dict: Mapping[Any, Any]) -> Env:
        """Return the fed values as an environment."""
        env: Env = {}
        for key, value in feed_dict.items():
            pairs = zip(key, value, strict=True) if isinstance(key, tuple) else [(key, value)]
            for each, part in pairs:
                symbol = self._fed_symbol(each)
                env[symbol] = fed_array(symbol, part)
        return env

    def _fed_symbol(self, key: Any) -> Symbol:
        try:
            found = self.graph.as_graph_element(key, allow_operation=False)
        except (TypeError, ValueError, KeyError) as error:
            text = error.args[0]
            raise TypeError(f"Cannot interpret feed_dict key as Tensor: {text}") from None
        assert isinstance(found, Symbol)
        return found

    # Life ------------------------------------------------------------------------------------
    def close(self) -> None:
        """Release the variables; nothing runs any more."""
        self._closed = True
        self._state = State()
        self._plans.clear()
        self._ready.clear()

    @contextlib.contextmanager
    def as_default(self) -> Iterator[Session]:
        """Let ``eval()`` and ``run()`` use this session."""
        sessions.stack.append(self)
        try:
            yield self
        finally:
            sessions.stack.remove(self)

    def __enter__(self) -> Session:
        sessions.stack.append(self)
        stacks.graphs.append(self.graph)
        return self

    def __exit__(self, *exc: object) -> None:
        sessions.stack.remove(self)
        stacks.graphs.remove(self.graph)
        self.close()


class Ready:
    """A run that was asked for before: compiled, and with what becomes of its values."""

    def __init__(
        self, operations: Sequence[Operation], given: Sequence[Symbol], wanted: Sequence[Any],
        fetches: Any,
    ) -> None:  # fmt: skip
        symbols = [each for each in wanted if isinstance(each, Symbol)]
        self.compiled = Compiled(operations, given, symbols)
        self.wanted = wanted
        self.given = [
            (
                each,
                each.dtype.numpy.type if each.sizes == () else None,
                each.dtype.numpy,
                each.sizes,
            )
            for each in given
        ]
        kind, flat = fetches.__class__, len(wanted)
        single = flat == 1 and fetches is wanted[0]
        self.kind = kind if kind in (list, tuple) and len(fetches) == flat else None
        self.kind = first if single else self.kind
        """Type of the result, unless that is a nested structure."""
        self.structure = rebuilt(fetches, iter(wanted))  # the caller's may become another
        self.as_they_are = self.compiled.numbers and len(symbols) == len(wanted)
        """True if the values need no conversion."""

    def run(self, feed_dict: Any, state: State) -> Any:
        """The values."""
        values: list[Any] = []
        if self.given:
            for (symbol, scalar, dtype, sizes), value in zip(
                self.given, feed_dict.values(), strict=True
            ):
                kind = value.__class__
                if scalar is not None and (kind is float or kind is int):
                    value = scalar(value)
                elif kind is not np.ndarray or value.dtype is not dtype or value.shape != sizes:
                    value = fed_array(symbol, value)
                values.append(value)
        found: Any = self.compiled(values, state)
        if not self.as_they_are:
            given, left = set(map(id, values)), iter(found)
            found = [
                fetched(each, next(left), given) if isinstance(each, Symbol) else None
                for each in self.wanted
            ]
        return self.kind(found) if self.kind else rebuilt(self.structure, iter(found))


class InteractiveSession(Session):
    """A session that is the default from the start."""

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        sessions.stack.append(self)

    def close(self) -> None:
        """Close the session, which is no longer the default."""
        super().close()
        if self in sessions.stack:
            sessions.stack.remove(self)


def get_default_session() -> Any:
    """The innermost default session; None without one."""
    return default_session()


def signature(fetches: Any, feed_dict: Any) -> Any:
    """Return the key of a run: the fetches, in their structure, and the fed symbols."""
    found = signature_of(fetches)
    return (found, *feed_dict) if feed_dict else found


def signature_of(fetches: Any) -> Any:
    """A structure as nested tuples."""
    if isinstance(fetches, Mapping):
        return (fetches.__class__, *fetches, *map(signature_of, fetches.values()))
    if isinstance(fetches, (list, tuple)):
        return (fetches.__class__, *map(signature_of, fetches))
    return fetches


def rebuilt(fetches: Any, values: Iterator[Any]) -> Any:
    """The structure with values in it."""
    if isinstance(fetches, tuple) and hasattr(fetches, "_fields"):
        return type(fetches)(*(rebuilt(each, values) for each in fetches))
    if isinstance(fetches, (list, tuple)):
        return type(fetches)(rebuilt(each, values) for each in fetches)
    if isinstance(fetches, Mapping):
        pairs = ((key, rebuilt(each, values)) for key, each in fetches.items())
        return type(fetches)(pairs)  # type: ignore[call-arg]
    return next(values)


def first(values: Sequence[Any]) -> Any:
    """The only one."""
    return values[0]


def fed_array(symbol: Symbol, value: Any) -> np.ndarray:
    """A fed value as an array of the symbol's type.

    Raises:
        TypeError, ValueError: it cannot be one, or its shape is another (TensorFlow's texts).
    """
    if isinstance(value, Symbol):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include "
            "Python scalars, strings, lists, numpy ndarrays, or TensorHandles. For reference, the "
            f"tensor object was {value} which was passed to the argument `feed_dict` with key "
            f"{symbol}."
        )
    data = getattr(value, "detach", None)  # a tensor of the eager engine
    array = np.asarray(data().numpy() if data is not None else value, symbol.dtype.numpy)
    if merged(symbol.sizes, array.shape) is False:
        assert symbol.sizes is not None
        raise ValueError(
            f"Cannot feed value of shape {shape_text(array.shape)} for Tensor {symbol.name}, which "
            f"has shape {shape_text(symbol.sizes)}"
        )
    return array


def not_fetchable(operation: Operation) -> InaccessibleTensorError:
    """The error for what lies in a loop or branch."""
    return InaccessibleTensorError(
        f"Operation {operation.name} has been marked as not fetchable. Typically this happens "
        "when it is defined in another function or code block. Use return values, explicit Python "
        "locals or TensorFlow collections to access it."
    )


def fetched(symbol: Symbol, value: Any, given: set[int]) -> Any:
    """A value as users get it: memory of its own, and a number where there is one item."""
    if value.__class__ is Ref:
        value = value.read()
    if not isinstance(value, np.ndarray):
        return value  # a numpy scalar
    if not value.ndim:
        return value[()] if id(value) not in given else np.array(value)
    shared = value.base is not None or id(value) in given or not value.flags.writeable
    return np.array(value) if shared or symbol.op.type in PERSISTENT else value
