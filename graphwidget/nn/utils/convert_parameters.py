"""``parameters_to_vector`` and ``vector_to_parameters``."""

from __future__ import annotations

from collections.abc import Iterable

from ...dispatch.offer import FUNCTIONS
from ...graph.tensor import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """The items of all parameters, one after another."""
    joined: Tensor = FUNCTIONS["cat"]([each.view(-1) for each in parameters])
    return joined


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Let parameters have the items of a vector, which they then share.

    Raises:
        TypeError: it is no tensor.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    place = 0
    for each in parameters:
        count = each.numel()
        each.data = vec[place : place + count].view_as(each).data
        place += count
