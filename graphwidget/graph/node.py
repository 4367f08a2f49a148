"""Nodes: the backward graph, one object for each recorded call.

A node's ``next`` holds only the *targets* that need a gradient: other nodes, an ``Output`` of
a node with several outputs, or the ``AccumulateGrad`` of a leaf. Each target has a ``grad`` slot
in which a backward run collects what flows to it. ``next_functions``, PyTorch's view of the same
edges with a place for every differentiable input, is computed from it.

The classes of ordinary ops (``MulBackward0``) are made from their declarations by
``eager/node_classes.py``.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from . import runtime
from .base import GradHooks, Meta, RemovableHandle, TensorBase
from .observer import Observer
from .saved import SavedValues
from .version import counter_of

SHOWN = {
    *dir(object), "__call__", "_sequence_nr", "metadata", "name", "next_functions",
    "register_hook", "register_prehook", "requires_grad", "variable",
}  # fmt: skip
"""Attributes that ``dir`` lists for a node."""

UNNUMBERED = ("CopyBackwards", "Error", "NotImplemented")
"""Nodes that PyTorch names by their C++ class."""

Grad = Any
"""A gradient on its way: an array (or numpy scalar), a Tensor under create_graph, or None."""


class Node(SavedValues):
    """A ``grad_fn``.

    Class attributes: ``op`` and ``targets`` (the inputs that need gradients) for nodes made
    from the table; ``single`` says that ``backward_arrays`` returns one gradient, not a tuple;
    ``saves`` the names of the saved slots; ``own`` the one of them that is the only output;
    ``special`` marks the kinds that the engine itself treats (leaves and outputs), ``counts_sums``
    those that count how often a gradient was added to in place (leaves).
    """

    __slots__ = ()

    single: ClassVar[bool] = False
    special: ClassVar[bool] = False
    counts_sums: ClassVar[bool] = False
    outputs: ClassVar[int] = 1
    takes_none: ClassVar[bool] = False
    """Its backward wants to know of missing gradients."""
    always: bool = False
    """It computes, or refuses, though nothing wanted lies behind it: users' own functions do."""
    refuses: ClassVar[bool] = False
    """It has no derivative."""
    unused: Sequence[Any] = ()
    """Gradients for inputs that need none, for hooks to see: Functions and nodes of lists compute
    them too."""

    def start(self, next: tuple[Any, ...]) -> None:
        """Give a node made by hand its place in the graph (generated code does it inline)."""
        self.next = next
        self.fit = None
        self.seq = runtime.next_sequence()
        self.grad = None
        self.hooks = None
        self.mark = 0
        self._rec = None

    # What the engine calls ---------------------------------------------------------------
    def collect(self, mark: int, order: list[Any]) -> None:
        """Add targets without this mark to the order. Leaves come right after the last target that
        sends them a gradient, in the order of its edges."""
        step = 1 / (len(self.next) + 1)
        for place, child in enumerate(self.next, 1):
            if child.mark != mark:
                child.mark = mark
                order.append(child)
                if child.__class__ is AccumulateGrad:
                    child.seq = self.seq - place * step
            elif child.__class__ is AccumulateGrad:
                child.seq = min(child.seq, self.seq - place * step)

    def backward_arrays(self, grad: Any, keep: bool) -> Any:
        """The gradients of ``next`` from the gradient of the output, on arrays."""
        raise NotImplementedError

    def backward_tensors(self, grad: Any, keep: bool) -> Any:
        """Like ``backward_arrays``, on Tensors, recording as it goes (create_graph)."""
        raise NotImplementedError

    def run_arrays(self, keep: bool, run: Any, observer: Observer | None) -> bool:
        """The common case at once: nothing is hooked, gradients are arrays, and go from this node's
        slot to its targets'; the observer gets it as part of the ``run``. False where the
        engine must look after it."""
        return False

    # PyTorch's public surface ------------------------------------------------------------
    def name(self) -> str:
        """The name that error messages use."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if name in UNNUMBERED else name

    @property
    def input_targets(self) -> tuple[Any, ...]:
        """One entry for each differentiable input: its target, or None."""
        targets = tuple(None if each.__class__ is NoGradViewEnd else each for each in self.next)
        if self.op is None or self.op.node == "NotImplemented":
            return targets
        found = dict(zip(self.targets, targets, strict=True))
        return tuple(found.get(name) for name in self.op.derivatives)

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """PyTorch's edges: (node or None, output number) for each differentiable input."""
        return tuple(
            (target.node, target.nr) if isinstance(target, Output) else (target, 0)
            for target in self.input_targets
        )

    @property
    def metadata(self) -> dict[str, Any]:
        """A dict for the user's own data."""
        try:
            return self._dict
        except AttributeError:
            self._dict = {}
            return self._dict

    def _sequence_nr(self) -> int:
        """Rises by one for each node created; that of refusals and leaves is the largest."""
        return 2**64 - 1 if self.refuses else int(self.seq)

    def output(self, nr: int) -> Any:
        """The target at which the gradient of an output arrives."""
        return output_of(self, nr) if self.op is not None and not self.op.single else self

    def _hooks(self) -> GradHooks:
        with runtime.lock:
            if self.hooks is None:
                self.hooks = GradHooks()
        return self.hooks

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(grad_inputs, grad_outputs)`` after the node ran."""
        if runtime.reading is not None:
            runtime.reading((), None, "a hook")
        return RemovableHandle(self._hooks().post, hook)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(grad_outputs)`` before the node runs."""
        if runtime.reading is not None:
            runtime.reading((), None, "a hook")
        return RemovableHandle(self._hooks().pre, hook)

    @property
    def requires_grad(self) -> bool:
        """True, for there are no other nodes."""
        return True

    def __dir__(self) -> list[str]:
        return [
            name for name in super().__dir__()
            if name in SHOWN or name.startswith(("_saved_", "_raw_saved_"))
        ]  # fmt: skip

    def __repr__(self) -> str:
        kind = type(self)
        place = "torch.autograd.function." if kind.__module__ == "torch.autograd.function" else ""
        return f"<{place}{kind.__name__} object at {hex(id(self))}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")

    def __call__(self, *grads: Any, **named: Any) -> Any:
        """Run this node's backward on Tensors and keep its saved values."""
        if named:
            raise TypeError("keyword arguments are not supported")
        metas = getattr(self, "metas", None)
        expected = 1 if metas is None else sum(meta is None or meta.floating for meta in metas)
        if len(grads) != expected:
            raise TypeError(f"expected {expected} arguments, got {len(grads)} instead")
        for place, grad in enumerate(grads):
            if grad is not None and not isinstance(grad, runtime.Tensor):
                raise TypeError(f"argument {place} is not a Variable")
        given: Any = grads[0] if metas is None else list(grads) + [None] * (len(metas) - expected)
        if metas is not None and not self.takes_none:
            given = zeros_where_missing(self, given, True)
        if given is None:
            return self._of_slots((None,) * len(self.next))
        found = self.backward_tensors(given, True)
        found = (found,) if self.single else found
        return self._of_slots(found)

    def _of_slots(self, grads: Iterable[Any]) -> Any:
        """Gradients of ``next`` as one for each slot, alone if there is one."""
        left = iter(grads)
        every = tuple(None if slot is None else next(left) for slot in self.input_targets)
        return every[0] if len(every) == 1 else every


