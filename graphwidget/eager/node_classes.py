"""Generates the node classes: one for each op and choice of inputs that need gradients.

A node class has a slot for exactly what its derivatives read, and two generated methods that
unpack it with version checks, release it and apply the formulas: one on arrays, one on Tensors.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from operator import attrgetter
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..graph import errors, runtime
from ..graph.input_buffers import add_gradient
from ..graph.node import AccumulateGrad, Node, NoGradViewEnd
from ..graph.saved_hooks import Packed, PackedIndices
from ..graph.tensor import Tensor
from ..optable.declare import ARRAYS, GRADIENTS, TABLE, Derivative, Namespace, Op, bind
from .promote import QUIET, fit_to, ignore_errors, quiet_lines, restore_errors

JUMPS = frozenset((*dis.hasjrel, *dis.hasjabs))
SIGNS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/"}


class Expression:
    """An operand that writes down, as Python source, what is calculated with it."""

    def __init__(self, source: str) -> None:
        self.source = source

    def __neg__(self) -> Expression:
        return Expression(f"(-{self.source})")


def _calculation(sign: str, swapped: bool) -> Callable[[Expression, Any], Any]:
    def calculate(self: Expression, other: Any) -> Any:
        if other.__class__ not in (Expression, int, float):
            return NotImplemented
        pair = (self.source, getattr(other, "source", repr(other)))
        return Expression(f"({f' {sign} '.join(reversed(pair) if swapped else pair)})")

    return calculate


for _name, _sign in SIGNS.items():
    setattr(Expression, f"__{_name}__", _calculation(_sign, False))
    setattr(Expression, f"__r{_name}__", _calculation(_sign, True))


def only_calculates(code: CodeType) -> bool:
    """Return whether the code knows nothing but its arguments, and decides nothing."""
    return not code.co_names and JUMPS.isdisjoint(code.co_code[::2])


def inline_formula(formula: Callable[..., Any], arguments: Sequence[str]) -> str | None:
    """The formula of these arguments as source; None if it does more than calculate."""
    if not only_calculates(formula.__code__):
        return None
    try:
        found = formula(*map(Expression, arguments))
    except TypeError:  # there are more operators
        return None
    return found.source if isinstance(found, Expression) else None


class Functions(Namespace):
    """An ``F`` of functions that (nearly all) return one Tensor."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Tensor]: ...


TENSORS: Functions = Functions()
"""``F`` on Tensors: the record functions."""

HELD = ("indices",)
"""Metadata that are tensors (``Node.held``)."""


def target_choices(op: Op) -> Iterator[tuple[str, ...]]:
    """Every non-empty choice of differentiable inputs, in signature order, most first."""
    names = tuple(op.derivatives)
    for wanted in product((True, False), repeat=len(names)):
        if any(wanted):
            yield tuple(name for name, want in zip(names, wanted, strict=True) if want)


def node_class_name(op: Op, targets: tuple[str, ...]) -> str:
    """The generated class's name among the globals."""
    return f"node_{op.key.replace('.', '_')}__{'_'.join(targets)}"


# Node classes ----------------------------------------------------------------------------


def unpack_source(op: Op, targets: tuple[str, ...], arrays: bool) -> list[str]:
    """Lines that unpack what was saved, with checks, and release it."""
    lines = []
    saved = op.saved_by(targets)
    for name in saved:
        lines += [
            f"    {name} = node.saved_{name}",
            f"    if {name} is None: raise freed_error(node)",
        ]
        if name in op.outputs:
            lines += output_source(name, arrays)
        else:
            lines += input_source(name, arrays)
            if not arrays and name in op.optional:
                lines.append(f"    if {name}._data is None: {name} = None")
    metadata = tensor_metadata(op, targets)
    for name in metadata:
        lines += [f"    {name} = node.p_{name}", f"    if {name} is None: raise freed_error(node)"]
        lines.append(f"    if {name}.__class__ is PackedIndices: {name} = list({name})")
        lines.append(f"    else: {name}.check(node)")
    hidden = [name for name in op.metadata(targets) if name in op.hidden]
    lines += [f"    {name} = node.p_{name}" for name in hidden]
    left_out = [name for name in saved if name in op.optional]
    released = [f"node.saved_{name}" for name in saved if name not in left_out]
    released += [f"node.p_{name}" for name in (*metadata, *hidden)]
    if released:
        lines.append("    if not keep: " + " = ".join(released) + " = None")
    for name in left_out:  # nothing cannot be freed
        lines.append(f"    if not keep and {name} is not None: node.saved_{name} = None")
    return lines


