"""``gradients``: the graph that computes derivatives, built from the op table's own formulas.

The operations between xs and ys are walked once, from the last to the first. Each gives the
gradients of its operands by its formula in the table, applied to ``Operand``s (see ``operand.py``).
A formula that must know what only a run knows becomes one operation that applies it to arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from ..optable.declare import Formula, Op, bind
from .add_operation import emit, make_shape, make_sum_to
from .convert import convert_to_tensor
from .graph import Graph, Operation, Region, get_default_graph
from .operand import SYMBOLS, CannotBuild, Operand, bare, sum_to_size
from .symbol import Symbol

NONE = {
    "Floor", "Ceil", "Round", "Rint", "FloorDiv", "TruncateDiv", "OneHot", "ArgMax", "ArgMin",
    "Shape", "StopGradient", "Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual",
}  # fmt: skip
"""Through which TensorFlow lets no gradient flow, not even zeros."""

Given = list[Symbol | None]
Pairs = list[tuple[Symbol, Symbol]]


def gradients(
    ys: Any, xs: Any, grad_ys: Any = None, name: str = "gradients",
    colocate_gradients_with_ops: bool = False, gate_gradients: bool = False,
    aggregation_method: Any = None, stop_gradients: Any = None,
    unconnected_gradients: Any = "none",
) -> list[Symbol | None]:  # fmt: skip
    """The derivatives of the sum of ys by each of xs; None where there is none.

    Args:
        grad_ys: the weights of ys, of their shapes; ones where left out.
        stop_gradients: symbols taken for constants.

    Raises:
        ValueError: there are not as many weights as ys.
    """
    targets = [convert_to_tensor(each) for each in as_list(ys)]
    sources = [as_source(each) for each in as_list(xs)]
    weights = [None] * len(targets) if grad_ys is None else as_list(grad_ys)
    if len(weights) != len(targets):
        raise ValueError(f"Length mismatch. Passed {len(weights)} grad_ys for {len(targets)} ys")
    graph = targets[0].graph if targets else get_default_graph()
    with graph.name_scope(name):
        starts: Pairs = []
        for place, (y, weight) in enumerate(zip(targets, weights, strict=True)):
            if y.dtype.is_floating:
                starts.append((y, start_of(y, weight, f"grad_ys_{place}")))
        stops = {as_source(each) for each in as_list(stop_gradients or [])}
        found = backprop(graph, starts, sources, stops)
        if str(unconnected_gradients).endswith("zero"):
            found = [emit("zeros_like", (x,))[0] if each is None else each
                     for x, each in zip(sources, found, strict=True)]  # fmt: skip
        return found


def as_list(value: Any) -> list[Any]:
    """A list of what may be one thing or several."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def as_source(value: Any) -> Symbol:
    """Return the symbol to differentiate by: a variable's reference."""
    ref = getattr(value, "ref", None)
    return convert_to_tensor(value) if ref is None else ref


def start_of(y: Symbol, weight: Any, name: str) -> Symbol:
    """The gradient with which the walk begins."""
    if weight is None:
        return emit("ones_like", (y,), type="Fill", name=name)[0]
    found = convert_to_tensor(weight, None if isinstance(weight, Symbol) else y.dtype.base_dtype,
                              name=name)  # fmt: skip
    if found.dtype.base_dtype != y.dtype.base_dtype:
        raise TypeError(
            f"Gradient of type {found.dtype.name} was given for {y}, whose type is "
            f"{y.dtype.base_dtype.name}."
        )
    if None not in (found.sizes, y.sizes) and len(found.sizes) != len(y.sizes):  # type: ignore[arg-type]
        raise ValueError(f"Gradient of shape {found.shape} was given for {y}.")
    return found


