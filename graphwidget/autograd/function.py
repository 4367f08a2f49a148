"""``autograd.Function``: ops that users write themselves.

Their ctx is the node itself.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from ..arrays.warnings import warn
from ..graph import runtime
from ..graph.listeners import get_observer, set_observer
from ..graph.node import ErrorNode, Output, accumulator, edge_of
from ..graph.tensor import Tensor
from ..graph.version import bump, counter_of
from ..graph.views import as_view, check_writable, rebase, refresh_for_op, take_retain_grad
from ..optable import TABLE
from ..optable.declare import describe_function
from .function_node import FunctionNode

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]

NO_BACKWARD = (
    "You must implement either the backward or vjp method for your custom autograd.Function to "
    "use it with backward mode AD."
)
NO_FORWARD = "You must implement the forward function for custom autograd.Function."
INSTANCE = (
    "{} should not be instantiated. Methods on autograd functions are all static, so you should "
    "invoke them on the class itself. Instantiating an autograd function will raise an error in a "
    "future version of PyTorch."
)
LEGACY = (
    "Legacy autograd function with non-static forward method is deprecated. Please use new-style "
    "autograd function with static forward method. (Example: "
    "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
)
NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as output. The "
    "inputs that are modified inplace must all be outputs of the Function."
)
NOT_AN_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been "
    "mutated should be passed to ctx.mark_dirty()."
)
VIEW_OF_SEVERAL = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function "
    "cannot return more than one Tensor. This is not supported by the current autograd engine. "
    "You should either make sure the input is not a view (using .clone() for example) or make "
    "your Function only return one Tensor (potentially splitting it into two Functions: one doing "
    "the inplace that returns a single Tensor and a second one that does the other operations). "
    "You can ask on the forum https://discuss.pytorch.org/ if you need help to do this change."
)
PURE = (
    "Pure view custom Function can only have one input Tensor and one output Tensor. Open an issue "
    "if you need to support more."
)
LEAF_WRITTEN = "a leaf Variable that requires grad has been used in an in-place operation."
TWICE = "trying to differentiate twice a function that was marked with @once_differentiable"
TWO_BACKWARDS = (
    "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
    "implement one of them."
)


class Function:
    """Base of custom ops: static ``forward`` and ``backward``, called by ``apply``.

    ``forward(ctx, *args)``, or ``forward(*args)`` with ``setup_context(ctx, inputs, output)``;
    ``backward(ctx, *grads)``, which may be called ``vjp``, returns one gradient (or None) for
    each argument of forward.

    ``clear_saved_tensors_on_access`` releases what was saved when backward first reads it;
    ``boxed_grads_call`` gives backward the gradients in one list, from which it may take them.
    """

    _backward_cls: ClassVar[type[FunctionNode]] = FunctionNode
    generate_vmap_rule: ClassVar[bool] = False
    clear_saved_tensors_on_access: ClassVar[bool] = False
    boxed_grads_call: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        scope = {"function": cls, "__module__": "torch.autograd.function"}
        cls._backward_cls = type(cls.__name__ + "Backward", (FunctionNode,), scope)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn(INSTANCE.format(type(self)), DeprecationWarning)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(LEGACY)

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the result; to be written by the user."""
        raise NotImplementedError(NO_FORWARD)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Save what backward needs, when forward takes no ctx."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of forward's arguments; to be written by the user."""
        raise NotImplementedError(NO_BACKWARD)

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Forward-mode derivatives, which there are not."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with "
            "forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *args: Any) -> Any:
        """PyTorch's rule for ``torch.vmap``, which needs none here.

        Raises:
            NotImplementedError: always, unless the user wrote one.
        """
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod "
            "or set generate_vmap_rule=True."
        )

    @classmethod
    def _user_backward(cls) -> Any:
        """The user's ``backward``, which may be called ``vjp``.

        Raises:
            RuntimeError: there are both.
        """
        if cls.vjp is Function.vjp:
            return cls.backward
        if cls.backward is not Function.backward:
            raise RuntimeError(TWO_BACKWARDS)
        return cls.vjp

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward and record a node when an argument requires grad."""
        sets_up = cls.setup_context is not Function.setup_context
        if sets_up:  # what it is given includes the defaults of forward
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        if kwargs:
            args = _positional_arguments(cls.forward, args, kwargs, 0 if sets_up else 1)
        for each in args:
            if isinstance(each, Tensor) and each._view is not None:
                refresh_for_op(each)
        node = cls._backward_cls(args)
        node.function = cls  # type: ignore[misc]
        wanted = runtime.grad_enabled() and node.requires_grad
        if wanted:
            needing = zip(args, node.needs_input_grad, strict=True)
            node.next = tuple(edge_of(each) for each, needs in needing if needs)
        observer = get_observer()
        result = _run_forward(node, args, sets_up, observer)
        several = isinstance(result, tuple)
        outputs = list(result) if several else [result]
        _set_history(node, args, outputs, wanted)
        if runtime.observer is not None:
            made = tuple(each for each in outputs if isinstance(each, Tensor))
            given = tuple(each for each in args if isinstance(each, Tensor))
            op = _op_named(cls.__name__)
            runtime.observer.called(op, (given,), {}, made, node if wanted else None)
        return tuple(outputs) if several else outputs[0]


def _positional_arguments(
    forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], first: int
) -> tuple[Any, ...]:
    """All arguments by position, as gradients are returned for them; forward's begin at ``first``.

    Raises:
        TypeError: a name is none of forward's, or given twice, or one before it is left out.
    """
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(forward).parameters.values()
    names = [each.name for each in parameters if each.kind in kinds][first:]
    for name in kwargs:
        if name not in names:
            raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
        if name in names[: len(args)]:
            raise TypeError(f"forward() got multiple values for argument '{name}'")
    found = list(args)
    for place in range(len(args), len(args) + len(kwargs)):
        if names[place] not in kwargs:
            raise TypeError(
                f"forward() missing required argument: '{names[place]}' (position {place})"
            )
        found.append(kwargs[names[place]])
    return tuple(found)


def _run_forward(node: FunctionNode, args: Any, sets_up: bool, observer: Any) -> Any:
    """The user's forward, unrecorded and (the op is one, whatever it is made of) unobserved."""
    cls, before = node.function, runtime.mode.requested
    runtime.set_grad_enabled(False)
    if observer is not None:
        set_observer(None)
    try:
        if not sets_up:
            return cls.forward(node, *args)
        result = cls.forward(*args)
        cls.setup_context(node, args, result)
        return result
    finally:
        runtime.set_grad_enabled(before)
        if observer is not None:
            set_observer(observer)


