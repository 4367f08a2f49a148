"""``Tensor``: an array with a history.

The arithmetic methods are attached in ``functions/tensor/attach_methods.py``; here is what a tensor
is and what concerns its gradient.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy import ndarray

from ..arrays import devices, dtypes
from ..arrays.kernel_errors import type_name
from ..arrays.size import Size
from ..arrays.warnings import warn
from ..optable import TABLE
from ..optable.pointwise.copies import as_array
from . import errors, runtime
from .base import GradHooks, RemovableHandle, TensorBase
from .node import Checked, Node, Output, accumulator, on_data_replaced
from .runtime import Meta, meta_of, new
from .version import (
    DetachedCounter,
    InferenceCounter,
    counter_of,
    detached_inference,
)
from .views import refresh

if TYPE_CHECKING:  # a stub: the methods themselves are attached
    from .tensor_methods import TensorMethods

    Methods = TensorMethods["Tensor"]
else:
    Methods = TensorBase

NOT_HOOKABLE = "cannot register a hook on a tensor that doesn't require gradient"


class Tensor(Methods):
    """A multi-dimensional array that can remember how it was computed.

    Attributes follow PyTorch: ``data``, ``grad``, ``grad_fn``, ``requires_grad``, ``is_leaf``,
    ``shape``, ``dtype``, ``device``. Make one with ``tensor(...)`` or a factory.
    """

    __slots__ = ()

    _grad: Tensor | None
    _number: ClassVar[bool] = False
    __array_priority__ = 1000  # numpy operands leave binary operators to us
    __hash__ = object.__hash__

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """The legacy constructor: ``Tensor(2, 3)`` (uninitialised) or ``Tensor([1., 2.])``."""
        if not (isinstance(cls, type) and issubclass(cls, Tensor)):
            name = getattr(cls, "__name__", cls)
            raise TypeError(
                f"torch._C.TensorBase.__new__({name}): {name} is not a subtype of "
                "torch._C.TensorBase"
            )
        if len(args) == 1 and isinstance(args[0], Tensor):
            return runtime.alias_as(cls, args[0])  # type: ignore[no-any-return]
        self: Self = new(cls)
        self._set_data(runtime.legacy_tensor(dtypes.default_numpy(), *args, **kwargs))
        if runtime.observer is not None:
            runtime.observer.made(self)
        return self

    def _set_data(self, data: np.ndarray, meta: Meta | None = None) -> None:
        self._data = data
        self._meta = meta or meta_of(data)
        self._counter = self._node = self._grad = self._hooks = None
        self._view = self._accumulator = self._rec = None
        self._requires_grad = False

    def _replace_memory(self, data: np.ndarray) -> None:
        """The same values in another place, or another order in memory."""
        self._data = data
        self._meta = meta_of(data)

    @classmethod
    def _wrap(cls, data: Any, meta: Meta | None = None) -> Self:
        """A new tensor around an array (not copied), without history. ``meta`` is the array's,
        where it is known."""
        self: Self = new(cls)
        self._set_data(data if data.__class__ is ndarray else as_array(data), meta)
        return self

    # History ------------------------------------------------------------------------------
    @property
    def grad_fn(self) -> Node | None:
        """The node that computes this tensor's part of backward; None for leaves."""
        if self._view is not None:
            refresh(self)
        node = self._node
        return node.node if isinstance(node, Output) else node

    @property
    def output_nr(self) -> int:
        """Index of this tensor among the outputs of ``grad_fn``."""
        return self._node.nr if isinstance(self._node, Output) else 0

    @property
    def is_leaf(self) -> bool:
        """True when it needs no gradient or was made by the user."""
        if self._view is not None:
            refresh(self)
        return self._node is None or not self._requires_grad

    @property
    def requires_grad(self) -> bool:
        """True if gradients are computed for this tensor; settable on leaves.

        Raises:
            RuntimeError: set to False on a non-leaf, or to True on integers.
        """
        view = self._view
        if view is None or self._node is not None or view.own_requires_grad:
            return self._requires_grad is True
        base: TensorBase = view.base
        return base._requires_grad is True

    @requires_grad.setter
    def requires_grad(self, on: bool) -> None:
        if not isinstance(on, bool):
            raise RuntimeError("requires_grad must be a bool")
        if self._node is not None:
            raise RuntimeError(errors.NOT_A_LEAF + ("" if on else errors.USE_DETACH))
        if on and self.is_inference() and not runtime.mode.inference:
            raise RuntimeError(errors.INFERENCE_GRAD)
        if on and not self._meta.floating:
            raise RuntimeError(
                "only Tensors of floating point and complex dtype can require gradients"
            )
        self._requires_grad = on
        if self._view is not None:
            self._view.own_requires_grad, self._accumulator = on, None
        if runtime.observer is not None:
            runtime.observer.flagged(self)

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise RuntimeError("requires_grad must be a bool")

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set ``requires_grad`` in place and return the tensor itself."""
        if requires_grad and not self._meta.floating and self.is_leaf:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        if not requires_grad or self._node is None:
            self.requires_grad = requires_grad
        return self

    @property
    def grad(self) -> Tensor | None:
        """The gradient accumulated so far, or None.

        Warns:
            UserWarning: read on a non-leaf that does not retain its gradient.
        """
        if self._grad is None and self._node is not None and not self.retains_grad:
            warning = UserWarning(errors.NONLEAF_GRAD)
            errors.with_notes(warning, errors.why_grad_is_none(self))
            warn(warning)
            if runtime.observer is not None:
                runtime.observer.failed(warning)
        return self._grad

    @grad.setter
    def grad(self, grad: Tensor | None) -> None:
        if grad is not None:
            errors.check_grad(self, grad)
        self._grad = grad
        if runtime.observer is not None:
            runtime.observer.grad_assigned(self)

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    @property
    def retains_grad(self) -> bool:
        """True if ``retain_grad`` keeps this non-leaf's gradient: as it was then, if its sizes were
        changed in place (``t_``) since."""
        return self._retaining_hooks() is not None

    def _retaining_hooks(self) -> GradHooks | None:
        node: Any = self._node
        hooks = self._hooks if node is None else node.hooks
        while hooks is None or hooks.retain is None or hooks.retain() is not self:
            op = getattr(node, "op", None)
            if node.__class__ is not Checked and (op is None or "_inplace" not in op.key):
                return None
            node = node.next[0]
            hooks = node.hooks
        return hooks

    def retain_grad(self) -> None:
        """Keep ``.grad`` of this non-leaf; does nothing on a leaf.

        Raises:
            RuntimeError: the tensor does not require grad.
        """
        if not self.requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if runtime.reading is not None:
            runtime.reading((self,), None, "the kept gradient")
        if self._node is None or self.is_leaf or self._retaining_hooks() is not None:
            return
        self._node._hooks().retain = weakref.ref(self)
        if runtime.observer is not None:
            runtime.observer.flagged(self)

    def _release_grad(self) -> None:
        """Undo ``retain_grad`` (PyTorch has no public way)."""
        hooks = self._retaining_hooks()
        if hooks is not None:
            hooks.retain = None
            if runtime.observer is not None:
                runtime.observer.flagged(self)

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Call ``hook(grad)`` when the gradient of this tensor is computed; what it returns
        (unless None) takes the gradient's place.

        Raises:
            RuntimeError: the tensor does not require grad.
        """
        if not self.requires_grad:
            raise RuntimeError(NOT_HOOKABLE)
        if runtime.reading is not None:
            runtime.reading((self,), None, "a hook")
        if self.is_leaf:
            return RemovableHandle(self._leaf_hooks().tensor, hook)
        return RemovableHandle(self._node._hooks().tensor, hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call ``hook(leaf)`` after each accumulation into the leaf's ``.grad``."""
        if not self.requires_grad:
            raise RuntimeError(NOT_HOOKABLE)
        if not self.is_leaf:
            raise RuntimeError(
                "post accumulate grad hooks cannot be registered on non-leaf tensors"
            )
        return RemovableHandle(self._leaf_hooks().accumulated, hook)

    def _leaf_hooks(self) -> GradHooks:
        """This leaf's own hooks, which its AccumulateGrad shares."""
        with runtime.lock:
            if self._hooks is None:
                self._hooks = GradHooks()
                end = accumulator(self)
                if end is not None:
                    before, end.hooks = end.hooks, GradHooks(self._hooks)
                    if before is not None:
                        end.hooks.pre, end.hooks.post = before.pre, before.post
        return self._hooks

    # Version and views ----------------------------------------------------------------------
    @property
    def _version(self) -> int:
        counter = self._counter
        if counter.__class__ is InferenceCounter:
            raise RuntimeError("Inference tensors do not track version counter.")
        return 0 if counter is None else int(counter.version)

    def is_inference(self) -> bool:
        """Return whether it was made in inference mode."""
        return isinstance(self._counter, InferenceCounter)

    @property
    def _base(self) -> Tensor | None:
        return None if self._view is None else self._view.base

    def _is_view(self) -> bool:
        return self._view is not None

    @property
    def data(self) -> Tensor:
        """The same values without history and with a version counter of their own."""
        out = Tensor._wrap(self._data)
        if isinstance(self._counter, InferenceCounter):
            out._counter = detached_inference()
        if runtime.observer is not None:
            runtime.observer.data_taken(out, self)
        return out

    @data.setter
    def data(self, other: Tensor) -> None:
        if not isinstance(other, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type_name(other)}")
        if self._requires_grad and not other._meta.floating:
            raise RuntimeError(
                "data set to a tensor that requires gradients must be floating point or complex "
                "dtype"
            )
        moved = self._data is not other._data
        before, self._data, self._meta = self._meta, other._data, other._meta
        if before.shape != self._meta.shape:
            self._view = None  # these have no place in the base
        on_data_replaced(self, before)
        if moved and runtime.observer is not None:
            runtime.observer.data_assigned(self, other)

    @data.deleter
    def data(self) -> None:
        raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")

    def detach(self) -> Tensor:
        """A tensor without history that shares values and version counter."""
        out = self._detached()
        if runtime.observer is not None:
            runtime.observer.called(TABLE["detach"], (self,), {}, (out,), None)
        return out

    def _detached(self, kind: type[Tensor] | None = None) -> Tensor:
        """`detach` without an event; as an instance of a subclass, if one is given."""
        out = (kind or Tensor)._wrap(self._data)
        counter = counter_of(self)
        if isinstance(counter, InferenceCounter):
            out._counter = detached_inference()
        else:
            out._counter = counter.shared if isinstance(counter, DetachedCounter) else counter
        return out

    def detach_(self) -> Tensor:
        """Cut this tensor from its history, in place; in inference mode there is none to cut.

        Raises:
            RuntimeError: it is a view.
        """
        if runtime.mode.inference:
            return self
        if self._view is not None:
            raise RuntimeError(errors.DETACH_VIEW)
        if self._node is not None:
            counter = counter_of(self)
            self._counter = DetachedCounter(getattr(counter, "shared", counter))
        if self.retains_grad:  # it says so from then on
            self._hooks = GradHooks()
            self._hooks.retain = weakref.ref(self)
        self._node = None
        self._requires_grad = False
        if runtime.observer is not None:
            runtime.observer.flagged(self)
        return self

    # What it is -------------------------------------------------------------------------------
    @property
    def shape(self) -> Size:
        """The sizes of its dimensions."""
        return Size(self._data.shape)

    @property
    def dtype(self) -> dtypes.dtype:
        """Its element type."""
        return dtypes.of(self._data.dtype)

    @property
    def device(self) -> devices.device:
        """Always the CPU."""
        return devices.cpu

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self._data.ndim
