"""`Parameter`, the leaf tensors of a model, and `Buffer`, its other state."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Self

from ..absent import refuse_others
from ..dispatch import overriding as overrides
from ..functions.creation.factories import empty
from ..functions.tensor import attach_methods as _methods  # noqa: F401  (all methods are there)
from ..graph import errors, runtime
from ..graph.listeners import get_observer, set_observer
from ..graph.tensor import Tensor
from ..graph.version import InferenceCounter, counter_of

__all__ = ["Buffer", "Parameter"]


class _ParameterType(type):
    """Instances of users' classes that were made parameters are parameters, too."""

    def __instancecheck__(cls, instance: object) -> bool:
        return type.__instancecheck__(cls, instance) or (
            cls is Parameter
            and isinstance(instance, Tensor)
            and vars(instance).get("_is_param", False)
        )


NOT_DETACHED = (
    "Creating a Parameter from an instance of type {} requires that detach() returns an instance "
    "of the same type, but return type {} was found instead. To use the type as a Parameter, "
    "please correct the detach() semantics defined by its __torch_dispatch__() implementation."
)


class Parameter(Tensor, metaclass=_ParameterType):
    """A leaf that modules register when it is assigned to an attribute of theirs.

    It shares the data and the version counter of the tensor it is made from, and is a leaf even
    if that one is not. Results of ops on parameters are plain tensors. Of an instance of a user's
    class it makes another one that is marked as a parameter.

    Raises:
        RuntimeError: gradients are wanted for integers, or outside inference mode for a tensor
            made inside.
    """

    __slots__ = ()
    __torch_function__ = overrides.disabled

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Self:
        given: Any = empty(0) if data is None else data
        if type(given) is not Tensor and type(given) is not Parameter:
            made: Any = given.detach().requires_grad_(requires_grad)
            if type(made) is not type(given):
                raise RuntimeError(NOT_DETACHED.format(type(given).__name__, type(made).__name__))
            made._is_param = True
            return made  # type: ignore[no-any-return]
        if requires_grad.__class__ is not bool:
            kind = type(requires_grad).__name__
            raise TypeError(
                f"_make_subclass(): argument 'require_grad' (position 3) must be bool, not {kind}"
            )
        source = given._detached()
        if (
            requires_grad
            and isinstance(source._counter, InferenceCounter)
            and not runtime.mode.inference
        ):
            raise RuntimeError(errors.INFERENCE_GRAD)
        if requires_grad and not source._meta.floating:
            raise RuntimeError(
                "Only Tensors of floating point and complex dtype can require gradients"
            )
        self: Self = runtime.new(cls)
        self._set_data(source._data)
        self._counter = counter_of(source)
        self._requires_grad = requires_grad
        if runtime.observer is not None:
            runtime.observer.made(self)
        return self

    def __repr__(self) -> str:  # type: ignore[override]
        shown = super().__repr__()
        if type(self) is not Parameter:  # PyTorch wraps what its subclasses show
            shown = f"Parameter({shown})"
        return f"Parameter containing:\n{shown}"

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        found: Parameter | None = memo.get(id(self))
        if found is None:
            observer = get_observer()
            set_observer(None)  # the copy is a leaf: how it is made is no part of the user's graph
            try:
                copied = Tensor.clone(self.data)
            finally:
                set_observer(observer)
            found = memo[id(self)] = type(self)(copied, self.requires_grad)
        return found

    def __reduce__(self) -> Any:
        return _rebuilt, (self.detach(), self.requires_grad, OrderedDict(self.__dict__))

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.__reduce__()


overrides.PLAIN.add(Parameter)
Parameter.__module__ = "torch.nn.parameter"  # what ``print(type(p))`` shows


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
    """Return whether a value is a tensor that `Buffer` made."""
    return isinstance(value, Tensor) and bool(value.__dict__.get("_is_buffer", False))


refuse_others(__name__)
