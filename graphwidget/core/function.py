"""``autograd.Function``: ops that users write themselves. Their ctx is the node itself."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ..optable import TABLE
from ..optable.declare import describe_function
from . import errors, hot
from .hooks import as_given, as_tensor
from .node import Node, Output, target_of
from .tensor import Tensor, as_view
from .version import bump

NO_BACKWARD = (
    "You must implement either the backward or vjp method for your custom autograd.Function to "
    "use it with backward mode AD."
)
NO_FORWARD = "You must implement the forward function for custom autograd.Function."
LEGACY = (
    "Legacy autograd function with non-static forward method is deprecated. Please use new-style "
    "autograd function with static forward method. (Example: "
    "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
)
NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as output. The "
    "inputs that are modified inplace must all be outputs of the Function."
)


class FunctionNode(Node):
    """The node of a custom Function, which is also its ``ctx``: attributes may be set on it."""

    function: ClassVar[type[Function]]
    needs_input_grad: tuple[bool, ...]
    metas: list[hot.Meta]
    count: int

    def __init__(self, inputs: Sequence[Any]) -> None:
        self.start(())
        self.needs_input_grad = tuple(
            isinstance(each, Tensor) and each.requires_grad for each in inputs
        )
        self._tensors = tuple(isinstance(each, Tensor) for each in inputs)
        self._saved: tuple[Any, ...] | None = ()
        self._dirty: tuple[Tensor, ...] = ()
        self._flat: tuple[Tensor, ...] = ()
        self._materialize = True
        self._to_save: tuple[Any, ...] = ()

    # What forward may call ------------------------------------------------------------------
    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for backward; they are version-checked when read.

        Raises:
            TypeError: something that is neither a tensor nor None.
        """
        for i, each in enumerate(tensors):
            if each is not None and not isinstance(each, Tensor):
                raise TypeError(
                    "save_for_backward can only save variables, but argument "
                    f"{i} is of type {type(each).__name__}"
                )
        self._to_save = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which inputs forward wrote in place."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say which outputs have no gradient."""
        self._flat = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether missing gradients reach backward as zeros (the default) or as None."""
        self._materialize = value

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What ``save_for_backward`` kept.

        Raises:
            RuntimeError: freed, or written in place since.
        """
        if self._saved is None:
            raise errors.freed(self)
        found: list[Any] = []
        for i, entry in enumerate(self._saved):
            if entry is None:
                found.append(None)
                continue
            data, counter, version, tensor, nr = entry
            if tensor is None:  # an output: keeping the Tensor itself would be a cycle
                tensor = Tensor._wrap(data)
                tensor._counter = counter
                tensor._node = self if self.outputs_count == 1 else Output(self, nr)
                tensor._requires_grad = True
            if tensor._version != version:
                raise errors.stale(self, f"saved_tensors[{i}]", tensor, version)
            found.append(tensor)
        return tuple(found)

    def _keep(self, outputs: Sequence[Any]) -> None:
        kept: list[Any] = []
        for each in self._to_save:
            if each is None:
                kept.append(None)
                continue
            nr = next((i for i, out in enumerate(outputs) if out is each), None)
            own = nr is not None and not any(each is dirty for dirty in self._dirty)
            counter = hot.counter_of(each)
            if own and each._requires_grad:
                kept.append((each._data, counter, counter.version, None, nr))
            else:
                kept.append((each._data, counter, counter.version, each, nr))
        self._saved = tuple(kept)
        self._to_save = ()

    # What the engine calls -------------------------------------------------------------------
    @property
    def outputs_count(self) -> int:
        """How many outputs forward returned."""
        return self.count

    def backward_arrays(self, grad: Any, keep: bool) -> Any:
        return tuple(as_given(each, False) for each in self._backward(grad, keep, False))

    def backward_tensors(self, grad: Any, keep: bool) -> Any:
        return self._backward(grad, keep, True)

    def _backward(self, grad: Any, keep: bool, create: bool) -> list[Any]:
        grads = grad if isinstance(grad, list) else [grad]
        given = [as_tensor(each) for each in grads]
        before, observer = hot.grad_enabled(), hot.observer
        hot.set_grad_enabled(create)
        if not create:  # what it computes with is not part of any graph
            hot.observer = None
        try:
            found = self.function.backward(self, *given)
        finally:
            hot.set_grad_enabled(before)
            hot.observer = observer
        if not keep:
            self._saved = None
        return self._checked(found if isinstance(found, tuple) else (found,))

    def _checked(self, found: tuple[Any, ...]) -> list[Any]:
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
        results = []
        for i, each in enumerate(found[:count]):
            if not self.needs_input_grad[i]:
                continue
            if each is not None and not isinstance(each, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type(each).__name__})")
            results.append(None if each is None else self._fit(i, each))
        return results

    def _fit(self, i: int, grad: Tensor) -> Tensor:
        meta = self.input_metas[i]
        shape = grad._data.shape
        try:
            fits = np.broadcast_shapes(meta.shape, shape) == shape
        except ValueError:
            fits = False
        if not fits:
            raise RuntimeError(
                f"Function {type(self).__name__} returned an invalid gradient at index {i} - got "
                f"{list(shape)} but expected shape compatible with {list(meta.shape)}"
            )
        return hot.fit_to(grad, meta)  # type: ignore[no-any-return]

    @property
    def slots(self) -> tuple[Any, ...]:
        left = iter(self.next)
        return tuple(
            next(left) if wanted else None
            for wanted, tensor in zip(self.needs_input_grad, self._tensors, strict=True)
            if tensor
        )

    input_metas: list[hot.Meta]


