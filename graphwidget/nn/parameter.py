"""`Parameter`: the leaf tensors of a model."""

from __future__ import annotations

from typing import Any

from ..core import hot
from ..core.factories import empty
from ..core.tensor import Tensor
from ..core.version import counter_of


class Parameter(Tensor):
    """A leaf that modules register when it is assigned to an attribute of theirs.

    It shares the data and the version counter of the tensor it is made from, and is a leaf even
    if that one is not. Results of ops on parameters are plain tensors.

    Raises:
        RuntimeError: gradients are wanted for integers.
    """

    __slots__ = ()

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        source = empty(0) if data is None else data.detach()
        if requires_grad and not source._meta.floating:
            raise RuntimeError(
                "Only Tensors of floating point and complex dtype can require gradients"
            )
        self._adopt(source._data)
        self._counter = counter_of(source)
        self._requires_grad = requires_grad
        if hot.observer is not None:
            hot.observer.made(self)

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        found: Parameter | None = memo.get(id(self))
        if found is None:
            found = memo[id(self)] = Parameter(self.detach().clone(), self.requires_grad)
        return found

    def __reduce__(self) -> Any:
        return Parameter, (self.detach(), self.requires_grad)
