"""``reduction=`` of losses: "none", "mean" or "sum", and the older arguments for it."""

from __future__ import annotations

from ...arrays.warnings import warn
from ...autograd.grad_mode import is_grad_enabled
from ...graph.tensor import Tensor

REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
"""PyTorch's numbers of them, which nodes show as ``_saved_reduction``."""

DIFFERENT = (
    "Using a target size ({}) that is different to the input size ({}). This will likely lead to "
    "incorrect results due to broadcasting. Please ensure they have the same size."
)


def reduction_number(reduction: str) -> int:
    """The number of a reduction.

    Raises:
        ValueError: there is none of this name.
    """
    result = REDUCTIONS.get(reduction) if isinstance(reduction, str) else None
    if result is None:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return result


def refuse_grad(name: str, **inputs: Tensor | None) -> None:
    """Refuse inputs that a function has no derivative by, by what PyTorch calls both.

    Raises:
        RuntimeError: one requires grad.
    """
    for called, each in inputs.items():
        if each is not None and each.requires_grad and is_grad_enabled():
            raise RuntimeError(
                f"The function '{name}' is not differentiable with respect to argument '{called}'. "
                "This input cannot have requires_grad True."
            )


def reduction_text(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction, by its name or by the two older arguments, which PyTorch still takes.

    Warns:
        UserWarning: the older ones were given.
    """
    if size_average is None and reduce is None:
        return reduction
    average = True if size_average is None else size_average
    result = "none" if reduce is False else "mean" if average else "sum"
    warn(
        "size_average and reduce args will be deprecated, please use "
        f"reduction='{result}' instead.",
    )
    return result