def backprop(
    graph: Graph, starts: Pairs, xs: Sequence[Symbol], stops: Iterable[Symbol] = (),
    within: Region | None = None,
) -> list[Symbol | None]:  # fmt: skip
    """The walk itself.

    Args:
        starts: symbols and their gradients.
        within: walk only through this region's operations; through all that is visible, without.
    """
    stopped = set(stops)
    between, reached = operations_between([y for y, _ in starts], xs, stopped, within)
    grads: dict[Symbol, list[Symbol]] = {}
    for y, grad in starts:
        grads.setdefault(y, []).append(grad)
    for operation in reversed(between):
        given = [total(grads, each) for each in operation.outputs]
        if all(each is None for each in given) or operation.type in NONE:
            continue
        with graph.name_scope(f"{operation.name.rpartition('/')[2]}_grad"):
            for symbol, grad in derivative(operation, given, reached):
                if symbol not in stopped:
                    grads.setdefault(symbol, []).append(grad)
    return [total(grads, x) for x in xs]


def total(grads: dict[Symbol, list[Symbol]], symbol: Symbol) -> Symbol | None:
    """The sum of the gradients that arrived at a symbol."""
    found = grads.get(symbol)
    if not found:
        return None
    while len(found) > 1:
        grads[symbol] = found = [emit("add", found[:2], type="AddN")[0], *found[2:]]
    return found[0]


def operations_between(
    ys: Iterable[Symbol], xs: Iterable[Symbol], stops: set[Symbol], within: Region | None
) -> tuple[list[Operation], set[Symbol]]:
    """The operations on the ways from xs to ys, in order, and the symbols on them."""
    seen: dict[int, Operation] = {}
    left = [y.op for y in ys]
    while left:
        operation = left.pop()
        if operation._id in seen or (within is not None and operation.region is not within):
            continue
        seen[operation._id] = operation
        left += (each.op for each in reads(operation) if each not in stops)
    reached = set(xs)
    found = []
    for place in sorted(seen):
        operation = seen[place]
        if any(each in reached and each not in stops for each in reads(operation)):
            found.append(operation)
            reached.update(each for each in operation.outputs if each.dtype.is_floating)
    return found, reached


def reads(operation: Operation) -> list[Symbol]:
    """The symbols that an operation reads, inside its regions too."""
    inner = [each for region in operation.regions for each in region.captures()]
    return [*(each for each in operation.inputs if each is not None), *inner]


# One operation -----------------------------------------------------------------------------------
def derivative(operation: Operation, grads: Given, reached: set[Symbol]) -> Pairs:
    """The gradients of what an operation reads and xs reach, by those of what it gives."""
    own = SPECIAL.get(operation.type) if operation.op is None else None
    if own is not None:
        return own(operation, grads)
    if operation.op is None or operation.op.nograd:
        return []
    wanted = [
        name for name, symbol in zip(operation.op.inputs, operation.inputs, strict=False)
        if symbol in reached and name in operation.op.derivatives and symbol.dtype.is_floating
    ]  # fmt: skip
    if operation.op.variadic:
        wanted = list(operation.op.derivatives)
    if not wanted:
        return []
    try:
        return built(operation, grads, wanted)
    except (CannotBuild, TypeError, AttributeError, ValueError) as error:
        raise LookupError(
            f"No gradient defined for operation '{operation.name}': {error}"
        ) from error


@cache
def on_symbols(formula: Formula) -> Formula:
    """A formula with ``F`` for operands."""
    return bind(formula, SYMBOLS)


def built(operation: Operation, grads: Given, wanted: Sequence[str]) -> Pairs:
    """The formulas applied to symbols."""
    op = operation.op
    assert op is not None
    known: dict[Any, Any] = {}
    found: Pairs = []
    for name in wanted:
        each = op.derivatives[name]
        if each.formula not in known:
            needs = [needed(operation, grads, wanted, need) for need in each.needs]
            known[each.formula] = on_symbols(each.formula)(*needs)
        result = known[each.formula]
        if each.place is not None:
            result = result[each.place]
        targets = operation.inputs if op.variadic else [operation.inputs[op.inputs.index(name)]]
        results = result if op.variadic else [result]
        for symbol, grad in zip(targets, results, strict=True):
            if grad is not None and symbol is not None and symbol.dtype.is_floating:
                found.append((symbol, fitted(bare(grad), symbol, broadcasts(op))))
    return found


def broadcasts(op: Op) -> bool:
    """Return whether the operands may have been broadcast, or had several types."""
    return op.pointwise or (len(op.derivatives) > 1 and op.single)