def zeros_where_missing(node: Any, grads: list[Any], create: bool) -> Any:
    """Gradients of all outputs with zeros where none came; None when none came at all."""
    if all(grad is None for grad in grads):
        return None
    filled = []
    for grad, meta in zip(grads, node.metas, strict=True):
        if grad is None and meta.floating:
            grad = np.zeros(meta.shape, meta.dtype)
            grad = runtime.Tensor._wrap(grad) if create else grad
        filled.append(grad)
    return filled


class Output(Node):
    """Output ``nr`` of a node with several: where its gradient collects before the node runs."""

    __slots__ = ("node", "nr")
    special = True

    def __init__(self, node: Node, nr: int) -> None:
        self.start((node,))
        self.seq = node.seq + 0.5  # just before its node, after all its consumers
        self.node = node
        self.nr = nr
        try:
            node.made[nr] = weakref.ref(self)
        except AttributeError:
            node.made = {nr: weakref.ref(self)}  # type: ignore[attr-defined]

    def _hooks(self) -> GradHooks:
        if self.hooks is None:  # the node calls them, whether or not a gradient comes here
            self.hooks = self.node._hooks().outputs.setdefault(self.nr, GradHooks())
        return self.hooks

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Output) and self.node is other.node and self.nr == other.nr
        return self is other or same

    def __hash__(self) -> int:
        return hash((id(self.node), self.nr))


