"""The nodes of custom Functions, which are also the ``ctx`` that users see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..arrays.kernel_errors import type_name
from ..arrays.warnings import warn
from ..eager.promote import checked_fit
from ..graph import errors, runtime, saved_hooks
from ..graph.base import dtype_of_grad
from ..graph.listeners import get_observer, set_observer
from ..graph.node import AccumulateGrad, Node, NoGradViewEnd, output_of, visible_target
from ..graph.saved_hooks import Packed, SavedTensor
from ..graph.tensor import Tensor
from ..graph.version import VersionCounter, counter_of
from .engine import current_run
from .hooks import as_carried, as_tensor

READ_BEFORE = (
    "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the "
    "autograd.Function. Either access saved_tensors only once, or set "
    "clear_saved_tensors_on_access=False."
)


# PyTorch leaves out what its texts end with.
NO_BOOL = (
    "set_materialize_grads received an invalid combination of arguments - got (), but expected "
    "(bool)"
)
NOT_DIRTY = "mark_dirty can only accept variables, but argument "
NOT_MARKED = "mark_non_differentiable only accepts variable arguments, but got "


class SavedByForward(NamedTuple):
    """A tensor that forward saved. ``tensor`` is None for the node's own output: keeping that
    would be a cycle."""

    data: np.ndarray
    counter: VersionCounter
    version: int
    tensor: Tensor | None


class FunctionNode(Node):
    """The node of a custom Function, which is also its ``ctx``: attributes may be set on it."""

    takes_none = True
    always = True

    function: ClassVar[Any]
    """The class of the user's, a ``Function``."""
    needs_input_grad: tuple[bool, ...]
    input_metas: list[runtime.Meta | None]
    metas: list[runtime.Meta | None]

    def __init__(self, inputs: Sequence[Any]) -> None:
        self.start(())
        self.needs_input_grad = self._needs = tuple(
            isinstance(each, Tensor) and each.requires_grad for each in inputs
        )
        self._tensors = tuple(isinstance(each, Tensor) for each in inputs)
        self._entries: list[Any] | None = []
        self._read = False
        self._own: list[int | None] = []
        self.materialize_grads = True
        self._materialize_non_diff_grads = True
        self.to_save: tuple[Any, ...] | None = None
        self.dirty_tensors: tuple[Tensor, ...] | None = None
        self.non_differentiable: tuple[Tensor, ...] | None = None
        self.input_metas = [each._meta if isinstance(each, Tensor) else None for each in inputs]
        self.metas = []

    def __call__(self, *grads: Any) -> Any:
        raise TypeError(f"'{type(self).__name__}' object is not callable")

    def __dir__(self) -> list[str]:  # all that a user's class has
        return list(object.__dir__(self))

    # What forward may call ------------------------------------------------------------------
    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors (or None) for backward; they are version-checked when read."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """For forward-mode derivatives, which there are not; kept for PyTorch's programs."""

    def mark_dirty(self, *args: Tensor) -> None:
        """Say which inputs forward wrote in place."""
        if not all(isinstance(each, Tensor) for each in args):
            raise RuntimeError(NOT_DIRTY)
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Say which outputs have no gradient."""
        if not all(isinstance(each, Tensor) for each in args):
            raise RuntimeError(NOT_MARKED)
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Choose whether missing gradients reach backward as zeros (the default) or as None.

        Raises:
            TypeError: the value is no bool.
        """
        if not isinstance(value, bool):
            raise TypeError(NO_BOOL)
        self.materialize_grads = value

    def check_marked(self) -> None:
        """Refuse marks of what is no tensor, once forward has run.

        Raises:
            RuntimeError: PyTorch's texts.
        """
        marks = (self.dirty_tensors, NOT_DIRTY), (self.non_differentiable, NOT_MARKED)
        for marked, text in marks:
            if not all(isinstance(each, Tensor) for each in marked or ()):
                raise RuntimeError(text)

    # What was saved -------------------------------------------------------------------------
    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """Tensors that ``save_for_backward`` kept.

        Raises:
            RuntimeError: freed, or written in place since.
        """
        if self._read:
            raise RuntimeError(READ_BEFORE)
        if self._entries is None:
            raise errors.freed_error(self)
        found = tuple(self._unpack_entry(i, entry) for i, entry in enumerate(self._entries))
        if self.function.clear_saved_tensors_on_access:
            self._entries, self._read = [], True
        return found

    def _unpack_entry(self, i: int, entry: SavedByForward | Packed | None) -> Tensor | None:
        if entry is None:
            return None
        nr = self._own[i]
        edge = None if nr is None else self.output(nr)
        if isinstance(entry, Packed):
            return entry.restore(edge)  # type: ignore[return-value]
        tensor = entry.tensor
        if tensor is None:
            tensor = Tensor._wrap(entry.data)
            tensor._counter, tensor._node, tensor._requires_grad = entry.counter, edge, True
        if counter_of(tensor).version != entry.version:
            raise errors.version_error(self, f"saved_tensors[{i}]", tensor, entry.version)
        return tensor

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        """The former name of ``saved_tensors``."""
        old = "'saved_variables' is deprecated; use 'saved_tensors'"
        warn(old, DeprecationWarning)
        return self.saved_tensors

    @property
    def requires_grad(self) -> bool:
        """True if any argument of forward requires grad."""
        return any(self._needs)

    @property
    def _raw_saved_tensors(self) -> tuple[SavedTensor, ...]:
        if self._entries is None:
            raise errors.freed_error(self)
        return tuple(SavedTensor.of(self, i) for i in range(len(self._entries)))

    def raw_saved(self, slot: Any) -> Any:
        if self._entries is None:
            return ()
        entry = self._entries[slot]
        if isinstance(entry, SavedByForward):
            return entry.data if entry.tensor is None else entry.tensor
        return entry

    def read_slot(self, slot: Any) -> Any:
        if self._entries is None:
            raise errors.freed_error(self)
        return self._unpack_entry(slot, self._entries[slot])

    def hook_saved(self, slot: Any, both: Any) -> None:
        assert self._entries is not None
        entry, own = self._entries[slot], self._own[slot] is not None
        tensor = self._unpack_entry(slot, entry)
        assert tensor is not None
        self._entries[slot] = Packed(tensor, tensor.detach(), own, both)

    def iter_saved(self) -> Iterator[tuple[str, Any, int]]:
        for i, entry in enumerate(self._entries or ()):
            if isinstance(entry, SavedByForward):  # the user's hooks are not called to be watched
                tensor = Tensor._wrap(entry.data) if entry.tensor is None else entry.tensor
                yield f"saved_tensors[{i}]", tensor, entry.version

    def iter_packed(self) -> Iterator[tuple[str, Packed]]:
        for i, entry in enumerate(self._entries or ()):
            if isinstance(entry, Packed):
                yield f"saved_tensors[{i}]", entry

    def keep(self, outputs: Sequence[Any]) -> None:
        """Save what forward asked for, now that the outputs have their history.

        Raises:
            TypeError: something is neither a tensor nor None.
        """
        kept: list[Any] = []
        saving_now, self.to_save = self.to_save or (), None  # an error must not leave a cycle
        for i, each in enumerate(saving_now):
            if each is None:
                kept.append(None)
                self._own.append(None)
                continue
            if not isinstance(each, Tensor):
                raise TypeError(
                    "save_for_backward can only save variables, but argument "
                    f"{i} is of type {type(each).__name__}"
                )
            nr = next((nr for nr, out in enumerate(outputs) if out is each), None)
            own = nr is not None and each._node is not None
            self._own.append(nr if own else None)
            counter = counter_of(each)
            if saved_hooks.contexts.stack:
                kept.append(Packed(each, each, own, saved_hooks.contexts.stack[-1]))
            else:
                kept.append(
                    SavedByForward(
                        each._data, counter, counter.version_to_save, None if own else each
                    )
                )
        self._entries = kept

    def meta_of_output(self, output: Any) -> runtime.Meta | None:
        """The form in which an output's gradient is made where none comes; None for no form."""
        if not isinstance(output, Tensor):
            return None
        marked = any(output is each for each in self.non_differentiable or ())
        return output._meta if self._materialize_non_diff_grads or not marked else None

    # What the engine calls -------------------------------------------------------------------
    def output(self, nr: int) -> Any:
        return self if len(self.metas) == 1 else output_of(self, nr)

    def backward_arrays(self, grad: Any, keep: bool) -> Any:
        return tuple(as_carried(current_run(), each) for each in self._backward(grad, keep, False))

    def backward_tensors(self, grad: Any, keep: bool) -> Any:
        return self._backward(grad, keep, True)

    def _backward(self, grad: Any, keep: bool, create: bool) -> list[Any]:
        grads = grad if isinstance(grad, list) else [grad]
        given = [self._grad_or_zeros(i, each) for i, each in enumerate(grads)]
        before, observer = runtime.mode.requested, get_observer()
        runtime.set_grad_enabled(create)
        if observer is not None and not create:  # what it computes with is not part of any graph
            set_observer(None)
        try:
            boxed = self.function.boxed_grads_call
            found = self.function._user_backward()(self, *([given] if boxed else given))
        finally:
            runtime.set_grad_enabled(before)
            if observer is not None and not create:
                set_observer(observer)
        results = self._check_results(found if isinstance(found, tuple) else (found,))
        if not keep:
            self.release()
        return results

    @property
    def holds(self) -> bool:
        return bool(self._entries)

    def release(self) -> None:
        self._entries = None

    def _grad_or_zeros(self, i: int, grad: Any) -> Any:
        """The gradient of an output as backward gets it: zeros where none came, if wanted."""
        meta = self.metas[i]
        if grad is None and self.materialize_grads and meta is not None:
            grad = np.zeros(meta.shape, meta.dtype)
        return as_tensor(current_run(), grad)

    def _check_results(self, found: tuple[Any, ...]) -> list[Any]:
        """One gradient for each target, of its shape and dtype.

        Raises:
            RuntimeError: the wrong number, no tensors, or shapes that do not fit.
        """
        name, count = type(self).__name__, len(self._tensors)
        extra = found[count:]
        if len(found) < count or any(each is not None for each in extra):
            raise RuntimeError(
                f"function {name} returned an incorrect number of gradients "
                f"(expected {count}, got {len(found)})"
            )
        results, unused = [], []
        for i, each in enumerate(found[:count]):
            if not self._tensors[i]:
                if each is not None:
                    raise RuntimeError(
                        f"function {name} returned a gradient different than None at position "
                        f"{i + 1}, but the corresponding forward input was not a Variable"
                    )
                continue
            if each is not None and not isinstance(each, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type_name(each)})")
            if self._needs[i]:
                results.append(each)
            else:
                unused.append(each)
        if self.hooks is not None and self.hooks.post:
            self.unused = unused
        wanted = [meta for meta, needs in zip(self.input_metas, self._needs, strict=True) if needs]
        return [
            None if each is None else self._fit(i, each, wanted[i])
            for i, each in enumerate(results)
        ]

    def _fit(self, i: int, grad: Tensor, meta: Any) -> Tensor:
        end = self.next[i]
        if end.__class__ is AccumulateGrad and end.hooks is not None:
            meta = runtime.meta(meta.shape, dtype_of_grad(end.variable, grad._data.dtype))
        if grad._data.shape == meta.shape and grad._data.dtype == meta.dtype:
            return grad
        return checked_fit(grad, meta, i, type(self).__name__)  # type: ignore[no-any-return]

    @property
    def input_targets(self) -> tuple[Any, ...]:
        left = (None if each.__class__ is NoGradViewEnd else each for each in self.next)
        return tuple(
            visible_target(next(left)) if wanted else None
            for wanted, tensor in zip(self._needs, self._tensors, strict=True)
            if tensor
        )
