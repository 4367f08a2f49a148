"""``map_fn``, ``scan``, ``foldl``, ``foldr``: loops over what lies along the first dim.

Each is one ``While`` operation (see ``control_flow.py``) that counts. The iterations' results are
written into an array that begins as zeros. Like everything in a graph the array is a value: each
iteration makes it anew, and its gradient is the loop's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .add_operation import emit, make_constant, size_at
from .control_flow import arguments, check_invariant
from .convert import convert_to_tensor
from .dtypes import DType, as_dtype, float32
from .fills import zeros
from .graph import Graph, Region, get_default_graph
from .nest import check_same, flatten, pack_like
from .symbol import Spec, Symbol
from .tensor_shape import Sizes

Symbols = list[Symbol]
Number = Any
"""A symbol that is a number, on which operators work."""
Turn = Callable[[Number, Symbols], tuple[Symbols, Symbols]]
"""From an iteration's number and the state, the new state and what is kept of it."""
Function = Callable[..., Any]


def map_fn(
    fn: Function, elems: Any, dtype: Any = None, parallel_iterations: int | None = None,
    back_prop: bool = True, swap_memory: bool = False, infer_shape: bool = True,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Apply ``fn`` to each item along the first dim and stack the results.

    Args:
        elems: a tensor, or a structure of such that are equally long; ``fn`` gets such a structure.
        dtype: the types of what ``fn`` gives, in its structure, where it is not that of elems.

    Raises:
        TypeError, ValueError: ``fn`` gives something of another type or structure.
    """
    graph = get_default_graph()
    with graph.name_scope(name or "map"):
        items, count = items_of(elems, fn)
        structure = elems if dtype is None else dtype
        wanted = ([each.dtype.base_dtype for each in items] if dtype is None
                  else [as_dtype(each) for each in flatten(dtype)])  # fmt: skip

        def turn(place: Number, state: Symbols) -> tuple[Symbols, Symbols]:
            given = fn(pack_like(elems, [item_at(each, place) for each in items]))
            found = flat_like(structure, given, wanted)
            for each, kind in zip(found, wanted, strict=True):
                if each.dtype.base_dtype != kind:
                    raise TypeError(
                        f"map_fn expects {kind.name} of fn, which gives {each.dtype.name}: say so "
                        f"with dtype=tf.{each.dtype.base_dtype.name}."
                    )
            return [], found

        return pack_like(structure, loop(graph, count, turn, [])[1])


def scan(
    fn: Function, elems: Any, initializer: Any = None, parallel_iterations: int = 10,
    back_prop: bool = True, swap_memory: bool = False, infer_shape: bool = True,
    reverse: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """All that ``fn`` makes of what it made before and the next item, stacked.

    Args:
        initializer: what it begins with; the first item where it is left out.
        reverse: begin with the last item.

    Raises:
        TypeError, ValueError: ``fn`` gives something of another type or structure than it gets.
    """
    with get_default_graph().name_scope(name or "scan"):
        return folded(fn, elems, initializer, reverse)[1]


def foldl(
    fn: Function, elems: Any, initializer: Any = None, parallel_iterations: int = 10,
    back_prop: bool = True, swap_memory: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """Return the last result of ``fn`` on its former result and the next item (see ``scan``)."""
    with get_default_graph().name_scope(name or "foldl"):
        return folded(fn, elems, initializer, False, keep=False)[0]


def foldr(
    fn: Function, elems: Any, initializer: Any = None, parallel_iterations: int = 10,
    back_prop: bool = True, swap_memory: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """The same from the last item to the first."""
    with get_default_graph().name_scope(name or "foldr"):
        return folded(fn, elems, initializer, True, keep=False)[0]


# How ---------------------------------------------------------------------------------------------
def folded(
    fn: Function, elems: Any, initializer: Any, reverse: bool, keep: bool = True
) -> tuple[Any, Any]:
    """The last value, and all of them stacked, in the structure of the first."""
    graph = get_default_graph()
    items, count = items_of(elems, fn)
    structure = elems if initializer is None else initializer
    last = count - 1
    skipped = 0
    if initializer is None:
        begin = [item_at(each, last if reverse else make_constant(np.int32(0))) for each in items]
        skipped = 1
    else:
        begin = [convert_to_tensor(each) for each in flatten(initializer)]

    def turn(place: Number, state: Symbols) -> tuple[Symbols, Symbols]:
        here = last - place if reverse else place
        each = pack_like(elems, [item_at(item, here) for item in items])
        found = flat_like(structure, fn(pack_like(structure, state), each),
                          [each.dtype.base_dtype for each in state])  # fmt: skip
        for before, after, first in zip(state, found, begin, strict=True):
            check_invariant(before, after, first, first.sizes)
        return found, found if keep else []

    ends, stacks = loop(graph, count, turn, begin, skipped, reverse)
    return pack_like(structure, ends), pack_like(structure, stacks) if keep else None


def items_of(elems: Any, fn: Function) -> tuple[Symbols, Number]:
    """The tensors whose items are walked, and how many items there are.

    Raises:
        TypeError: ``fn`` is no function.
        ValueError: there is nothing to walk along.
    """
    if not callable(fn):
        raise TypeError(f"The fn argument must be callable, not {type(fn).__name__}.")
    found = [convert_to_tensor(each) for each in flatten(elems)]
    for each in found:
        if each.sizes == ():
            raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    first = found[0]
    size = first.sizes[0] if first.sizes else None
    return found, size_at(first, 0) if size is None else make_constant(np.int32(size))


def item_at(symbol: Symbol, place: Number) -> Symbol:
    """One item along the first dim."""
    found = emit("select", (symbol,), {"dim": 0, "index": place})[0]
    if symbol.sizes is not None:
        found.set_shape(symbol.sizes[1:])
    return found


def flat_like(structure: Any, given: Any, dtypes: Sequence[DType]) -> Symbols:
    """The symbols of what a function gave, which has this structure; numbers take these types.

    Raises:
        ValueError: it has another (TensorFlow's text).
    """
    check_same(structure, given)
    return [each if isinstance(each, Symbol) else convert_to_tensor(each, dtype)
            for each, dtype in zip(flatten(given), dtypes, strict=True)]  # fmt: skip


def loop(
    graph: Graph, count: Number, turn: Turn, state: Symbols, skipped: int = 0,
    reverse: bool = False,
) -> tuple[Symbols, Symbols]:  # fmt: skip
    """A loop that counts: the state it ends with, and what its iterations kept, stacked.

    Args:
        skipped: number of items (one or none) of which the state that it begins with is the
    outcome. reverse: what the first iteration keeps comes last."""
    first = [make_constant(np.int32(skipped)), *state]
    body, test = Region(graph.region, "body"), Region(graph.region, "cond")
    with graph.name_scope("while"):
        with graph.entering(body):
            arguments(graph, body, first, [each.sizes for each in first], "Identity")
            held = body.inputs[1:]
            place: Number = body.inputs[0]
            new, kept = turn(place, held)
            where = count - 1 - place if reverse else place
            stacks = [stack_of(graph, each, count) for each in kept]
            body.inputs += stacks
            written = [put(*each, where) for each in zip(stacks, kept, strict=True)]
            body.outputs = [place + 1, *new, *written]
        begun = count - 1 if reverse else make_constant(np.int32(0))
        starts = [blank(count, each) for each in kept]
        if skipped:
            starts = [put(*each, begun) for each in zip(starts, state, strict=False)]
        sizes = [each.sizes for each in body.inputs]
        with graph.entering(test):
            arguments(graph, test, body.inputs, sizes, "Merge")
            test.outputs = [emit("lt", (test.inputs[0], count))[0]]
        made = graph.create(
            "While", [*first, *starts], [*(each.spec for each in body.inputs), Spec(float32, None)],
            regions=(test, body), params={"keep": [False], "maximum_iterations": None},
        )  # fmt: skip
        # TensorFlow's loop counts its turns twice.
        ends = [handed_on(graph, each, f"Exit_{i}") for i, each in
                enumerate(made.outputs[1 : 1 + len(state)], 2)]  # fmt: skip
    full = []
    for each in made.outputs[1 + len(state) : -1]:
        with graph.name_scope("TensorArrayStack"):
            full.append(handed_on(graph, each, "TensorArrayGatherV3"))
    return ends, full


def handed_on(graph: Graph, symbol: Symbol, name: str) -> Symbol:
    """A result of a loop, by the name that TensorFlow gives it."""
    return graph.create("Exit", (symbol,), [symbol.spec], name=name).outputs[0]


def stack_of(graph: Graph, kept: Symbol, count: Number) -> Symbol:
    """A loop variable for what iterations keep."""
    spec = Spec(kept.dtype.base_dtype, stacked(constant_size(count), kept.sizes))
    return graph.create("Argument", (), [spec], name="Identity").outputs[0]


def constant_size(count: Number) -> int | None:
    """A number of items, where it is known."""
    return int(count.op.params["value"]) if count.op.type == "Const" else None


def stacked(size: int | None, sizes: Sizes | None) -> Sizes:
    """The shape of a number of values of a shape.

    Raises:
        ValueError: the shape is not known.
    """
    if sizes is None or None in sizes:
        raise ValueError(
            "What fn gives is of unknown shape: tell it with `set_shape`, for all turns write into "
            "one array."
        )
    return (size, *sizes)


def put(stack: Symbol, value: Symbol, place: Number) -> Symbol:
    """A stack with a value at a place."""
    found = emit("select_scatter", (stack, value), {"dim": 0, "index": place})[0]
    found.set_shape(stack.sizes)
    return found


def blank(count: Number, like: Symbol) -> Symbol:
    """A stack of zeros."""
    size = constant_size(count)
    return zeros([count if size is None else size, *(like.sizes or ())], like.dtype.base_dtype)


PUBLIC = ("map_fn", "scan", "foldl", "foldr")
