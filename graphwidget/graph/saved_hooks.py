"""``saved_tensors_hooks``: what the user keeps in the place of what nodes save.

A hooked slot holds a ``Packed``. The generated backward reads a saved input's ``_data``; that of a
``Packed`` asks the user's ``unpack``. So nothing in the ordinary path knows of hooks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..arrays.kernel_errors import type_name
from ..optable.declare import Op
from . import errors, runtime
from .base import NodeBase, TensorBase
from .listeners import switch_listener
from .version import counter_of

Pack = Callable[[Any], Any]

MODIFIED = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack "
    "hook cannot be modified by in-place operations as this can lead to unexpected side-effects. "
    "Please open an issue if you need to perform in-place operations on the input to a pack hook."
)
AFTER_FREED = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values "
    "of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to "
    "access saved variables after calling backward."
)
TWICE = (
    "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one "
    "pair of hooks is allowed at a time."
)
NO_FUNCTIONS = ": incompatible function arguments. The following argument types are supported:"
OF_NONE = "Calling register_hooks on a saved tensor with value None is forbidden"
NOT_TENSOR = "Output of saved tensor unpack_hook expected to be a Tensor but got result of type {}"


class SavedHookContexts(threading.local):
    """This thread's contexts, innermost last, and why no more may be entered."""

    def __init__(self) -> None:
        self.stack: list[tuple[Pack, Pack]] = []
        self.disabled: str | None = None


contexts = SavedHookContexts()
runtime.thread_states.append(contexts)


def push(pack: Pack, unpack: Pack) -> None:
    """Let hooks apply to all that this thread's nodes save from now on.

    Raises:
        TypeError: they are no functions.
        RuntimeError: hooks are disabled; the text is the one given with that.
    """
    if not callable(pack) or not callable(unpack):
        raise TypeError(f"_push_saved_tensors_default_hooks(){NO_FUNCTIONS}")
    if contexts.disabled is not None:
        raise RuntimeError(contexts.disabled)
    contexts.stack.append((pack, unpack))
    switch_listener(PACKING, True)