class Function:
    """Base of custom ops: static ``forward`` and ``backward``, called by ``apply``.

    ``forward(ctx, *args)``, or ``forward(*args)`` with ``setup_context(ctx, inputs, output)``;
    ``backward(ctx, *grads)`` returns one gradient (or None) for each argument of forward.
    """

    _node: ClassVar[type[FunctionNode]] = FunctionNode

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        scope = {"function": cls, "__module__": cls.__module__}
        cls._node = type(cls.__name__ + "Backward", (FunctionNode,), scope)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(LEGACY)

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the result; to be written by the user."""
        raise NotImplementedError(NO_FORWARD)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Save what backward needs, when forward takes no ctx."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """The gradients of forward's arguments; to be written by the user."""
        raise NotImplementedError(NO_BACKWARD)

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward and record a node when an argument requires grad."""
        for each in args:
            if isinstance(each, Tensor) and each._view is not None:
                hot.refresh(each)
        node = cls._node(args)
        wanted = hot.grad_enabled() and any(node.needs_input_grad)
        node.next = tuple(
            target_of(each)
            for each, needs in zip(args, node.needs_input_grad, strict=True)
            if needs
        )
        node.input_metas = [each._meta if isinstance(each, Tensor) else None for each in args]  # type: ignore[misc]
        before = hot.grad_enabled()
        hot.set_grad_enabled(False)
        observer, hot.observer = hot.observer, None  # the op is one, whatever it is made of
        try:
            if cls.setup_context is not Function.setup_context:
                result = cls.forward(*args, **kwargs)
                cls.setup_context(node, args, result)
            else:
                result = cls.forward(node, *args, **kwargs)
        finally:
            hot.set_grad_enabled(before)
            hot.observer = observer
        several = isinstance(result, (tuple, list))
        outputs = [_output(node, args, each) for each in (result if several else (result,))]
        _link(node, args, outputs, wanted)
        if observer is not None:
            made = tuple(each for each in outputs if isinstance(each, Tensor))
            given = tuple(each for each in args if isinstance(each, Tensor))
            observer.called(_op_of(cls.__name__), (given,), {}, made, node if wanted else None)
        return tuple(outputs) if several else outputs[0]


def _output(node: FunctionNode, args: Sequence[Any], output: Any) -> Any:
    """An output as ``apply`` returns it: an input returned as it is becomes a new tensor."""
    if not isinstance(output, Tensor):
        return output
    if any(output is each for each in args) and not any(output is d for d in node._dirty):
        out = Tensor._wrap(output._data)
        as_view(out, output, TABLE["alias"], {})
        assert out._view is not None
        out._view.origin = "function"
        out._view.label = (0, type(node).__name__.removesuffix("Backward"))
        return out
    return output


def _link(node: FunctionNode, args: Sequence[Any], outputs: list[Any], wanted: bool) -> None:
    """Give the outputs their history."""
    for dirty in node._dirty:
        if not any(dirty is out for out in outputs):
            raise RuntimeError(NOT_RETURNED)
        if wanted and dirty._node is None and dirty._requires_grad:
            raise RuntimeError(
                "a leaf Variable that requires grad has been used in an in-place operation."
            )
        bump(dirty, node.name())
    tensors = [each for each in outputs if isinstance(each, Tensor)]
    node.count = len(tensors)
    node.metas = [each._meta for each in tensors]
    for nr, out in enumerate(tensors):
        flat = any(out is each for each in node._flat) or not out._meta.floating
        if wanted and not flat:
            out._node = node if len(tensors) == 1 else Output(node, nr)
            out._requires_grad = True
            if out._view is not None:
                out._view.version = hot.counter_of(out).version
    node._keep(tensors)


@functools.cache
def _op_of(name: str) -> Any:
    """An op that stands for a custom Function in the picture."""
    return describe_function(name)


def once_differentiable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a backward whose results cannot be differentiated again."""

    @functools.wraps(function)
    def wrapper(ctx: Any, *grads: Any) -> Any:
        before = hot.grad_enabled()
        hot.set_grad_enabled(False)
        try:
            return function(ctx, *grads)
        finally:
            hot.set_grad_enabled(before)

    return wrapper