def tensor_metadata(op: Op, targets: tuple[str, ...]) -> tuple[str, ...]:
    """The metadata that are tensors, of a node with these targets."""
    return tuple(name for name in op.metadata(targets) if name in HELD)


def input_source(name: str, arrays: bool) -> list[str]:
    """Lines that check a saved input and make it an array where that is asked for. A ``Packed``
    has no counter, and its ``_data`` asks the user's hook."""
    unpack = f"node.unpack({name!r})"
    return [
        f"    counter = {name}._counter",
        f"    if counter is not None and counter.version != node.version_{name}:",
        f"        raise version_error(node, {name!r}, *{unpack})",
        f"    {name} = {name}._data"
        if arrays
        else f"    if {name}.__class__ is Packed: {name} = {unpack}[0]",
    ]


def output_source(name: str, arrays: bool) -> list[str]:
    """Like ``input_source``, for a saved output, which is an array or ``Packed``."""
    unpack = f"node.unpack({name!r})"
    taken = f"    if {name}.__class__ is Packed: {name} = {name}._data"
    return [
        f"    counter = node.counter_{name}",
        f"    if counter is not None and counter.version != node.version_{name}:",
        f"        if {name}.__class__ is not Packed:",
        f"            raise version_error(node, {name!r}, *{unpack})",
        taken if arrays else f"    {name} = {unpack}[0]",
    ]


def formula_source(op: Op, targets: tuple[str, ...], arrays: bool) -> list[str]:
    """For each target the expression of its gradient, once all is unpacked. A formula that gives
    several is called for the first of them; one that only calculates stands there itself."""
    local = (*op.saved_by(targets), *HELD, *op.hidden)
    results = []
    called: dict[Any, str] = {}
    for target in targets:
        derivative = op.derivatives[target]
        place = derivative.place
        if place is not None and derivative.formula in called:
            results.append(f"{called[derivative.formula]}[{place}]")
            continue
        args = [
            "grad"
            if need in GRADIENTS
            else need
            if need in local
            else "node.targets"
            if need == "targets"
            else f"node.p_{need}"
            for need in derivative.needs
        ]
        call = inline_formula(derivative.formula, args)
        if call is None:
            call = f"{target}_{'arrays' if arrays else 'tensors'}({', '.join(args)})"
        if place is not None:
            called[derivative.formula] = parts = f"parts_{target}"
            call = f"({parts} := {call})[{place}]"
        results.append(call)
    return results


def backward_source(op: Op, targets: tuple[str, ...], arrays: bool) -> str:
    """The source of one backward method: unpack, release, apply the formulas."""
    lines = [f"def {'backward_arrays' if arrays else 'backward_tensors'}(node, grad, keep):"]
    lines += unpack_source(op, targets, arrays)
    results = formula_source(op, targets, arrays)
    if not op.single and "grad" in op.derivatives[targets[0]].needs:
        lines.append("    grad = grad[0]")
    if op.variadic:
        unused = "[each for each, slot in zip(every, node.input_targets) if slot is None]"
        found = [
            f"every = {results[0]}",
            f"if node.hooks is not None: node.unused = {unused}",
            "return tuple(every[i] for i in node.which)",
        ]
    else:
        found = [f"return {', '.join(results)}"]
    if arrays:
        found = ["    " + line for line in found]
        lines += quiet_lines(found, "    ") if op.warns else found
    else:
        lines += [
            "    mode = runtime.mode",
            "    mode.deriving = runtime.derived = True",
            "    try:",
        ]
        lines += ["        " + line for line in found]
        lines += ["    finally: mode.deriving = False"]
    return "\n".join(lines)


def gives_no_gradient(derivative: Derivative) -> bool:
    """Return whether a formula is ``lambda grad: None``: there is a slot, but no gradient."""
    return derivative.formula.__code__.co_code == (lambda grad: None).__code__.co_code


