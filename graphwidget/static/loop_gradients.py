"""Derivatives of loops and branches.

An iteration of a loop is differentiated as a region of its own: it computes the iteration again
from what it began with, which the loop keeps, and walks back through that. Random numbers and
variables are kept too, for they would not be the same again. ``WhileGrad`` runs that region for the
last iteration first. A branch is differentiated into a branch: the gradient of a ``Cond`` is a
``Cond``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .add_operation import emit, make_constant
from .differentiate import SPECIAL, Given, Pairs, backprop
from .graph import Graph, Operation, Region
from .symbol import Spec, Symbol


def while_gradient(operation: Operation, grads: Given) -> Pairs:
    """The gradients of a loop's first values, and of what its body reads from outside."""
    graph = operation.graph
    _, body = operation.regions
    count = len(operation.outputs) - 1
    floats = [i for i in range(count) if operation.outputs[i].dtype.is_floating]
    captured = [each for each in body.captures() if each.dtype.is_floating]
    kept = keep_stateful(body, count)
    step = Region(graph.region, "body")
    with graph.entering(step):
        values = [argument(graph, each) for each in body.inputs]
        again = [argument(graph, each) for each in kept]
        carried = [argument(graph, body.inputs[i]) for i in floats]
        step.inputs = [*values, *again, *carried]
        copies = dict(zip([*body.inputs, *kept], [*values, *again], strict=True))
        outputs = copied(graph, body, copies, body.outputs[:count])
        starts = [(outputs[i], grad) for i, grad in zip(floats, carried, strict=True)]
        xs = [*(values[i] for i in floats), *captured]
        found = backprop(graph, starts, xs, within=step)
        step.outputs = [or_zeros(each, x) for x, each in zip(xs, found, strict=True)]
    operation.params["keep"][0] = True
    first = [or_zeros(grads[i], operation.outputs[i]) for i in floats]
    sums = [zeros(each) for each in captured]
    started = [operation.inputs[i] for i in floats]
    wanted = [*started, *captured]
    made = graph.create(
        "WhileGrad", (operation.outputs[-1], *first, *sums),
        [Spec(x.dtype.base_dtype, x.sizes) for x in wanted if x is not None],
        params={"carried": len(floats)}, regions=(step,),
    )  # fmt: skip
    return [(x, grad) for x, grad in zip(wanted, made.outputs, strict=True) if x is not None]


def zeros(symbol: Symbol) -> Symbol:
    """Zeros like a symbol."""
    return emit("zeros_like", (symbol,))[0]


def or_zeros(grad: Symbol | None, symbol: Symbol) -> Symbol:
    """A gradient, or zeros where there is none."""
    return zeros(symbol) if grad is None else grad


def argument(graph: Graph, symbol: Symbol) -> Symbol:
    """A symbol that a region is given, like another."""
    spec = Spec(symbol.dtype.base_dtype, symbol.sizes)
    return graph.create("Argument", (), [spec]).outputs[0]


def stateful(region: Region) -> list[Symbol]:
    """Return the operations of a region whose results would differ in a second run.

    Raises:
        NotImplementedError: it lies in a loop inside the region.
    """
    found = []
    for operation in region.operations:
        if changes(operation):
            found += operation.outputs
        for inner in operation.regions:
            if stateful(inner):
                raise NotImplementedError(
                    f"The gradient through '{operation.name}' would have to draw its random "
                    "numbers, or read its variables, again: move them out of the inner loop."
                )
    return found


def changes(operation: Operation) -> bool:
    """Return whether an operation may give something else next time."""
    if operation.type == "Random":
        return True
    return operation.type == "Identity" and any(each.dtype.is_ref for each in operation.operands)


def keep_stateful(body: Region, count: int) -> list[Symbol]:
    """Let a loop keep what would not be the same again: further outputs of its body."""
    for symbol in stateful(body):
        if symbol not in body.outputs[count:]:
            body.outputs.append(symbol)
    return body.outputs[count:]


