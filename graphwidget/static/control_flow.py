"""``while_loop``, ``cond``, ``case``: what the graph holds in regions; ``Print`` and ``Assert``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from .add_operation import make_constant
from .convert import convert_to_tensor
from .dtypes import float32
from .graph import Graph, Operation, Region, get_default_graph, node_text
from .nest import check_same, flatten, pack_like
from .symbol import Spec, Symbol
from .tensor_shape import Sizes, TensorShape, merged, shape_text, sizes_of


def while_loop(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any,
    shape_invariants: Any = None, parallel_iterations: int = 10, back_prop: bool = True,
    swap_memory: bool = False, maximum_iterations: Any = None, name: str | None = None,
    return_same_structure: bool = False,
) -> Any:  # fmt: skip
    """Repeat ``body`` while ``cond`` holds, both of them functions of the loop variables.

    Args:
        loop_vars: the variables' first values, in any structure.
        shape_invariants: shapes that hold in all iterations, where sizes change (``[None]``).

    Returns:
        the last values, in the structure that ``body`` returns; of one variable, that alone.

    Raises:
        ValueError, TypeError: the functions do not fit the variables (TensorFlow's texts).
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if loop_vars is None or (isinstance(loop_vars, (list, tuple)) and not loop_vars):
        raise ValueError("'loop_vars' must be provided.")
    if not isinstance(loop_vars, (list, tuple)):
        loop_vars = [loop_vars]
    graph = get_default_graph()
    with graph.name_scope(name or "while"):
        first = [convert_to_tensor(each) for each in flatten(loop_vars)]
        shapes = invariants(first, shape_invariants, loop_vars)
        test = Region(graph.region, "cond")
        with graph.entering(test):
            arguments(graph, test, first, shapes, "Merge")
            holds = convert_to_tensor(cond(*pack_like(loop_vars, test.inputs)))
            check_loop_condition(holds)
            test.outputs = [holds]
        inner = Region(graph.region, "body")
        with graph.entering(inner):
            arguments(graph, inner, first, shapes, "Identity")
            given = body(*pack_like(loop_vars, inner.inputs))
            found, last = structured(given, loop_vars)
            check_same(pack_like(list(loop_vars), inner.inputs), found)
            for before, after, start, shape in zip(inner.inputs, last, first, shapes, strict=True):
                check_invariant(before, after, start, shape)
            inner.outputs = last
        specs = [Spec(each.dtype.base_dtype, shape)
                 for each, shape in zip(first, shapes, strict=True)]  # fmt: skip
        limit = None if maximum_iterations is None else int(maximum_iterations)
        made = graph.create(
            "While", first, [*specs, Spec(float32, None)], regions=(test, inner),
            params={"keep": [False], "maximum_iterations": limit}, name="while",
        )  # fmt: skip
        exits = passed_on(graph, made.outputs[:-1], "Exit")
    result = pack_like(found, exits)
    return exits[0] if len(exits) == 1 and not return_same_structure else result


def invariants(first: Sequence[Symbol], given: Any, structure: Any) -> list[Sizes | None]:
    """The shapes that the variables have in all iterations."""
    if given is None:
        return [each.sizes for each in first]
    shapes = [sizes_of(each) for each in leaves(given, structure)]
    for symbol, shape in zip(first, shapes, strict=True):
        if merged(symbol.sizes, shape) is False:
            raise ValueError(
                f"The shape invariant specified for {symbol.name} is not compatible with the "
                f"initial shape of the loop variable. It enters the loop with shape "
                f"{symbol.shape}, but the specified shape invariant is {TensorShape(shape)}."
            )
    return shapes


def leaves(given: Any, structure: Any) -> list[Any]:
    """The shapes in a structure like another: a shape may itself be a list."""
    if isinstance(structure, (list, tuple)):
        pairs = zip(given, structure, strict=True)
        return [each for one, part in pairs for each in leaves(one, part)]
    if isinstance(structure, dict):
        return [each for key in sorted(structure) for each in leaves(given[key], structure[key])]
    return [given]


def arguments(
    graph: Graph, region: Region, first: Sequence[Symbol], shapes: Sequence[Any], name: str
) -> None:
    """Give a region a symbol for each loop variable."""
    for symbol, shape in zip(first, shapes, strict=True):
        spec = Spec(symbol.dtype.base_dtype, shape)
        region.inputs.append(graph.create("Argument", (), [spec], name=name).outputs[0])


def structured(given: Any, loop_vars: Any) -> tuple[Any, list[Symbol]]:
    """Return a body's result as a sequence, and the symbols in it."""
    several = isinstance(given, (list, tuple)) and not (
        len(loop_vars) == 1 and isinstance(loop_vars[0], (list, tuple))
        and len(given) != 1
    )  # fmt: skip
    found = given if several else [given]
    return found, [convert_to_tensor(each) for each in flatten(found)]


def check_loop_condition(holds: Symbol) -> None:
    """Check that a condition is a bool.

    Raises:
        TypeError: it is not (TensorFlow's text).
    """
    if not holds.dtype.is_bool:
        raise TypeError(
            f"Input 'input' of 'LoopCond' Op has type {holds.dtype.base_dtype.name} that does not "
            "match expected type of bool."
        )


def check_invariant(before: Symbol, after: Symbol, start: Symbol, shape: Sizes | None) -> None:
    """Check that a variable after an iteration has its type and shape from before.

    Raises:
        TypeError, ValueError: it has another type, or a shape that the next iteration cannot have.
    """
    if before.dtype.base_dtype != after.dtype.base_dtype:
        raise TypeError(
            f"Input tensor '{start.name}' enters the loop with type {before.dtype.name}, but has "
            f"type {after.dtype.base_dtype.name} after one iteration."
        )
    known = merged(shape, after.sizes)
    if shape is None or (known is not False and known == after.sizes):
        return
    raise ValueError(
        f"Input tensor '{start.name}' enters the loop with shape {shape_text(shape)}, but has "
        f"shape {after.shape} after one iteration. To allow the shape to vary across iterations, "
        "use the `shape_invariants` argument of tf.while_loop to specify a less-specific shape."
    )


def passed_on(graph: Graph, symbols: Sequence[Symbol], name: str) -> list[Symbol]:
    """Each result as an operation of its own, by the name that users see."""
    return [
        graph.create(name, (each,), [Spec(each.dtype, each.sizes)], name=name).outputs[0]
        for each in symbols
    ]


# Branches ----------------------------------------------------------------------------------------
def cond(
    pred: Any, true_fn: Any = None, false_fn: Any = None, strict: bool = False,
    name: str | None = None, fn1: Any = None, fn2: Any = None,
) -> Any:  # fmt: skip
    """Return ``true_fn()`` where ``pred`` holds, else ``false_fn()``.

    Raises:
        ValueError, TypeError: the two do not give the same kind of thing (TensorFlow's texts).
    """
    true_fn = fn1 if true_fn is None else true_fn
    false_fn = fn2 if false_fn is None else false_fn
    for label, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(function):
            raise TypeError(f"'{label}' must be callable.")
    if isinstance(pred, bool):
        raise TypeError("'pred' must not be a Python bool.")
    graph = get_default_graph()
    with graph.name_scope(name or "cond") as scope:
        pred = convert_to_tensor(pred)
        check_pred(pred, scope)
        yes, one = branch(graph, true_fn, "true_fn")
        no, two = branch(graph, false_fn, "false_fn")
        check_same(one, two)
        for a, b in zip(yes.outputs, no.outputs, strict=True):
            if a.dtype.base_dtype != b.dtype.base_dtype:
                raise ValueError(
                    "Outputs of 'true_fn' and 'false_fn' must have the same type(s). Received "
                    f"{a.dtype.base_dtype.name} from 'true_fn' and {b.dtype.base_dtype.name} from "
                    "'false_fn'."
                )
        specs = [Spec(a.dtype.base_dtype, common(a.sizes, b.sizes))
                 for a, b in zip(yes.outputs, no.outputs, strict=True)]  # fmt: skip
        made = graph.create("Cond", (pred,), specs, regions=(yes, no), name="cond")
        merges = passed_on(graph, made.outputs, "Merge")
    result = pack_like(one, merges)
    alone = isinstance(result, (list, tuple)) and len(result) == 1 and not strict
    return result[0] if alone else result


def check_pred(pred: Symbol, scope: str) -> None:
    """Check that a predicate is one bool.

    Raises:
        TypeError, ValueError: it is not (TensorFlow's texts).
    """
    if not pred.dtype.is_bool:
        raise TypeError(
            f"Input 'pred' of 'Switch' Op has type {pred.dtype.base_dtype.name} that does not "
            "match expected type of bool."
        )
    if pred.sizes:
        where = node_text(f"{scope}Switch", "Switch", (pred, pred), "T=DT_BOOL")
        raise ValueError(f"Shape must be rank 0 but is rank {len(pred.sizes)} for {where}.")


def branch(graph: Graph, function: Callable[[], Any], label: str) -> tuple[Region, Any]:
    """A branch as a region, and what the function returned."""
    region = Region(graph.region, "branch")
    with graph.entering(region):
        given = function()
        if given is None:
            raise ValueError(f"'{label}' must have a return value.")
        region.outputs = [as_output(graph, each) for each in flatten(given)]
    return region, pack_like(given, region.outputs)


def as_output(graph: Graph, value: Any) -> Symbol:
    """A result of a branch; of an operation, a symbol that waits for it."""
    if isinstance(value, Operation):
        with graph.control_dependencies([value]):
            return make_constant(np.array(True), "control_dependency")
    symbol = convert_to_tensor(value)
    if symbol.dtype.is_ref:
        spec = Spec(symbol.dtype.base_dtype, symbol.sizes)
        return graph.create("Identity", (symbol,), [spec]).outputs[0]
    return symbol


def common(one: Sizes | None, two: Sizes | None) -> Sizes | None:
    """Return the shape that two shapes have in common."""
    if one is None or two is None or len(one) != len(two):
        return None
    return tuple(a if a == b else None for a, b in zip(one, two, strict=True))


def case(pred_fn_pairs: Any, default: Any = None, exclusive: bool = False, strict: bool = False,
         name: str = "case") -> Any:  # fmt: skip
    """Return the result of the first predicate that holds, else of the default."""
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    with get_default_graph().name_scope(name):
        if default is None:
            *pairs, (_, default) = pairs
        for pred, function in reversed(pairs):
            default = partial(cond, pred, function, default, strict)
        return default()


# tf.Print and tf.Assert --------------------------------------------------------------------------


def Print(input_: Any, data: Any, message: str = "", first_n: Any = None,
          summarize: Any = None, name: str | None = None) -> Symbol:  # fmt: skip
    """The same value, which shows others whenever it is computed."""
    symbol = convert_to_tensor(input_)
    shown = [convert_to_tensor(each) for each in data]
    spec = Spec(symbol.dtype.base_dtype, symbol.sizes)
    made = get_default_graph().create(
        "Print", (symbol, *shown), [spec], params={"message": message}, name=name or "Print"
    )
    return made.outputs[0]


def Assert(condition: Any, data: Any, summarize: Any = None, name: str | None = None) -> Operation:
    """An operation that fails, showing values, where a condition does not hold."""
    parts = [convert_to_tensor(each) for each in (condition, *data)]
    return get_default_graph().create("Assert", parts, (), name=name or "Assert")