def _contains(tensor: Any, tensors: Sequence[Any] | None) -> bool:
    return any(tensor is each for each in tensors or ())


def _set_history(node: FunctionNode, args: Sequence[Any], outputs: list[Any], wanted: bool) -> None:
    """Give the outputs their history."""
    node.check_marked()
    for each in node.dirty_tensors or ():
        bump(each, node.name())
    returned = tuple(outputs)
    node.metas = [node.meta_of_output(each) for each in outputs]
    made = [each for each in outputs if isinstance(each, Tensor)]
    for nr, out in enumerate(outputs):
        if isinstance(out, Tensor):
            outputs[nr] = _make_output(node, args, out, nr, wanted, len(made))
    if any(not _contains(dirty, returned) for dirty in node.dirty_tensors or ()):
        raise RuntimeError(NOT_RETURNED)
    pure = getattr(node, "_is_pure_view", False)
    if pure and (len(outputs) > 1 or sum(node._tensors) > 1):
        raise RuntimeError(PURE)
    needing = sum(isinstance(each, Tensor) and each._node is not None for each in outputs)
    for nr, view in enumerate(outputs):
        if not isinstance(view, Tensor) or view._view is None:
            continue
        if not _contains(view, node.dirty_tensors) and not _contains(view, args):
            several = "multi" if needing > 1 else "function"
            view._view.origin = "default" if pure else several
            if wanted:
                view._view.label = (nr, type(node).__name__)
    if wanted:
        node.keep(outputs)
    node.to_save = node.dirty_tensors = node.non_differentiable = None