def output_of(node: Any, nr: int) -> Output:
    """The target of an output of a node with several: the same for as long as it lives, so
    that all that is given to it collects in one place."""
    made = getattr(node, "made", {}).get(nr)
    return (made and made()) or Output(node, nr)


class Checked(Output):
    """Stands before a target whose gradient may come in another form: sums and casts it to the form
    that the target has, or refuses it. Users do not see it, they see the target."""

    __slots__ = ("giver", "meta")
    __eq__, __hash__ = object.__eq__, object.__hash__
    _hooks = Node._hooks
    special = False
    single = True

    def __init__(self, place: Node, meta: runtime.Meta, giver: Node | None = None) -> None:
        self.start((place,))
        self.giver: str | None = None
        if giver is not None:
            self.seq, self.giver = giver.seq - 0.25, giver.name()
        self.node, self.nr = (place.node, place.nr) if isinstance(place, Output) else (place, 0)
        self.meta = meta

    def backward_arrays(self, grad: Any, keep: bool) -> Any:
        return runtime.checked_fit(grad, self.meta, 0 if self.giver is None else 1, self.giver)

    backward_tensors = backward_arrays


class AccumulateGrad(Node):
    """The end of every path: adds what arrives into ``variable.grad``, by ``accumulate`` of
    ``autograd/accumulate_grad.py``."""

    __module__ = "builtins"
    __slots__ = ("sums", "variable")
    variable: Any
    sums: int
    """Number of times that a gradient was added in place to the one that waits here."""
    special = counts_sums = True

    def __init__(self, variable: TensorBase) -> None:
        self.next, self.variable, self.mark, self.seq, self.sums = (), variable, 0, 0.0, 0
        self.fit = self.grad = self.hooks = self._rec = None

    def run_arrays(self, keep: bool, run: Any, observer: Observer | None) -> bool:
        variable, grad = self.variable, self.grad
        if self.hooks is not None or variable._hooks is not None:
            return False
        if observer is not None and (grad is None or not variable._requires_grad):
            return False
        self.grad = None
        sums, self.sums = self.sums, 0
        if grad is not None and variable._requires_grad:
            try:
                runtime.accumulate(variable, grad, False, 0, sums)
            except Exception:
                if observer is not None:
                    observer.node_starts(run, self, (grad,))
                raise
            if observer is not None:
                observer.leaf_ran(run, self, grad)
        return True

    def backward_tensors(self, grad: Any, keep: bool) -> Any:
        create = runtime.grad_enabled()
        runtime.accumulate(self.variable, grad if create else grad._data, create)
        return ()

    def name(self) -> str:
        """PyTorch's name for it."""
        return "torch::autograd::AccumulateGrad"

    def _sequence_nr(self) -> int:
        return 2**64 - 1


class NoGradViewEnd(Node):
    """The end of a path at a view made under ``no_grad``: it requires grad because its base does,
    but has no history, so gradients that arrive are dropped. PyTorch has no node there."""

    __slots__ = ()
    special = True