def pop() -> None:
    """End the innermost context."""
    contexts.stack.pop()
    switch_listener(PACKING, False)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Inside, entering ``saved_tensors_hooks`` raises this error.

    Raises:
        RuntimeError: such hooks are in force already.
    """
    before = contexts.disabled
    if contexts.stack and before is None:
        raise RuntimeError(error_message)
    contexts.disabled = error_message
    try:
        yield
    finally:
        contexts.disabled = before


def restore(stack: list[tuple[Pack, Pack]]) -> None:
    """Make these this thread's contexts again: what a backward run entered or left in hooks ends
    with it."""
    for _ in stack[len(contexts.stack) :]:
        switch_listener(PACKING, True)
    for _ in contexts.stack[len(stack) :]:
        switch_listener(PACKING, False)
    contexts.stack[:] = stack


class Packed:
    """A saved slot as the user's hooks keep it.

    ``kept`` is what ``pack`` returned. The history of what was packed is kept beside it, because
    ``unpack`` need not return a tensor with a history; ``own`` says that the
    node saved its own output, which its slot must not hold.
    """

    __slots__ = ("accumulator", "edge", "kept", "needs_grad", "own", "unpack")

    def __init__(self, tensor: TensorBase, given: TensorBase, own: bool, both: Any) -> None:
        pack, self.unpack = both
        self.own = own
        self.edge = None if own else tensor._node
        self.needs_grad = bool(tensor._requires_grad)
        self.accumulator = None if own else runtime.edge_of(tensor) if self.needs_grad else None
        version = given._version
        before = runtime.mode.enabled
        runtime.set_grad_enabled(False)
        try:
            self.kept = pack(given)
        finally:
            runtime.set_grad_enabled(before)
        if given._version != version:
            raise RuntimeError(MODIFIED)

    def restore(self, edge: Any = None) -> TensorBase:
        """Return the result of ``unpack`` with the history of the packed tensor (``edge`` for
        outputs).

        Raises:
            TypeError: that is no tensor.
        """
        found = self.unpack(self.kept)
        if not isinstance(found, runtime.Tensor):
            raise TypeError(NOT_TENSOR.format(type_name(found)))
        if not self.needs_grad and not found._requires_grad:
            return found  # type: ignore[no-any-return]
        out: TensorBase = runtime.Tensor._wrap(found._data)
        out._counter = counter_of(found)
        out._node = edge if self.own else self.edge
        out._requires_grad = self.needs_grad
        if self.accumulator is not None and self.edge is None:
            out._accumulator = lambda: self.accumulator
        return out

    _counter = None  # no version is checked: what was written to is the user's copy

    @property
    def _data(self) -> np.ndarray:
        """The array that ``unpack`` gives."""
        before = runtime.mode.enabled  # a backward on arrays records nothing
        runtime.set_grad_enabled(False)
        try:
            return self.restore()._data
        finally:
            runtime.set_grad_enabled(before)


class PackedIndices:
    """A list of index tensors, each as the user's hooks keep it; None stays None, and so does a
    tensor without hooks."""

    __slots__ = ("tensors",)

    def __init__(self, tensors: Sequence[Any]) -> None:
        self.tensors = tuple(tensors)

    def __iter__(self) -> Iterator[Any]:
        for each in self.tensors:
            data = None if each is None else each._data
            yield data.view(bool) if data is not None and data.dtype == np.uint8 else data

    def restored(self) -> tuple[Any, ...]:
        """The tensors themselves."""
        return tuple(each.restore() if isinstance(each, Packed) else each for each in self.tensors)


def pack_slot(
    node: NodeBase, name: str, both: Any, output: TensorBase | None = None, default: bool = False
) -> None:
    """Put what a slot holds into the keeping of ``both`` hooks. Those that apply to all new nodes
    (``default``) are given the very tensor (``output``, if it is one), others one without history.
    """
    tensor, _ = node.unpack(name)
    own = node.is_own(name)
    given = output if own and output is not None else tensor
    if output is None and not default:
        given = tensor.as_saved() if tensor._number else tensor.detach()
    setattr(node, "saved_" + name, Packed(tensor, given, own, both))


class Packing:
    """Packs what new nodes save, while a context is open in their thread. Inputs that are about to
    be written are packed before that (``called`` without outputs)."""

    def called(
        self,
        op: Op,
        inputs: Sequence[Any],
        params: Mapping[str, Any],
        outputs: tuple[TensorBase, ...],
        node: NodeBase | None,
    ) -> None:
        if node is None or not contexts.stack or node.op is None:
            return
        both = contexts.stack[-1]
        for name in node.saves:
            own = name in op.outputs
            if own and not outputs:
                continue
            saved = getattr(node, "saved_" + name)
            if saved is None or saved.__class__ is Packed:
                continue
            if not own and (saved._number or saved._data is None):
                continue  # a Python number is none of the user's tensors
            output = outputs[op.outputs.index(name)] if own else None
            pack_slot(node, name, both, output, True)
        indices = getattr(node, "p_indices", None)
        if indices is None or indices.__class__ is PackedIndices:
            return
        if "indices" not in op.outputs:
            node.p_indices = PackedIndices(  # type: ignore[attr-defined]
                [
                    None if each is None else Packed(each, each, False, both)
                    for each in indices.tensors
                ]
            )

    def wrote(
        self,
        op: Op,
        tensor: TensorBase,
        inputs: Sequence[Any],
        params: Mapping[str, Any],
        base: TensorBase | None,
        node: NodeBase | None,
    ) -> None:
        self.called(op, inputs, params, (tensor,), node)


PACKING = Packing()


class SavedTensor:
    """A saved slot as an object (``node._raw_saved_self``), for hooks of its own.

    A slot is a name, the place among what a custom Function saved, or (name, place) in a list.
    """

    __slots__ = ("_node", "_slot")
    _node: Any
    _slot: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")

    @classmethod
    def of(cls, node: Any, slot: Any) -> SavedTensor:
        """Return the SavedTensor of a node's slot."""
        made = object.__new__(cls)
        made._node, made._slot = node, slot
        return made

    @property
    def data(self) -> Any:
        """The saved object: the result of ``pack`` with hooks, else the tensor, an output without
        its history; None if there is none, or no more."""
        saved = self._node.raw_saved(self._slot)
        if isinstance(saved, Packed):
            return saved.kept
        if isinstance(saved, runtime.Tensor):
            return saved.as_saved() if saved._number else saved
        return runtime.Tensor._wrap(saved) if isinstance(saved, np.ndarray) else None

    @property
    def unpack_hook(self) -> Pack | None:
        """The hook that gives back what is kept, if there is one."""
        saved = self._node.raw_saved(self._slot)
        return saved.unpack if isinstance(saved, Packed) else None

    def unpack(self) -> Any:
        """The tensor, or None where nothing was saved.

        Raises:
            RuntimeError: it was freed, or written since, or is an output, of which only its node
                knows the history.
        """
        saved = self._node.raw_saved(self._slot)
        if isinstance(saved, np.ndarray) or (isinstance(saved, Packed) and saved.own):
            raise RuntimeError(errors.DETACHED)
        return None if saved is None else self._node.read_slot(self._slot)

    def register_hooks(self, pack: Pack, unpack: Pack) -> None:
        """Let ``pack`` keep this value until ``unpack`` gives it back.

        Raises:
            TypeError: these are not functions.
            RuntimeError: the value is None or freed, or has hooks already.
        """
        if not callable(pack) or not callable(unpack):
            raise TypeError(f"register_hooks(){NO_FUNCTIONS}")
        saved = self._node.raw_saved(self._slot)
        if saved is None:
            raise RuntimeError(OF_NONE)
        if saved.__class__ is tuple and not saved:  # not ==, which tensors take for themselves
            raise RuntimeError(AFTER_FREED)
        if isinstance(saved, Packed):
            raise RuntimeError(TWICE)
        self._node.hook_saved(self._slot, (pack, unpack))