def copied(
    graph: Graph, region: Region, copies: dict[Symbol, Symbol], wanted: Sequence[Symbol]
) -> list[Symbol]:
    """A region's operations once more, where the graph is being built; ``copies`` says what stands
    for which symbol, and learns of the rest."""
    for operation in list(region.operations):
        if not operation.outputs or all(each in copies for each in operation.outputs):
            continue
        regions = [copied_region(graph, each, copies) for each in operation.regions]
        params = {name: replaced(each, copies) for name, each in operation.params.items()}
        if operation.type == "While":
            params["keep"] = [False]
        again = graph.create(
            operation.type, [None if each is None else copies.get(each, each)
                             for each in operation.inputs],
            [each.spec for each in operation.outputs], op=operation.op, params=params,
            name=operation.name.rpartition("/")[2], regions=regions,
        )  # fmt: skip
        copies.update(zip(operation.outputs, again.outputs, strict=True))
    return [copies.get(each, each) for each in wanted]


def copied_region(graph: Graph, region: Region, outer: dict[Symbol, Symbol]) -> Region:
    """A region once more, in the one that is being built."""
    made = Region(graph.region, region.kind)
    copies = dict(outer)
    with graph.entering(made):
        made.inputs = [argument(graph, each) for each in region.inputs]
        copies.update(zip(region.inputs, made.inputs, strict=True))
        made.outputs = copied(graph, region, copies, region.outputs)
    return made


def replaced(value: Any, copies: dict[Symbol, Symbol]) -> Any:
    """Params with copies in the place of symbols."""
    if isinstance(value, Symbol):
        return copies.get(value, value)
    if isinstance(value, (tuple, list)):
        return type(value)(replaced(each, copies) for each in value)
    return value


# Branches ----------------------------------------------------------------------------------------
def cond_gradient(operation: Operation, grads: Given) -> Pairs:
    """The gradients of what the branches read: those of the branch that ran."""
    graph = operation.graph
    captured = list(dict.fromkeys(
        each for region in operation.regions for each in region.captures()
        if each.dtype.is_floating
    ))  # fmt: skip
    again = [keep_branch(operation, place) for place in (0, 1)]
    branches = []
    for region, copies in zip(operation.regions, again, strict=True):
        made = Region(graph.region, "branch")
        with graph.entering(made):
            outputs = copied(graph, region, dict(copies), region.outputs)
            starts = [(y, grad) for y, grad in zip(outputs, grads, strict=False)
                      if grad is not None and y.dtype.is_floating]  # fmt: skip
            found = branch_gradients(graph, made, starts, captured)
            made.outputs = [or_zeros(each, x) for x, each in zip(captured, found, strict=True)]
        branches.append(made)
    specs = [Spec(each.dtype.base_dtype, each.sizes) for each in captured]
    gradient = graph.create("Cond", operation.inputs, specs, regions=branches)
    return list(zip(captured, gradient.outputs, strict=True))


def branch_gradients(
    graph: Graph, region: Region, starts: Pairs, captured: Sequence[Symbol]
) -> list[Symbol | None]:
    """The same of one branch, which may also hand on what it captured."""
    return backprop(graph, starts, captured, within=region)


def keep_branch(operation: Operation, place: int) -> dict[Symbol, Symbol]:
    """Let a condition give what a branch would compute differently another time; what the other
    branch gives in its stead is not read."""
    region, other = operation.regions[place], operation.regions[1 - place]
    kept: dict[Symbol, Symbol] = {}
    for symbol in stateful(region):
        if symbol in region.outputs:
            kept[symbol] = operation.outputs[region.outputs.index(symbol)]
            continue
        with operation.graph.entering(other):
            nothing = make_constant(np.zeros((), symbol.dtype.numpy))
        region.outputs.append(symbol)
        other.outputs.append(nothing)
        spec = Spec(symbol.dtype.base_dtype, symbol.sizes)
        kept[symbol] = Symbol(operation, len(operation.outputs), spec)
        operation.outputs.append(kept[symbol])
    return kept


SPECIAL["While"] = while_gradient
SPECIAL["Cond"] = cond_gradient
