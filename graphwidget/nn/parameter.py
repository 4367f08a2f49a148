"""`Parameter`, the leaf tensors of a model, and `Buffer`, its other state.

Lazy modules have both before their shapes are known: `UninitializedParameter` and
`UninitializedBuffer`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Self

from ..arrays import dtypes
from ..arrays.size import Size
from ..dispatch import torch_function_modes as overrides
from ..dispatch.offer import METHODS
from ..functions.creation.factories import empty
from ..functions.tensor import attach_methods as _methods  # noqa: F401  (all methods are there)
from ..graph import errors, runtime
from ..graph.base import TensorBase
from ..graph.listeners import get_observer, set_observer
from ..graph.tensor import Tensor
from ..graph.version import InferenceCounter, counter_of

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter"]


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


# Before the shape is known ------------------------------------------------------------------------
_NO_SHAPE = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
    "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. "
    "Call `forward` to initialize the parameters before accessing their attributes."
)
_NO_VALUES = (
    "Attempted to use an uninitialized parameter in {}. This error happens when you are using a "
    "`LazyModule` or explicitly manipulating `torch.nn.parameter.{}` objects. "
    "When using LazyModules Call `forward` with a dummy batch to initialize the parameters before "
    "calling torch functions"
)
_SLOT: Any = TensorBase.__dict__["_data"]
_ALLOWED = {
    "size", "copy_", "is_complex", "is_floating_point", "half", "float", "double", "char", "short",
    "int", "long", "cuda", "cpu", "to", "get_device", "share_memory_", "__deepcopy__",
    "__copy__", "__reduce_ex__", "__hash__", "__repr__", "__format__", "backward",
}  # fmt: skip
"""Methods that answer nonetheless."""
_OPERATORS = {
    **{f"__{side}{name}__": name for name in ("add", "sub", "mul", "pow") for side in ("", "r")},
    "__truediv__": "div", "__matmul__": "matmul", "__neg__": "neg",
}  # fmt: skip


def _refusal(name: str) -> Callable[..., Any]:
    """A method that names itself and refuses."""
    told = f"<method '{_OPERATORS.get(name, name)}' of 'torch._C.TensorBase' objects>"
    if name == "__getitem__":
        told = "<slot wrapper '__getitem__' of 'torch._C.TensorBase' objects>"

    def refuse(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise ValueError(_NO_VALUES.format(told, type(self).__name__))

    return refuse


class UninitializedTensorMixin:
    """Base of parameters and buffers with a dtype, but no shape and no values until
    `materialize`."""

    __slots__ = ()
    _becomes: type[Tensor] = Tensor

    @property
    def _data(self) -> Any:
        raise ValueError(_NO_VALUES.format("a function", type(self).__name__))

    @_data.setter
    def _data(self, blank: Any) -> None:
        _SLOT.__set__(self, blank)

    @property
    def dtype(self) -> dtypes.dtype:
        """The element type that it will have."""
        return dtypes.of(_SLOT.__get__(self).dtype)

    @property
    def shape(self) -> Any:
        """Not known yet."""
        raise RuntimeError(_NO_SHAPE)

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Become a parameter, or a tensor, of this shape, with any values."""
        tensor: Any = self
        wanted, made = tensor._requires_grad, empty(shape, dtype=dtype or self.dtype)
        tensor.__class__ = self._becomes
        tensor._set_data(made._data)
        tensor._counter = counter_of(made)
        tensor._requires_grad = wanted

    def convert(self, function: Callable[[Tensor], Tensor]) -> None:
        """Take over the dtype that a function gives an empty tensor."""
        self._data = function(Tensor._wrap(_SLOT.__get__(self)))._data

    def size(self, dim: int | None = None) -> Any:
        """(0,), as if it was empty."""
        return Size((0,))

    def share_memory_(self) -> Any:
        """Nothing to share yet."""
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to "
            "initialize the parameters before calling `module.share_memory()`."
        )

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return f"<{type(self).__name__}>"

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        found = memo.get(id(self))
        if found is None:
            tensor: Any = self
            made = type(self)(tensor._requires_grad, None, self.dtype)  # type: ignore[call-arg]
            found = memo[id(self)] = made
        return found

    def __reduce_ex__(self, protocol: Any) -> Any:
        tensor: Any = self
        return type(self), (tensor._requires_grad, None, self.dtype)


for _name, _method in {**METHODS, "detach": Tensor.detach}.items():
    if callable(_method) and _name not in _ALLOWED:
        setattr(UninitializedTensorMixin, _name, _refusal(_name))


class UninitializedParameter(UninitializedTensorMixin, Parameter):  # type: ignore[misc]
    """A parameter whose shape is not known yet: lazy modules find it out when first called.

    Raises:
        ValueError: any use but those of modules and optimizers.
        RuntimeError: its shape is asked for.
    """

    __slots__ = ()
    _becomes = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Self:
        self: Self = runtime.new(cls)
        self._set_data(empty(0, device=device, dtype=dtype)._data)
        self._requires_grad = requires_grad
        return self

    @property
    def data(self) -> Tensor:
        """An empty tensor of its type: what is written to it is lost, as in PyTorch."""
        return Tensor._wrap(_SLOT.__get__(self))

    @data.setter
    def data(self, other: Tensor) -> None:
        Tensor.data.fset(self, other)  # type: ignore[attr-defined]


class UninitializedBuffer(UninitializedTensorMixin, Tensor):  # type: ignore[misc]
    """A buffer whose shape is not known yet."""

    __slots__ = ()
    __torch_function__ = overrides.disabled

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None,
        persistent: bool = True,
    ) -> Self:  # fmt: skip
        self: Any = runtime.new(cls)
        self._set_data(empty(0, device=device, dtype=dtype)._data)
        self._requires_grad = requires_grad
        self.persistent = persistent
        self._is_buffer = True
        return self  # type: ignore[no-any-return]


def is_lazy(param: object) -> bool:
    """Return whether a tensor has no shape yet."""
    return isinstance(param, UninitializedTensorMixin)
