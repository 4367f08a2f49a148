"""``torch.autograd.functional``: derivatives of functions, as functions.

What each one computes is PyTorch's, and so are the texts of errors. Products with the Jacobian from
the right come from two backwards, for there is no forward mode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..absent import not_here
from ..graph import runtime
from ..graph.tensor import Tensor
from .backward import grad
from .grad_mode import enable_grad, is_grad_enabled, set_grad_enabled

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Tensors = tuple[Any, ...]
OUTPUTS = "outputs of the user-provided function"
V_OF_OUTPUT = (
    "The vector v can only be None if the user-provided function returns a single Tensor with a "
    "single element."
)
V_OF_INPUT = (
    "The vector v can only be None if the input to the user-provided function is a single Tensor "
    "with a single element."
)


def as_tuple(given: Any, what: str, function: str) -> tuple[bool, Tensors]:
    """Return whether it is a tuple, and it as one.

    Raises:
        TypeError: something else than tensors.
    """
    several = isinstance(given, tuple)
    every: Tensors = given if several else (given,)
    for i, each in enumerate(every):
        if not isinstance(each, Tensor):
            where = f"value at index {i}" if several else f"given {what}"
            raise TypeError(
                f"The {what} given to {function} must be either a Tensor or a tuple of Tensors "
                f"but the {where} has type {type(each)}."
            )
    return several, every


def check_scalar_output(outputs: Tensors, many: bool, name: str) -> None:
    """Check that a function to be differentiated twice gives one number.

    Raises:
        RuntimeError: it does not.
    """
    if many:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {name} should contain a single element"
        )


def check_strategy(strategy: str) -> None:
    """Check the name of a way to compute a Jacobian: both are computed backward.

    Raises:
        NotImplementedError: any other.
    """
    if strategy not in ("reverse-mode", "forward-mode"):
        raise NotImplementedError(not_here(f"torch.autograd.functional's strategy {strategy!r}"))


def _grad_preprocess(tensors: Tensors, create_graph: bool, needs_grad: bool) -> Tensors:
    """Tensors of their own, that the user's function may be differentiated by: connected to those
    given only under create_graph."""
    return tuple(
        runtime.tensors.view(each, each._data.shape)
        if create_graph and each.requires_grad
        else each.detach().requires_grad_(needs_grad)
        for each in tensors
    )


def _grad_postprocess(results: Sequence[Tensor], create_graph: bool, several: bool) -> Any:
    """Results as users get them: without history unless they asked for it, and a tuple where
    they gave one."""
    every = tuple(results) if create_graph else tuple(each.detach() for each in results)
    return every if several else every[0]


def _outputs_and_result(
    outputs: Tensors, found: Tensors, create_graph: bool, many: bool, several: bool
) -> tuple[Any, Any]:
    """Return the function's outputs and the product, as products with derivatives do."""
    return _grad_postprocess(outputs, create_graph, many), _grad_postprocess(
        found, create_graph, several
    )


def _validate_v(
    v: Any, tensors: Tensors, several: bool, create: bool, name: str, alone: str
) -> Any:
    """The vector as a tuple like ``tensors``; None stays None for a single element.

    Raises:
        RuntimeError: it does not fit.
    """
    if v is None:
        if len(tensors) != 1 or tensors[0].numel() != 1:
            raise RuntimeError(alone)
        return None
    _, every = as_tuple(v, "v", name)
    every = _grad_preprocess(every, create, False)
    if len(every) != len(tensors):
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(tensors)} but got {len(every)}."
            if several
            else "The given v should contain a single Tensor."
        )
    for i, (given, wanted) in enumerate(zip(every, tensors, strict=True)):
        if given._data.shape != wanted._data.shape:
            start = f"Entry {i} in v" if several else "v"
            raise RuntimeError(
                f"{start} has invalid size: should be {wanted.shape} but got {given.shape}."
            )
    return every