def may_broadcast(op: Op) -> bool:
    """Return whether its operands may be broadcast, or have several types."""
    return op.pointwise or (len(op.derivatives) > 1 and op.single)


def run_arrays_source(op: Op, targets: tuple[str, ...]) -> str:
    """The source of ``run_arrays``: ``backward_arrays`` from the node's ``grad`` into its targets'.
    A function of each class does it, for there every attribute has one type, which Python makes
    fast; in a loop over nodes of all classes it is twice as slow."""
    children = [f"child{i}" for i in range(len(targets))]
    fitting = may_broadcast(op) or "dtype" in op.params
    saved = bool(op.saved_by(targets))
    holds = saved or bool(tensor_metadata(op, targets))
    lines = [
        "def run_arrays(node, keep, run, observer):",
        "    if node.hooks is not None: return False",
        "    grad = node.grad",
        f"    if grad is None: return {'False' if saved else 'observer is None'}",
        "    node.grad = None",
        "    if observer is not None: observer.node_starts(run, node, (grad,))",
        *unpack_source(op, targets, True),
        *scalar_source(op, targets),
        *(["    fit = node.fit"] if fitting else []),
        *(
            f"    {child} = node.{slot}"
            for child, slot in zip(children, target_slots(targets), strict=True)
        ),
    ]
    gives, founds, results = [], [], []
    for i, result in enumerate(formula_source(op, targets, True)):
        if gives_no_gradient(op.derivatives[targets[i]]):
            results.append("None")
            continue
        results.append(f"found{i}")
        founds.append(f"    found{i} = {result}")
        if fitting:
            founds.append(f"    if fit is not None: found{i} = fit_to(found{i}, fit[{i}])")
        gives += [
            f"    if child{i}.grad is None: child{i}.grad = found{i}",
            f"    elif found{i} is not None: add_gradient(child{i}, found{i})",
            *([f"    found{i} = None"] if i + 1 < len(targets) else []),
        ]
    lines += quiet_lines(founds, "    ") if founds and op.warns else founds
    finished = f"({', '.join(results)},), {'not keep' if holds else 'False'}"
    lines.append(f"    if observer is not None: observer.node_finishes(run, node, {finished})")
    # Nobody else is to have what is given, so that the next may be added to it in place.
    if len(targets) > 1:
        lines.append("    grad = None")
    lines += gives
    return "\n".join([*lines, "    return True"])


def target_slots(targets: tuple[str, ...]) -> list[str]:
    """The slots for the targets of a node with one output. With a tuple instead there would be one
    more object for Python's collector to visit again and again: a third of all, in deep graphs."""
    return [f"next{i}" for i in range(len(targets))]


def next_property(targets: tuple[str, ...]) -> property:
    """``next`` of such a node."""
    slots = target_slots(targets)

    def read(node: Any) -> tuple[Any, ...]:
        return (node.next0,) if slots else ()

    def write(node: Any, next: tuple[Any, ...]) -> None:
        for slot, target in zip(slots, next, strict=True):
            setattr(node, slot, target)

    return property(attrgetter(*slots) if len(slots) > 1 else read, write)


def collect_source(targets: tuple[str, ...]) -> str:
    """The source of ``Node.collect`` for such a node."""
    lines = ["def collect(node, mark, order):"]
    slots = target_slots(targets)
    for place, slot in enumerate(slots, 1):
        seq = f"node.seq - {place / (len(slots) + 1)}"
        lines += [
            f"    child = node.{slot}",
            "    if child.mark != mark:",
            "        child.mark = mark",
            "        order.append(child)",
            f"        if child.__class__ is AccumulateGrad: child.seq = {seq}",
            f"    elif child.__class__ is AccumulateGrad and {seq} < child.seq: child.seq = {seq}",
        ]
    return "\n".join(lines)


def scalar_source(op: Op, targets: tuple[str, ...]) -> list[str]:
    """0-d gradients travel as numpy scalars: arithmetic between those is several times faster than
    with 0-d arrays, so what was saved becomes a scalar too where formulas only calculate."""
    calls = any("F" in op.derivatives[name].formula.__code__.co_names for name in targets)
    saved = op.saved_by(targets)
    if not saved or calls or not op.pointwise or op.optional:
        return []
    scalars = "; ".join(f"{name} = {name}[()]" for name in saved)
    return [f"    if grad.__class__ is not ndarray: {scalars}"]


