"""Name scopes, devices, collections and control dependencies of the default graph."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from .convert import convert_to_tensor
from .graph import get_default_graph


@contextlib.contextmanager
def name_scope(name: Any, default_name: str | None = None, values: Any = None) -> Iterator[str]:
    """Names of operations made inside stand under this one."""
    with get_default_graph().name_scope(default_name if name is None and default_name else name) \
            as scope:  # fmt: skip
        yield scope


def control_dependencies(control_inputs: Iterable[Any] | None) -> Any:
    """Let operations made inside run after these."""
    return get_default_graph().control_dependencies(control_inputs)


def device(device_name_or_function: Any) -> Any:
    """Nothing: everything runs where numpy does."""
    return contextlib.nullcontext()


def get_collection(key: str, scope: str | None = None) -> list[Any]:
    """Return the members of a collection of the graph."""
    return get_default_graph().get_collection(key, scope)


def add_to_collection(name: str, value: Any) -> None:
    """Let the graph remember a value under a name."""
    get_default_graph().add_to_collection(name, value)


def control_tuple(tensors: Any, name: str | None = None, control_inputs: Any = None) -> list[Any]:
    """The same values, each there only when all are (``tf.tuple``)."""
    from .array_ops import identity

    symbols = [convert_to_tensor(each) for each in tensors]
    graph = get_default_graph()
    with graph.name_scope(name or "tuple"), \
            graph.control_dependencies([*symbols, *(control_inputs or ())]):  # fmt: skip
        return [identity(each, name="control_dependency") for each in symbols]