def _autograd_grad(
    outputs: Tensors, inputs: Tensors, grads: Any = None, create: bool = False
) -> Tensors:
    """``grad`` of those outputs that have a history, with None where nothing depends."""
    given = (None,) * len(outputs) if grads is None else grads
    pairs = [
        (out, each)
        for out, each in zip(outputs, given, strict=True)
        if out is not None and out.requires_grad
    ]
    if not pairs:
        return (None,) * len(inputs)
    found: Tensors = grad(
        [out for out, _ in pairs], inputs, [each for _, each in pairs],
        create_graph=create, allow_unused=True,
    )  # fmt: skip
    return found


def _zeros_like(tensor: Tensor, requires_grad: bool = False) -> Tensor:
    zeros = Tensor._wrap(np.zeros_like(tensor._data))
    zeros._requires_grad = requires_grad
    return zeros


def _or_zeros(grads: Tensors, like: Tensors, strict: bool) -> Tensors:
    """Return gradients, with zeros shaped ``like`` these where there are none.

    Raises:
        NotImplementedError: strict mode, of which PyTorch alone has the errors, refuses that.
    """
    if strict and any(grad is None for grad in grads):
        raise NotImplementedError(not_here("the refusal of independent inputs by strict=True"))
    return tuple(
        _zeros_like(tensor) if grad is None else grad
        for grad, tensor in zip(grads, like, strict=True)
    )


def _grad_or_zeros(
    outputs: Tensors, inputs: Tensors, v: Any, like: Tensors, create: bool, strict: bool
) -> Tensors:
    """Return the gradients, shaped ``like`` these; zeros where there are none."""
    with set_grad_enabled(create or is_grad_enabled()):
        return _or_zeros(_autograd_grad(outputs, inputs, v, create), like, strict)


def vjp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """The outputs of a function, and ``v`` times its Jacobian.

    Args:
        func: of tensors, returns a tensor or a tuple.
        inputs: a tensor or a tuple, where to differentiate.
        v: like the outputs; not needed for a single element.
        create_graph: let the results be differentiable.
        strict: refuse gradients that do not depend on the inputs, instead of zeros.

    Raises:
        RuntimeError, TypeError: with PyTorch's texts.
    """
    with enable_grad():
        several, given = as_tuple(inputs, "inputs", "vjp")
        given = _grad_preprocess(given, create_graph, True)
        many, outputs = as_tuple(func(*given), OUTPUTS, "vjp")
        v = _validate_v(v, outputs, many, create_graph, "vjp", V_OF_OUTPUT)
    found = _grad_or_zeros(outputs, given, v, given, create_graph, strict)
    return _outputs_and_result(outputs, found, create_graph, many, several)