def slot_names(op: Op, targets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the slots that a node with these targets has beside those of all
    nodes."""
    saved = op.saved_by(targets)
    slots = [f"{what}_{name}" for name in saved for what in ("saved", "version")]
    slots += [f"counter_{name}" for name in saved if name in op.outputs]
    slots += [f"p_{name}" for name in op.metadata(targets)]
    if op.variadic:
        slots += ["which", "count", "unused"]
    elif op.single:
        slots += target_slots(targets)
    if not op.single:
        slots += ["metas", "made"]
    return tuple(slots)


def class_attributes(op: Op, targets: tuple[str, ...]) -> dict[str, Any]:
    """Return the attributes that describe a node class (see ``Node``)."""
    saved, refuses = op.saved_by(targets), op.node == "NotImplemented"
    return {
        "targets": targets,
        "saves": saved,
        "held": tensor_metadata(op, targets),
        "own": op.outputs[0] if op.single and op.outputs[0] in saved else None,
        "single": len(targets) == 1 and not op.variadic,
        "always": refuses,
        "refuses": refuses,
        "takes_none": any("some_grads" in d.needs for d in op.derivatives.values()),
        "outputs": 1 if op.single else len(op.outputs),
    }


def class_source(op: Op, targets: tuple[str, ...]) -> str:
    """The source of the node class with these targets."""
    lines = [f"__slots__ = {slot_names(op, targets)}", '__module__ = "builtins"', "op = OP"]
    facts = class_attributes(op, targets).items()
    lines += [f"{name} = {value!r}" for name, value in facts if value != getattr(Node, name)]
    if op.variadic:
        lines.append("input_targets = property(list_targets)")
    methods = [backward_source(op, targets, arrays) for arrays in (True, False)]
    if op.single and not op.variadic:
        lines.append(f"next = next_property({targets})")
        methods += [run_arrays_source(op, targets), collect_source(targets)]
    for method in methods:
        lines += ["", *method.split("\n")]
    return "\n".join([f"class {op.node}(Node):", *("    " * bool(each) + each for each in lines)])


def node_class(op: Op, targets: tuple[str, ...]) -> type[Node]:
    """The node class with these targets."""
    scope: dict[str, Any] = {
        "__name__": __name__,  # by which Python knows whose warnings are silent
        "OP": op, "Node": Node, "next_property": next_property, "list_targets": list_targets,
        "freed_error": errors.freed_error, "version_error": errors.version_error,
        "runtime": runtime, "ndarray": np.ndarray,
        "add_gradient": add_gradient, "fit_to": fit_to, "QUIET": QUIET,
        "ignore_errors": ignore_errors, "restore_errors": restore_errors,
        "Packed": Packed, "PackedIndices": PackedIndices, "AccumulateGrad": AccumulateGrad,
    }  # fmt: skip
    for target in targets:
        formula = op.derivatives[target].formula
        scope[f"{target}_arrays"] = bind(formula, ARRAYS)
        scope[f"{target}_tensors"] = bind(formula, TENSORS)
    exec(compile(class_source(op, targets), f"<graphwidget {op.key} backward>", "exec"), scope)
    return scope[op.node]  # type: ignore[no-any-return]


class Edgeless(Node):
    """The node of an op whose inputs require grad, and have no history to give a gradient to."""

    __slots__ = ()
    targets = ()

    def backward_arrays(self, grad: Any, keep: bool) -> tuple[()]:
        return ()

    backward_tensors = backward_arrays


@cache
def edgeless_class(key: str) -> type[Edgeless]:
    """The class of such nodes of an op."""
    op = TABLE[key]
    return type(op.node, (Edgeless,), {"__slots__": (), "__module__": "builtins", "op": op})


def edgeless(key: str) -> Node:
    """Such a node."""
    node = edgeless_class(key)()
    node.start(())
    return node


def list_targets(node: Any) -> tuple[Any, ...]:
    """``input_targets`` of a node with a list of inputs."""
    targets = [None if each.__class__ is NoGradViewEnd else each for each in node.next]
    found = dict(zip(node.which, targets, strict=True))
    return tuple(found.get(i) for i in range(node.count))