def fitted(grad: Symbol, symbol: Symbol, may_differ: bool) -> Symbol:
    """A gradient in the shape and type of what it belongs to."""
    if may_differ and not same_sizes(grad, symbol):
        if symbol.sizes is None:
            grad = make_sum_to(grad, (make_shape(symbol),))
        else:
            grad = bare(sum_to_size(Operand(grad), Operand(symbol).shape))
    if grad.dtype.base_dtype != symbol.dtype.base_dtype:
        grad = emit("to_copy", (grad,), {"dtype": symbol.dtype.numpy})[0]
    return grad


def same_sizes(one: Symbol, two: Symbol) -> bool:
    """Return whether two symbols certainly have one shape."""
    return one.sizes is not None and None not in one.sizes and one.sizes == two.sizes


def needed(operation: Operation, grads: Given, wanted: Sequence[str], need: str) -> Any:
    """Return the value that a formula's parameter names."""
    op = operation.op
    assert op is not None
    if need == "grad":
        if grads[0] is None:
            raise CannotBuild("there is no gradient of the first result")
        return Operand(grads[0])
    if need in ("grads", "some_grads"):
        shown = len(operation.outputs) - len(op.kept)
        pairs = zip(grads[:shown], operation.outputs, strict=False)
        zeros = need == "grads"
        return tuple(
            Operand(grad) if grad is not None
            else SYMBOLS.zeros_like(Operand(each)) if zeros else None for grad, each in pairs
        )  # fmt: skip
    if need == "targets":
        return tuple(wanted)
    names = [*op.outputs, *op.kept]
    if need in names:
        return Operand(operation.outputs[names.index(need)])
    if need in op.params:
        return wrapped(operation.params[need])
    if op.variadic:
        if need in op.inputs:
            return [operand_or_none(each) for each in operation.inputs]
        return [fact(each, need.rpartition("_")[2]) for each in operation.inputs]
    if need in op.inputs:
        return operand_or_none(operation.inputs[op.inputs.index(need)])
    source, _, what = need.removeprefix("_").rpartition("_")
    return fact(operation.inputs[op.inputs.index(source)], what)


def operand_or_none(symbol: Symbol | None) -> Operand | None:
    """An operand; None for one that was left out."""
    return None if symbol is None else Operand(symbol)


def fact(symbol: Symbol | None, what: str) -> Any:
    """The shape, type or number of dims of an operand."""
    if symbol is None:
        return None
    operand = Operand(symbol)
    if what == "strides":  # in C order: the layout of values in memory is not known yet
        steps = [operand.dtype.itemsize]
        for size in reversed(operand.shape[1:]):
            steps.append(steps[-1] * size)
        return tuple(reversed(steps)) if operand.shape else ()
    if what == "dtype":
        return operand.dtype
    return operand.shape if what == "shape" else operand.ndim


def wrapped(value: Any) -> Any:
    """Params with operands in the place of symbols."""
    if isinstance(value, Symbol):
        return Operand(value)
    if isinstance(value, (tuple, list)):
        return type(value)(wrapped(each) for each in value)
    return value


# What is no op of the table --------------------------------------------------------------------
def pass_on(operation: Operation, grads: Given) -> Pairs:
    """The gradient of what is merely handed on."""
    symbol, grad = operation.inputs[0], grads[0]
    return [] if symbol is None or grad is None else [(symbol, grad)]


def spread_back(operation: Operation, grads: Given) -> Pairs:
    """The gradient of a sum over what a broadcast stretched."""
    symbol, grad = operation.inputs[0], grads[0]
    if symbol is None or grad is None:
        return []
    return [(symbol, bare(SYMBOLS.expand(Operand(grad), Operand(symbol).shape)))]


SPECIAL: dict[str, Callable[[Operation, Given], Pairs]] = {
    "Identity": pass_on, "PlaceholderWithDefault": pass_on, "Exit": pass_on, "Merge": pass_on,
    "Print": pass_on, "SumTo": spread_back,
}  # fmt: skip
"""The derivatives of operations that are no ops of the table."""