def _make_output(
    node: FunctionNode, args: Sequence[Any], out: Tensor, nr: int, wanted: bool, count: int
) -> Tensor:
    """An output as ``apply`` returns it.

    Raises:
        RuntimeError: a leaf was written in place, or a view, with other outputs beside it.
    """
    given, dirty = _contains(out, args), _contains(out, node.dirty_tensors)
    if not wanted or _contains(out, node.non_differentiable) or not out._meta.floating:
        if out._requires_grad and given:
            return out.detach()
        if out._requires_grad and out._view is None:
            return out.detach_()
        return _alias(out) if given and not dirty else out
    if not dirty:
        out = _alias(out) if given else out
        out._node = Output(node, nr) if len(node.metas) > 1 else node
        out._requires_grad = True
        if out._view is not None:
            out._view.version = counter_of(out).version
        return out
    if out._requires_grad and out._node is None:
        raise RuntimeError(LEAF_WRITTEN)
    if not given:
        if out._view is not None:
            raise RuntimeError(NOT_AN_INPUT)
        warn(NOT_AN_INPUT)
    if out._view is not None and count > 1:
        raise RuntimeError(VIEW_OF_SEVERAL)
    out._grad = None  # it was that of the value before
    if out._view is not None:
        check_writable(out, node.name())
    keeps = take_retain_grad(out)
    if out._view is not None:
        rebase(out._view, node)
        refresh_for_op(out)
    else:
        out._node = Output(node, nr) if len(node.metas) > 1 else node
    out._requires_grad = True
    if keeps is not None:
        out.retain_grad()
    return out


def _alias(tensor: Tensor) -> Tensor:
    """An input that forward returned as it was: a new tensor, a view of it."""
    out = Tensor._wrap(tensor._data)
    as_view(out, tensor, TABLE["alias"], {})
    return out


class InplaceFunction(Function):
    """A Function with an option to write its input: PyTorch's former base of such ones."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


@functools.cache
def _op_named(name: str) -> Any:
    """An op that stands for a custom Function in the picture."""
    return describe_function(name)


def _refuse_double_backward(tensor: Tensor, target: Any) -> Tensor:
    """The tensor as an output of the node that refuses to be differentiated."""
    out = Tensor._wrap(tensor._data)
    out._node, out._requires_grad = target, True
    return out


def once_differentiable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a backward whose results cannot be differentiated again: what it computes with is not
    recorded, and going back through its results is an error."""

    @functools.wraps(function)
    def wrapper(ctx: Any, *grads: Any) -> Any:
        before = runtime.mode.requested
        runtime.set_grad_enabled(False)
        try:
            found = function(ctx, *grads)
        finally:
            runtime.set_grad_enabled(before)
        needs = any(isinstance(each, Tensor) and each.requires_grad for each in grads)
        if not before or not needs:
            return found
        results = found if isinstance(found, tuple) else (found,)
        leaves = [None if each is None else each.detach().requires_grad_() for each in results]
        node = ErrorNode(TWICE, [None if each is None else accumulator(each) for each in leaves])
        node.metas = [None if each is None else each._meta for each in leaves]
        outs = [
            None if each is None else _refuse_double_backward(each, node.output(nr))
            for nr, each in enumerate(leaves)
        ]
        return tuple(outs) if isinstance(found, tuple) else outs[0]

    return wrapper


FunctionCtx = BackwardCFunction = FunctionNode
"""Base of the nodes of custom Functions; they are their own ctx."""