def accumulator(leaf: TensorBase) -> AccumulateGrad | NoGradViewEnd | None:
    """The leaf's AccumulateGrad: the same object for as long as any graph refers to it.

    The leaf holds it weakly, for it holds the leaf; None when the leaf needs no gradient.
    """
    if not leaf._requires_grad:
        return None
    before = leaf._accumulator
    found: AccumulateGrad | NoGradViewEnd | None = None if before is None else before()
    if found is not None:
        return found
    if leaf._view is not None and not leaf._view.own_requires_grad:
        found = NoGradViewEnd()
        found.start(())
        found.seq = -1.0  # after the nodes that feed it, which may be older
        return found
    found = AccumulateGrad(leaf)
    if leaf._hooks is not None:
        found.hooks = GradHooks(leaf._hooks)
    made = weakref.ref(found)
    # Nothing is called within this line, so no other thread comes in between.
    leaf._accumulator = made if leaf._accumulator is before else leaf._accumulator
    return found if leaf._accumulator is made else accumulator(leaf)


def on_data_replaced(tensor: TensorBase, before: runtime.Meta) -> None:
    """A tensor whose data, of the form ``before``, were replaced without a history. A leaf of
    another form begins anew: graphs that refer to its former end find that their gradients do not
    fit."""
    if tensor._node is None:
        if before.shape != tensor._meta.shape or before.dtype != tensor._meta.dtype:
            tensor._accumulator = None
    elif before.shape != tensor._meta.shape:
        counter_of(tensor)  # which the node knows of, while it can be asked
        tensor._node = Checked(tensor._node, before)


def edge_of(tensor: TensorBase) -> Any:
    """Return the entry of a node's ``next`` for an input that requires grad."""
    return tensor._node or accumulator(tensor)


def target_of(tensor: TensorBase) -> Any:
    """Return the target of the tensor's gradient: its node, output or AccumulateGrad; None without
    one."""
    target = edge_of(tensor)
    return None if target.__class__ is NoGradViewEnd else target


def save_input(node: Any, name: str, tensor: TensorBase) -> None:
    """Save a tensor as nodes save inputs: itself, and its version now."""
    counter = tensor._counter
    setattr(node, "saved_" + name, tensor)
    setattr(node, "version_" + name, 0 if counter is None else counter.version_to_save)


def save_output(node: Any, name: str, tensor: TensorBase) -> None:
    """Save a result as its own node does: the array and the counter, not the Tensor."""
    counter = counter_of(tensor)
    setattr(node, "saved_" + name, tensor._data)
    setattr(node, "counter_" + name, counter)
    setattr(node, "version_" + name, counter.version)


# Nodes that cannot run -------------------------------------------------------------------------
def visible_target(target: Any) -> Any:
    """A target as PyTorch knows it."""
    return None if target.__class__ is NoGradViewEnd else target


class ErrorNode(Node):
    """The node of what may not be differentiated again; running it is the error."""

    takes_none = True
    always = True
    refuses = True
    metas: Sequence[Meta | None] = (None,)

    def __init__(self, message: str, targets: Sequence[Any]) -> None:
        self.start(tuple(target for target in targets if target is not None))
        self.message = message
        self.places = tuple(target is not None for target in targets)

    @property
    def input_targets(self) -> tuple[Any, ...]:
        left = iter(self.next)
        return tuple(visible_target(next(left)) if there else None for there in self.places)

    def output(self, nr: int) -> Any:
        return self if len(self.metas) == 1 else output_of(self, nr)

    def backward_arrays(self, grad: Any, keep: bool) -> Any:
        raise RuntimeError(self.message)

    backward_tensors = backward_arrays

    def name(self) -> str:
        return "torch::autograd::Error"


def new_path_end() -> NoGradViewEnd:
    """A target for what needs no gradient."""
    target = NoGradViewEnd()
    target.start(())
    return target


class NotImplementedNode(ErrorNode):
    """The node of a result of which PyTorch has no derivative."""

    def __init__(self, name: str, inputs: Sequence[TensorBase]) -> None:
        text = f"derivative for {name} is not implemented"
        super().__init__(text, tuple(edge_of(each) or new_path_end() for each in inputs))

    def name(self) -> str:
        return "torch::autograd::NotImplemented"


ErrorNode.__name__, NotImplementedNode.__name__ = "Error", "NotImplemented"  # as PyTorch's
