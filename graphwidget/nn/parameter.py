"""`Parameter`, the leaf tensors of a model, and `Buffer`, its other state."""

from __future__ import annotations

from collections import OrderedDict
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
        # what is no tensor is asked for `detach`: that is what the error names
        given = empty(0) if data is None else data
        source = given._detached() if isinstance(given, Tensor) else given.detach()
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
        return _rebuilt, (self.detach(), self.requires_grad, OrderedDict(self.__dict__))

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.__reduce__()


def _rebuilt(data: Tensor, requires_grad: bool, attributes: dict[str, Any]) -> Parameter:
    """A parameter from its pickle."""
    made = Parameter(data, requires_grad)
    made.__dict__.update(attributes)
    return made


class _BufferType(type):
    """Buffers are plain tensors that carry a mark, as in PyTorch."""

    def __instancecheck__(cls, instance: object) -> bool:
        return is_buffer(instance)


class Buffer(metaclass=_BufferType):
    """`Buffer(data, persistent=True)` gives a tensor that modules register as a buffer when it
    is assigned to an attribute of theirs; `persistent` ones are saved."""

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        source = empty(0) if data is None else data
        made: Any = source.detach().requires_grad_(source.requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made


def is_buffer(value: object) -> bool:
    """Whether a value is a tensor that `Buffer` made."""
    return isinstance(value, Tensor) and bool(value.__dict__.get("_is_buffer", False))