def jvp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """The outputs of a function, and its Jacobian times ``v``.

    The gradient is linear in the gradients of the outputs; its derivative by those is what is
    wanted (the double backward trick).

    Args:
        v: like the inputs; not needed for a single element.
        The others: as for ``vjp``.
    """
    with enable_grad():
        several, given = as_tuple(inputs, "inputs", "jvp")
        given = _grad_preprocess(given, create_graph, True)
        v = _validate_v(v, given, several, create_graph, "jvp", V_OF_INPUT)
        many, outputs = as_tuple(func(*given), OUTPUTS, "jvp")
        seeds = tuple(_zeros_like(out, True) for out in outputs)
        grads = _autograd_grad(outputs, given, seeds, True)
    found = _grad_or_zeros(grads, seeds, v, outputs, create_graph, strict)
    return _outputs_and_result(outputs, found, create_graph, many, many)


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The derivative of each output by each input, of shape ``output.shape + input.shape``.

    Args:
        func, inputs, create_graph: as for ``vjp``.
        vectorize: accepted; the rows are computed one after another all the same.
        strategy: ``forward-mode`` is accepted and computed as ``reverse-mode``.

    Returns:
        A tensor; a tuple over inputs or outputs where these are tuples, a tuple (over outputs) of
        tuples (over inputs) when both are.
    """
    check_strategy(strategy)
    with enable_grad():
        several, given = as_tuple(inputs, "inputs", "jacobian")
        given = _grad_preprocess(given, create_graph, True)
        many, outputs = as_tuple(func(*given), OUTPUTS, "jacobian")
        found = [_jacobian_rows(out, given, create_graph, strict) for out in outputs]
    results = tuple(_grad_postprocess(row, create_graph, several) for row in found)
    return results if many else results[0]


def _jacobian_rows(output: Tensor, inputs: Tensors, create: bool, strict: bool) -> Tensors:
    """The derivatives of one output by all inputs."""
    columns: list[list[Any]] = [[] for _ in inputs]
    for place in range(output._data.size):
        seed = np.zeros(output._data.shape, output._data.dtype)
        seed.reshape(-1)[place] = 1
        grads: Tensors = (None,) * len(inputs)
        if output.requires_grad:
            grads = grad(
                output, inputs, Tensor._wrap(seed),
                retain_graph=True, create_graph=create, allow_unused=True,
            )  # fmt: skip
        for column, each in zip(columns, _or_zeros(grads, inputs, strict), strict=True):
            column.append(each)
    if not all(columns):  # an output without items
        raise RuntimeError("stack expects a non-empty TensorList")
    return tuple(
        runtime.tensors.view(
            runtime.tensors.stack(column, dim=0), output._data.shape + inputs[nr]._data.shape
        )
        for nr, column in enumerate(columns)
    )


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The second derivatives of a function of one element, of shape ``input.shape + input.shape``;
    a tuple of tuples for a tuple of inputs. Arguments as for ``jacobian``."""
    several, given = as_tuple(inputs, "inputs", "hessian")
    check_strategy(outer_jacobian_strategy)

    def single(*args: Tensor) -> Any:
        output = func(*args)
        many, outputs = as_tuple(output, OUTPUTS, "hessian")
        check_scalar_output(outputs, many, "hessian")
        return runtime.tensors.squeeze(output)

    def first(*args: Tensor) -> Any:
        return jacobian(single, args, create_graph=True)

    found = jacobian(first, given, create_graph, strict)
    return found if several else found[0][0]


def _first_derivative(
    func: Callable[..., Any], inputs: Any, v: Any, create_graph: bool, strict: bool, name: str
) -> tuple[bool, bool, Tensors, Tensors, Any, Tensors]:
    """Prepare ``vhp`` and ``hvp``: return the inputs, the output, the vector and the gradient, and
    whether inputs and outputs are tuples."""
    several, given = as_tuple(inputs, "inputs", name)
    given = _grad_preprocess(given, create_graph, True)
    v = _validate_v(v, given, several, create_graph, name, V_OF_INPUT)
    many, outputs = as_tuple(func(*given), OUTPUTS, name)
    check_scalar_output(outputs, many, name)
    first = _autograd_grad(outputs, given, None, True)
    return several, many, given, outputs, v, first


def vhp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """The output of a function of one element, and ``v`` times its Hessian. Arguments as for
    ``jvp``."""
    with enable_grad():
        several, many, given, outputs, v, first = _first_derivative(
            func, inputs, v, create_graph, strict, "vhp"
        )
    found = _grad_or_zeros(first, given, v, given, create_graph, strict)
    return _outputs_and_result(outputs, found, create_graph, many, several)


def hvp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """The output of a function of one element, and its Hessian times ``v``, by differentiating
    once more than ``vhp`` does. Arguments as for ``jvp``."""
    with enable_grad():
        several, many, given, outputs, v, first = _first_derivative(
            func, inputs, v, create_graph, strict, "hvp"
        )
        seeds = tuple(_zeros_like(each, True) for each in given)
        second = _autograd_grad(first, given, seeds, True)
    found = _grad_or_zeros(second, seeds, v, given, create_graph, strict)
    return _outputs_and_result(outputs, found, create_graph, many, several)
