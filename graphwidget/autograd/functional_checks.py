"""Checks of ``torch.autograd.functional``, with PyTorch's texts."""

from __future__ import annotations

from typing import Any

from ..graph.tensor import Tensor

Tensors = tuple[Any, ...]
STRICT = " This is not allowed in strict mode."
STRICT_GRAPH = " This is not allowed in strict mode when create_graph=True."
OUTPUTS = "outputs of the user-provided function"
V_OF_OUTPUT = (
    "The vector v can only be None if the user-provided function returns a single Tensor with a "
    "single element."
)
V_OF_INPUT = (
    "The vector v can only be None if the input to the user-provided function is a single Tensor "
    "with a single element."
)
NOT_DIFFERENTIABLE = (
    "Output {} of the user-provided function does not require gradients. The outputs must be "
    "computed in a differentiable manner from the input when running in strict mode."
)
JACOBIAN_CONSTANT = (
    "While computing the hessian, found that the jacobian of the user-provided function with "
    "respect to input {} is independent of the input. This is not allowed in strict mode. You "
    "should ensure that your function is twice differentiable and that the jacobian depends on "
    "the inputs (this would be violated by a linear function for example)."
)
GRADIENT_CONSTANT = (
    "The gradient with respect to input {} is independent of the inputs of the user-provided "
    "function." + STRICT
)
INDEPENDENT = "The output of the user-provided function is independent of input {}."
MISSING = {
    "back": INDEPENDENT + STRICT,
    "back_trick": "The gradient with respect to the input is independent of entry {} in the "
    "grad_outputs when using the double backward trick to compute forward mode gradients." + STRICT,
    "double_back": "The jacobian of the user-provided function is independent of input {}."
    + STRICT,
    "double_back_trick": "The hessian of the user-provided function is independent of entry {} in "
    "the grad_jacobian. This is not allowed in strict mode as it prevents from using the double "
    "backward trick to replace forward mode AD.",
}
"""Messages of strict mode about a missing gradient, by the backward that misses it."""
FORWARD_STRATEGY = "torch.autograd.functional.jacobian: {} and {} are not supported together{}. "
STRATEGIES = (
    'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has '
    'more outputs than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to '
    'use "reverse-mode".'
)
NOT_VECTORIZED = (
    "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
    "`vectorize=True`."
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


def check_requires_grad(tensors: Tensors, text: str, strict: bool) -> None:
    """In strict mode, that everything depends on the inputs.

    Raises:
        RuntimeError: something does not.
    """
    for i, each in enumerate(tensors) if strict else ():
        if each is None:
            raise RuntimeError((INDEPENDENT + STRICT).format(i))
        if not each.requires_grad:
            raise RuntimeError(text.format(i))


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


def check_strategy(forward: bool, create_graph: bool, strict: bool, vectorize: bool) -> None:
    """Check that nothing is asked of forward mode that PyTorch's cannot do.

    Raises:
        NotImplementedError, RuntimeError: it does not.
    """
    if not forward:
        return
    mode = '`strategy="forward-mode"`'
    choose = 'Please either set `{}=False` or `strategy="reverse-mode"`.'
    if create_graph:
        start = FORWARD_STRATEGY.format("`create_graph=True`", mode, " (yet)")
        raise NotImplementedError(start + choose.format("create_graph"))
    if strict:
        start = FORWARD_STRATEGY.format("`strict=True`", mode, " (yet)")
        raise RuntimeError(start + choose.format("strict"))
    if not vectorize:
        raise NotImplementedError(NOT_VECTORIZED)
