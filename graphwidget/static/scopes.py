"""Scopes of the default graph: of names, devices and control dependencies, and of variables."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from .convert import convert_to_tensor
from .dtypes import as_dtype, float32
from .fills import glorot_uniform_initializer, zeros_initializer
from .graph import get_default_graph
from .tensor_shape import TensorShape, sizes_of
from .variables import Variable


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
    """Do nothing: everything runs where numpy does."""
    return contextlib.nullcontext()


def get_collection(key: str, scope: str | None = None) -> list[Any]:
    """Return the members of a collection of the graph."""
    return get_default_graph().get_collection(key, scope)


def add_to_collection(name: str, value: Any) -> None:
    """Let the graph remember a value under a name."""
    get_default_graph().add_to_collection(name, value)


# Variables by name -------------------------------------------------------------------------------


class AutoReuse:
    """The value of ``tf.AUTO_REUSE``: share a variable that is there, make one that is not."""

    def __repr__(self) -> str:
        return "<_ReuseMode.AUTO_REUSE: 1>"


AUTO_REUSE = AutoReuse()


class VariableScope:
    """Under which name ``get_variable`` makes variables, and whether it shares them."""

    def __init__(self, name: str, reuse: Any, initializer: Any, original_name_scope: str) -> None:
        self.name, self.reuse, self.initializer = name, reuse, initializer
        self.original_name_scope = original_name_scope

    def reuse_variables(self) -> None:
        """Share variables from now on."""
        self.reuse = True


def get_variable_scope() -> VariableScope:
    """The innermost scope."""
    graph = get_default_graph()
    if graph.variable_scope is None:
        graph.variable_scope = VariableScope("", False, None, "")
    found: VariableScope = graph.variable_scope
    return found


@contextlib.contextmanager
def variable_scope(
    name_or_scope: Any, default_name: str | None = None, values: Any = None,
    initializer: Any = None, reuse: Any = None,
) -> Iterator[VariableScope]:  # fmt: skip
    """Names of variables and of operations stand under this one."""
    graph = get_default_graph()
    outer = get_variable_scope()
    if isinstance(name_or_scope, VariableScope):
        name = name_or_scope.name
        part = name.rpartition("/")[2]
        reuse = name_or_scope.reuse if reuse is None else reuse
        initializer = initializer or name_or_scope.initializer
    else:
        part = name_or_scope or graph.unique_name(default_name or "", False).rpartition("/")[2]
        name = f"{outer.name}/{part}" if outer.name else part
    with graph.name_scope(part) as scope:
        made = VariableScope(
            name, reuse if reuse else outer.reuse, initializer or outer.initializer, scope
        )
        graph.variable_scope = made
        try:
            yield made
        finally:
            graph.variable_scope = outer


def get_variable(
    name: str, shape: Any = None, dtype: Any = None, initializer: Any = None,
    regularizer: Any = None, trainable: bool = True, collections: Any = None,
) -> Variable:  # fmt: skip
    """The variable of a name, made or (in a scope that shares) found.

    Raises:
        ValueError: it is there and not to be shared, or the reverse (TensorFlow's texts).
    """
    scope, graph = get_variable_scope(), get_default_graph()
    whole = f"{scope.name}/{name}" if scope.name else name
    found: Variable | None = graph.variables.get(whole)
    sizes = sizes_of(shape)
    if found is not None:
        if not scope.reuse:
            raise ValueError(exists(whole, found))
        if sizes is not None and found.ref.sizes != sizes:
            raise ValueError(
                f"Trying to share variable {whole}, but specified shape {TensorShape(sizes)} and "
                f"found shape {found.shape}."
            )
        return found
    if scope.reuse is True:
        raise ValueError(
            f"Variable {whole} does not exist, or was not created with tf.get_variable(). Did you "
            "mean to set reuse=tf.AUTO_REUSE in VarScope?"
        )
    made = Variable(
        initial_of(whole, sizes, dtype, initializer or scope.initializer), trainable, collections,
        name=whole, ignore_name_scope=True,
    )  # fmt: skip
    graph.variables[whole] = made
    return made


def exists(name: str, found: Variable) -> str:
    """Return the message for a variable that exists already."""
    lines = "".join(
        f"  File {file!r}, line {line}, in {where}\n".replace("'", '"')
        for file, line, where in found.op.traceback[-1:]
    )
    return (
        f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or "
        f"reuse=tf.AUTO_REUSE in VarScope? Originally defined at:\n\n{lines}"
    )


def initial_of(name: str, sizes: Any, dtype: Any, initializer: Any) -> Any:
    """Return the initial value of a variable."""
    if initializer is not None and not callable(initializer):
        return convert_to_tensor(initializer, dtype) if dtype else initializer
    if sizes is None:
        raise ValueError(
            f"Variable {name} did not get an initializer, so its `shape` argument must be "
            "specified."
        )
    kind = as_dtype(dtype or float32)
    if initializer is None:
        initializer = glorot_uniform_initializer() if kind.is_floating else zeros_initializer()
    elif isinstance(initializer, type):
        initializer = initializer()
    chosen = initializer
    return lambda: chosen(list(sizes), kind)
