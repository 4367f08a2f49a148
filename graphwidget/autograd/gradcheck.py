"""``gradcheck`` and ``gradgradcheck``: gradients compared with finite differences.

The checks, their order and the texts of their errors are PyTorch's; the derivative by each element
is measured, also in ``fast_mode``, which is accepted and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from ..absent import refuse_options
from ..arrays.warnings import warn
from ..graph import runtime
from ..graph.tensor import Tensor
from .backward import grad

__all__ = [
    "GradcheckError", "gradcheck",
    "gradgradcheck",
]  # fmt: skip

SINGLE = (
    "Input #{} requires gradient and is not a double precision floating point or complex. This "
    "check will likely fail if all the inputs are not of double precision floating point or "
    "complex. "
)
STRIDE = (
    "The {}th input has a dimension with stride 0. gradcheck only supports inputs that are "
    "non-overlapping to be able to compute the numerical gradients correctly. You should call "
    ".contiguous on the input before passing it to gradcheck."
)
NOTHING = (
    "gradcheck expects at least one input tensor to require gradient, but none of them have "
    "requires_grad=True."
)
NOT_REENTRANT = (
    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple "
    "times gives different values, although analytical gradient matches numerical gradient."
    "The tolerance for nondeterminism was {}.\n\n"
    "NOTE: If your op relies on non-deterministic operations i.e., it is listed here:\n"
    "https://pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html\n"
    "this failure might be expected.\n\n"
    "If you are adding a new operator, please file an issue and then use one of the\n"
    "workarounds. The workaround depends on how your test invokes gradcheck/gradgradcheck.\n"
    "If the test\n"
    "- manually invokes gradcheck/gradgradcheck, then call gradcheck/gradgradcheck\n"
    "  with `nondet_tol=<tol>` as a keyword argument.\n"
    "- is OpInfo-based (e.g., in test_ops_gradients.py), then modify the OpInfo for the test\n"
    "  to have `gradcheck_nondet_tol=<tol>`.\n"
    "- is a Module test (e.g., in common_nn.py), then modify the corresponding\n"
    "  module_test entry to have `gradcheck_nondet_tol=<tol>`\n"
)
UNDEFINED_WARNING = (
    "Backwards compatibility: New undefined gradient support checking feature is enabled by "
    "default, but it may break existing callers of this function. If this is true for you, you "
    'can call this function with "check_undefined_grad=False" to disable the feature'
)
UNDEFINED = "Expected backward function to handle undefined output grads. "
UNDEFINED_NOT_ZERO = (
    "Expected all input grads to be undefined or zero when all output grads are undefined or zero. "
)
SEE = 'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'


class GradcheckError(RuntimeError):
    """A gradient is not what ``gradcheck`` expects."""


def _without_gradient(tensor: Tensor) -> Any:
    """The tensor itself, whose backward gives no gradient."""
    from .function import Function  # loaded when first used

    class Undefined(Function):
        @staticmethod
        def forward(ctx: Any, tensor: Tensor) -> Tensor:
            return runtime.tensors.clone(tensor)  # type: ignore[no-any-return]

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> None:
            return None

    return Undefined.apply(tensor)


def _as_tuple(value: Any) -> tuple[Any, ...]:
    if isinstance(value, tuple):
        return value
    return tuple(value) if isinstance(value, list) else (value,)


def _differentiable_outputs(outputs: Any) -> tuple[Any, ...]:
    return tuple(each for each in _as_tuple(outputs) if each.requires_grad)


def _differentiable_inputs(inputs: Sequence[Any]) -> list[Tensor]:
    return [each for each in inputs if isinstance(each, Tensor) and each.requires_grad]


def _check_inputs(inputs: Sequence[Any]) -> None:
    for i, each in enumerate(inputs):
        if not isinstance(each, Tensor) or not each.requires_grad:
            continue
        if each._data.dtype != np.float64:
            warn(SINGLE.format(i))
        sizes = zip(each._data.strides, each._data.shape, strict=True)
        if not all(stride > 0 or size <= 1 for stride, size in sizes):
            raise RuntimeError(STRIDE.format(i))
    if not _differentiable_inputs(inputs):
        raise ValueError(NOTHING)


def _numerical_jacobian(
    func: Callable[..., Any], inputs: Sequence[Any], outputs: Sequence[Any], eps: float,
    by: Sequence[Any],
) -> Iterator[list[np.ndarray]]:  # fmt: skip
    """For each tensor of ``by`` that requires grad the derivative of each output by it, by central
    differences: arrays of (elements of the tensor, elements of the output)."""

    def values() -> list[np.ndarray]:
        return [each._data.copy() for each in _as_tuple(func(*inputs))]

    for wanted in _differentiable_inputs(by):
        data = wanted._data  # written past the version counter
        found = [np.zeros((data.size, out._data.size), out._data.dtype) for out in outputs]
        for row, index in enumerate(product(*map(range, data.shape))):
            before = data[index]
            data[index] = before - eps
            below = values()
            data[index] = before + eps
            above = values()
            data[index] = before
            for i, (low, high) in enumerate(zip(below, above, strict=True)):
                _check_outputs_same_dtype_and_shape(low, high, index, eps)
                away = runtime.tensors.sub(Tensor._wrap(high), Tensor._wrap(low))
                found[i][row] = (away._data / (2 * eps)).reshape(-1)
        yield found


def _check_outputs_same_dtype_and_shape(
    low: np.ndarray, high: np.ndarray, index: Any, eps: float
) -> None:
    what = f"when inputs are perturbed on index {index} by {eps}, but got:"
    for form in ("shape", "dtype"):
        one, other = getattr(Tensor._wrap(low), form), getattr(Tensor._wrap(high), form)
        if one != other:
            raise AssertionError(
                f"Expected `func` to return outputs with the same {form} {what} {form}s "
                f"{one} and {other}."
            )


def _analytical_jacobian(
    inputs: Sequence[Any], output: Tensor, tolerance: float
) -> list[np.ndarray]:
    """The derivative of an output by each wanted input, by backward: arrays of (elements of the
    input, elements of the output).

    Raises:
        GradcheckError: a second time it is not the same.
    """
    first, second = (_jacobian_by_backward(inputs, output) for _ in range(2))
    if not _allclose(first, second, tolerance):
        raise GradcheckError(NOT_REENTRANT.format(tolerance))
    return first


def _jacobian_by_backward(inputs: Sequence[Any], output: Tensor) -> list[np.ndarray]:
    """The derivatives of an output, by one backward for each of its elements."""
    wanted = _differentiable_inputs(inputs)
    alike = runtime.tensors.clone(output)
    found = [np.zeros((each._data.size, output._data.size), each._data.dtype) for each in wanted]
    for column in range(output._data.size):
        seed = np.zeros(output._data.shape, output._data.dtype)
        seed.reshape(-1)[column] = 1
        grads = grad(alike, wanted, Tensor._wrap(seed), retain_graph=True, allow_unused=True)
        for rows, each in zip(found, grads, strict=True):
            if each is not None:
                rows[:, column] = each._data.reshape(-1)
    return found


def _allclose(one: Sequence[np.ndarray], other: Sequence[np.ndarray], tolerance: float) -> bool:
    """Return whether derivatives are no further from each other; nan is not."""
    pairs = zip(one, other, strict=True)
    return not any(each.size and np.abs(each - again).max() > tolerance for each, again in pairs)


def _check_mul_by_grad_output(outputs: Sequence[Tensor], inputs: Sequence[Any]) -> None:
    zeros = [Tensor._wrap(np.zeros(out._data.shape, out._data.dtype)) for out in outputs]
    for each in grad(outputs, _differentiable_inputs(inputs), zeros, allow_unused=True):
        if each is not None and each._data.any():
            raise GradcheckError("backward not multiplied by grad_output")


def _check_undefined(func: Callable[..., Any], inputs: Sequence[Any]) -> None:
    """Backward must manage without the gradients of all outputs, and without each one."""
    outputs = _differentiable_outputs(func(*inputs))
    cases = [[_without_gradient(each) for each in outputs]]
    if len(outputs) > 1:
        for left_out in range(len(outputs)):
            again = _differentiable_outputs(func(*inputs))
            cases.append(
                [_without_gradient(o) if i == left_out else o for i, o in enumerate(again)]
            )
    for case in cases:
        zeros = [Tensor._wrap(np.zeros(out._data.shape, out._data.dtype)) for out in case]
        try:
            grads = grad(case, _differentiable_inputs(inputs), zeros, allow_unused=True)
        except RuntimeError as error:
            warn(UNDEFINED_WARNING)
            raise GradcheckError(UNDEFINED + SEE) from error
        if any(each is not None and each._data.any() for each in grads):
            warn(UNDEFINED_WARNING)
            raise GradcheckError(UNDEFINED_NOT_ZERO + SEE)


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    fast_mode: bool = False,
    **options: Any,
) -> bool:
    """Return whether backward agrees with finite differences, for all inputs that require grad.

    Args:
        func: of tensors, returns a tensor or several.
        inputs: a tensor or a tuple; double precision, or the differences are too rough.
        eps: half the step of the differences.
        atol, rtol: how far a derivative may be off, as in ``allclose``.
        raise_exception: raise when it fails, rather than return False.
        nondet_tol: how far two backwards may differ from each other.
        check_undefined_grad: try backward without some outputs' gradients.
        fast_mode: accepted; rows are always run one by one.

    Raises:
        GradcheckError: it fails.
        ValueError: no input requires grad.
        NotImplementedError: an option that only PyTorch has.
    """
    refuse_options("torch.autograd.gradcheck", options)
    given = _as_tuple(inputs)
    _check_inputs(given)
    try:
        _check(func, given, (eps, atol, rtol, nondet_tol), check_undefined_grad)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _check(func: Callable[..., Any], inputs: tuple[Any, ...], limits: Any, undefined: bool) -> None:
    eps, atol, rtol, nondet_tol = limits
    every = _as_tuple(func(*inputs))
    outputs = _differentiable_outputs(every)
    numerical = list(_numerical_jacobian(func, inputs, every, eps, inputs))
    if not outputs:
        if any(each.any() for by_output in numerical for each in by_output):
            raise GradcheckError("Numerical gradient for function expected to be zero")
        _check_no_differentiable_outputs(inputs)
    places = [i for i, each in enumerate(every) if each.requires_grad]
    for o, output in enumerate(outputs):
        for i, found in enumerate(_analytical_jacobian(inputs, output, nondet_tol)):
            expected = numerical[i][places[o]]
            if not np.allclose(found, expected, rtol=rtol, atol=atol):
                raise GradcheckError(
                    f"Jacobian mismatch for output {o} with respect to input {i},\n"
                    f"numerical:{Tensor._wrap(expected)}\nanalytical:{Tensor._wrap(found)}\n"
                )
    _check_mul_by_grad_output(outputs, inputs)
    if undefined:
        _check_undefined(func, inputs)


def _check_no_differentiable_outputs(inputs: Sequence[Any]) -> None:
    """Check a function with no differentiable outputs, as PyTorch does."""
    grad((), _differentiable_inputs(inputs), (), allow_unused=True)


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    fast_mode: bool = False,
    **options: Any,
) -> bool:
    """``gradcheck`` of the derivative of ``func``, by the inputs and by ``grad_outputs``.

    Args:
        grad_outputs: the gradients of the outputs; random ones when not given.
        The others: as for ``gradcheck``.

    Raises:
        GradcheckError: it fails.
    """
    refuse_options("torch.autograd.gradcheck", options)
    given = _as_tuple(inputs)
    if grad_outputs is None:
        outputs = _differentiable_outputs(func(*given))
        seeds = tuple(_random_like(out) for out in outputs)
    else:
        seeds = _as_tuple(grad_outputs)

    def derivative(*args: Any) -> tuple[Any, ...]:
        some = args[: len(given)]
        outputs = _differentiable_outputs(func(*some))
        found = grad(
            outputs,
            _differentiable_inputs(some),
            args[len(given) :],
            create_graph=True,
            allow_unused=True,
        )
        return tuple(each for each in found if each is not None)

    return gradcheck(
        derivative, given + seeds, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
        nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad,
    )  # fmt: skip


def _random_like(output: Any) -> Tensor:
    made = Tensor._wrap(runtime.uniform(output._data.shape, output._data.dtype, -1.0, 1.0))
    made.requires_grad = True
    return made
