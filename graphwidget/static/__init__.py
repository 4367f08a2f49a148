"""Define and run: TensorFlow 1's way of building a graph first, on the same op table.

    import graphwidget.static as tf

    w, x = tf.constant(1.), tf.constant(2.)
    y = tf.multiply(tf.add(w, x), tf.add(w, 1))
    with tf.Session() as sess:
        print(sess.run(y))

Nothing is computed until a session runs the graph; printing ``y`` shows
``Tensor("Mul:0", shape=(), dtype=float32)``. Read ``symbol.py``, ``graph.py`` first: what a graph
is; then ``session.py`` and ``runner.py``: how it runs; ``inference.py``, ``operand.py`` derive
shapes and derivatives come from the op table, ``passes/``, ``compiler.py`` and ``writer.py`` how a
graph becomes one function.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any, NoReturn

from . import (
    array_ops,
    errors,
    fills,
    math,
    nn,
    reductions,
    train,
)
from .control_flow import Assert, Print, case, cond, while_loop
from .convert import constant, convert_to_tensor, placeholder, placeholder_with_default
from .differentiate import gradients
from .dtypes import (
    DType,
    as_dtype,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .graph import Graph, Operation, get_default_graph, reset_default_graph
from .loop_gradients import while_gradient as _  # noqa: F401  (derivatives of loops are known)
from .scopes import (
    AUTO_REUSE,
    VariableScope,
    add_to_collection,
    control_dependencies,
    device,
    get_collection,
    get_variable,
    get_variable_scope,
    name_scope,
    variable_scope,
)
from .session import InteractiveSession, Session, get_default_session
from .symbol import Symbol
from .tensor_shape import Dimension, TensorShape
from .variables import (
    GraphKeys,
    Variable,
    all_variables,
    assign,
    assign_add,
    assign_sub,
    global_variables,
    global_variables_initializer,
    group,
    initialize_all_variables,
    local_variables_initializer,
    no_op,
    trainable_variables,
    variables_initializer,
)

Tensor = Symbol
newaxis = None
math.__dict__.update(math.SHARED)
globals().update(math.SHARED)
globals().update((name, getattr(array_ops, name)) for name in array_ops.PUBLIC)
globals().update((name, getattr(fills, name)) for name in fills.PUBLIC)
globals().update(bool=as_dtype("bool"))  # TensorFlow's name
losses, random, linalg = (ModuleType(f"tf.{name}") for name in ("losses", "random", "linalg"))
vars(losses).update(mean_squared_error=nn.mean_squared_error)
vars(random).update(
    normal=fills.random_normal, uniform=fills.random_uniform,
    set_random_seed=fills.set_random_seed, truncated_normal=fills.truncated_normal,
)  # fmt: skip
vars(linalg).update(matmul=reductions.matmul, eye=fills.eye)


def refuse_others(module: ModuleType, path: str) -> None:
    """Let a module refuse the names of TensorFlow's that it does not have."""

    def __getattr__(name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(f"module {path!r} has no attribute {name!r}")
        raise AttributeError(errors.not_here(f"{path}.{name}"), name=name, obj=None)

    vars(module)["__getattr__"] = __getattr__


for _name in ("errors", "linalg", "losses", "math", "nn", "random", "train"):
    refuse_others(globals()[_name], f"tf.{_name}")


def __getattr__(name: str) -> Any:
    """Load the parts that need the eager engine or the widget when they are first used."""
    if name in ("from_function", "NotStatic", "StaticFunction"):
        return getattr(importlib.import_module("..tracing", __name__), name)
    if name in ("show_passes", "side_by_side"):
        return getattr(importlib.import_module("..tracing.show", __name__), name)
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    raise AttributeError(errors.not_here(f"tf.{name}"), name=name, obj=None)


__all__ = [
    "AUTO_REUSE", "Assert", "DType", "Dimension", "Graph", "GraphKeys", "InteractiveSession",
    "Operation", "Print", "Session", "Symbol", "Tensor", "TensorShape", "Variable",
    "VariableScope", "add_to_collection", "all_variables", "as_dtype", "assign", "assign_add",
    "assign_sub", "case", "cond", "constant", "control_dependencies", "convert_to_tensor",
    "device", "double", "errors", "float16", "float32", "float64", "get_collection",
    "get_default_graph", "get_default_session", "get_variable", "get_variable_scope",
    "global_variables", "global_variables_initializer", "gradients", "group", "half",
    "initialize_all_variables", "int8", "int16", "int32", "int64", "linalg",
    "local_variables_initializer", "losses", "math", "name_scope", "newaxis", "nn", "no_op",
    "placeholder", "placeholder_with_default", "random", "reset_default_graph", "train",
    "trainable_variables", "uint8", "uint16", "uint32", "uint64", "variable_scope",
    "variables_initializer", "while_loop",
]  # fmt: skip
