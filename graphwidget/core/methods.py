"""The methods and operators of Tensor, attached from the functions and from the op table."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..optable import TABLE
from . import dtypes, factories, functions, hot, products, random, shapes
from .compile import OPERATORS as BINARY
from .compile import TENSORS as F
from .dims import wrap_dim
from .indexing import EXPANDED, getitem, setitem
from .inplace import overlaps_itself, write, writer
from .tensor import Tensor

SAME = {
    functions: (
        "add", "sub", "div", "pow", "square", "remainder", "clamp", "masked_fill", "clone", "sum",
        "mean", "max", "min", "argmax", "argmin", "all", "any", "sum_to_size", "to", "item",
        "numpy", "equal", "allclose", "softmax", "log_softmax",
    ),
    shapes: (
        "view", "reshape", "flatten", "t", "transpose", "permute", "unsqueeze", "squeeze",
        "expand", "unbind", "split", "chunk", "tensor_split",
        "narrow", "select", "diagonal", "contiguous",
        "t_", "transpose_", "squeeze_", "unsqueeze_",
    ),
    products: ("mm", "mv", "dot", "bmm", "addmm", "outer", "matmul"),
}  # fmt: skip
"""Functions that are methods as they are."""

WRITTEN = (functions, shapes, products, factories)
"""Where public functions are written by hand."""

FROM_TABLE = tuple(
    key
    for key, op in TABLE.items()
    if op.public and "." not in key and not any(hasattr(module, key) for module in WRITTEN)
)
"""Ops whose record function is the public function and method."""

OPERATORS = {
    **{
        f"__{name}__": BINARY[key]
        for name, key in (
            ("add", "add"), ("radd", "add"), ("sub", "sub"), ("mul", "mul"), ("rmul", "mul"),
            ("truediv", "div"), ("floordiv", "floor_divide"), ("eq", "eq"), ("ne", "ne"),
            ("lt", "lt"), ("le", "le"), ("gt", "gt"), ("ge", "ge"), ("and", "bitwise_and"),
            ("or", "bitwise_or"), ("xor", "bitwise_xor"),
        )
    },
    "__rsub__": functions.rsub, "__rtruediv__": functions.rdiv, "__pow__": functions.pow,
    "__rpow__": functions.rpow, "__neg__": F.neg, "__mod__": functions.remainder,
    "__matmul__": products.matmul, "__invert__": F.bitwise_not, "__abs__": F.abs,
    "__getitem__": getitem, "__setitem__": setitem,
    "__iadd__": writer("add"), "__isub__": writer("sub"), "__imul__": writer("mul"),
    "__itruediv__": writer("div"), "__ipow__": writer("pow"),
}  # fmt: skip


def scaled_writer(key: str) -> Callable[..., Tensor]:
    """``add_`` and ``sub_``, which take ``alpha``."""

    def method(self: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
        if alpha == 1:
            return write(TABLE[key], self, (other,), {})
        return write(TABLE[key + ".alpha"], self, (other,), {"alpha": alpha})

    method.__name__ = method.__qualname__ = key + "_"
    method.__doc__ = f"``{key}``, written into this tensor."
    return method


def pow_(self: Tensor, exponent: Any) -> Tensor:
    """self ** exponent, written into this tensor."""
    if isinstance(exponent, Tensor):
        return write(TABLE["pow.tensor"], self, (exponent,), {})
    return write(TABLE["pow"], self, (), {"exponent": exponent})


def fill_(self: Tensor, value: Any) -> Tensor:
    """One value everywhere."""
    if isinstance(value, Tensor):
        return write(TABLE["fill.tensor"], self, (value,), {})
    return write(TABLE["fill"], self, (), {"value": value})


def zero_(self: Tensor) -> Tensor:
    """Zeros everywhere."""
    return write(TABLE["zero"], self, (), {})


def copy_(self: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """The values of another tensor (or a number), broadcast and cast to this one."""
    return write(TABLE["copy"], self, (src,), {})


def masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    """A number where the mask holds."""
    number = value.item() if isinstance(value, Tensor) else value
    if overlaps_itself(self._data):
        warnings.warn(EXPANDED.format("masked_fill_", "mask", "scalar"), stacklevel=2)
    return write(TABLE["masked_fill"], self, (mask,), {"value": number})


def square_(self: Tensor) -> Tensor:
    """self ** 2, written into this tensor."""
    return write(TABLE["pow"], self, (), {"exponent": 2})


def normal_(self: Tensor, mean: float = 0, std: float = 1, *, generator: Any = None) -> Tensor:
    """Normal random numbers, written into this tensor."""
    data = random.normal(self._data.shape, self._data.dtype, mean, std)
    return _random_write(self, data)


def uniform_(self: Tensor, from_: float = 0, to: float = 1, *, generator: Any = None) -> Tensor:
    """Uniform random numbers, written into this tensor."""
    return _random_write(self, random.uniform(self._data.shape, self._data.dtype, from_, to))


def _random_write(self: Tensor, data: np.ndarray) -> Tensor:
    with_history = Tensor._wrap(data)
    return write(TABLE["copy"], self, (with_history,), {})


def rfloordiv(self: Tensor, other: Any) -> Tensor:
    """other // self."""
    return F.floor_divide(other, self)


def rmod(self: Tensor, other: Any) -> Tensor:
    """other % self."""
    return F.remainder(other, self)


def rmatmul(self: Tensor, other: Any) -> Tensor:
    """other @ self."""
    return products.matmul(other, self)


def size(self: Tensor, dim: int | None = None) -> Any:
    """The shape, or the size of one dim."""
    if dim is None:
        return self.shape
    return self._data.shape[wrap_dim(dim, self._data.ndim)]


def scalar(self: Tensor) -> Any:
    """The only item, for ``float(x)`` and the like.

    Raises:
        ValueError: there are more, or none.
    """
    if self._data.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return self._data.item()


def as_bool(self: Tensor) -> bool:
    """The truth of the only item.

    Raises:
        RuntimeError: there are more, or none.
    """
    if self._data.size != 1:
        number = "no values" if self._data.size == 0 else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {number} is ambiguous")
    return bool(self._data.item())


def as_index(self: Tensor) -> int:
    """The only item of an integer tensor, where Python wants an index."""
    if self._data.size != 1 or self._data.dtype.kind not in "iub":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self._data.item())


def length(self: Tensor) -> int:
    """The size of the first dim."""
    if self._data.ndim == 0:
        raise TypeError("len() of a 0-d tensor")
    return len(self._data)


def iterate(self: Tensor) -> Iterator[Tensor]:
    """The items along the first dim, views all made at once."""
    if self._data.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(F.unbind(self, dim=0))


def contains(self: Tensor, item: Any) -> bool:
    """Whether any item equals this one."""
    return bool(np.any(self._data == (item._data if isinstance(item, Tensor) else item)))


def as_numpy_array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    """What ``np.asarray(tensor)`` gives."""
    data = functions.numpy(self)
    return data if dtype is None else data.astype(dtype)


def is_contiguous(self: Tensor) -> bool:
    """Whether the items lie in C order."""
    return bool(self._data.flags.c_contiguous)


def stride(self: Tensor, dim: int | None = None) -> Any:
    """How many items apart neighbours along each dim (or one) lie in memory."""
    strides = tuple(step // self._data.itemsize for step in self._data.strides)
    return strides if dim is None else strides[dim]


def storage_offset(self: Tensor) -> int:
    """How many items into its storage the tensor begins."""
    root = self._data
    while isinstance(root.base, np.ndarray):
        root = root.base
    return int(self._data.ctypes.data - root.ctypes.data) // self._data.itemsize


def shallow_copy(self: Tensor) -> Tensor:
    """A leaf with the same memory and none of its gradient, as ``copy.copy`` gives."""
    out = type(self)._wrap(self._data)
    out._requires_grad = self._requires_grad
    out.__dict__.update(self.__dict__)
    return out


def cpu(self: Tensor) -> Tensor:
    """The tensor itself: it is on the CPU."""
    return self


def type_(self: Tensor, dtype: Any = None) -> Any:
    """The legacy type name, or the tensor in another dtype."""
    if dtype is None:
        return dtypes.tensor_type(self._data.dtype)
    return functions.to(self, dtype)


def cast(target: dtypes.dtype) -> Callable[[Tensor], Tensor]:
    """The method that converts to one dtype."""

    def method(self: Tensor) -> Tensor:
        return functions.to(self, target)

    method.__doc__ = f"The tensor as {target!r}, itself when it is already."
    return method


def new_factory(name: str) -> Callable[..., Tensor]:
    """``new_zeros`` and the like: of this tensor's dtype."""
    factory: Callable[..., Tensor] = getattr(factories, name)

    def method(self: Tensor, *args: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
        return factory(*args, dtype=dtype or self.dtype, **kwargs)

    method.__doc__ = f"``{name}`` with this tensor's dtype by default."
    return method


def deepcopy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    """A copy of a leaf with its gradient.

    Raises:
        RuntimeError: not a leaf.
    """
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
            "protocol at the moment.  If you were attempting to deepcopy a module, this may be "
            "because of a torch.nn.utils.weight_norm usage, see "
            "https://github.com/pytorch/pytorch/pull/103001"
        )
    out = type(self)._wrap(self._data.copy())
    out._requires_grad = self._requires_grad
    out.__dict__.update(copy.deepcopy(self.__dict__, memo))
    if self._grad is not None:
        out._grad = copy.deepcopy(self._grad, memo)
    memo[id(self)] = out
    return out


def attach() -> None:
    """Give Tensor its methods."""
    methods: dict[str, Any] = {
        name: getattr(module, name) for module, names in SAME.items() for name in names
    }
    methods.update({name: getattr(F, name) for name in FROM_TABLE})
    methods.update(OPERATORS)
    for key, op in TABLE.items():
        if op.inplace and "." not in key:
            methods[key + "_"] = writer(key)
    for name in ("pow_", "fill_", "zero_", "copy_", "masked_fill_", "square_", "normal_",
                 "uniform_", "size", "is_contiguous", "stride", "cpu",
                 "storage_offset"):  # fmt: skip
        methods[name] = globals()[name]
    for name in ("add", "sub"):
        methods[name + "_"] = scaled_writer(name)
    for name in ("zeros", "ones", "empty", "full", "tensor"):
        methods["new_" + name] = new_factory(name)
    methods.update(
        __rfloordiv__=rfloordiv, __rmod__=rmod, __rmatmul__=rmatmul, __float__=lambda self:
        float(scalar(self)), __int__=lambda self: int(scalar(self)), __bool__=as_bool,
        __index__=as_index, __len__=length, __iter__=iterate, __contains__=contains,
        __array__=as_numpy_array, __deepcopy__=deepcopy, __copy__=shallow_copy,
        __pos__=lambda self: self, type=type_,
        where=lambda self, condition, other: functions.where(condition, self, other),
        numel=lambda self: self._data.size, nelement=lambda self: self._data.size,
        dim=lambda self: self._data.ndim, tolist=lambda self: self._data.tolist(),
        view_as=lambda self, other: shapes.view(self, *other._data.shape),
        reshape_as=lambda self, other: shapes.reshape(self, *other._data.shape),
        expand_as=lambda self, other: shapes.expand(self, *other._data.shape),
        element_size=lambda self: self._data.itemsize, is_floating_point=lambda self:
        self._meta.floating, data_ptr=lambda self:
        self._data.ctypes.data, ravel=lambda self: shapes.reshape(self, -1),
        swapaxes=shapes.transpose, type_as=lambda self, other: functions.to(self, other.dtype),
        clip=functions.clamp, negative=F.neg, subtract=functions.sub,
        multiply=F.mul, divide=functions.div, true_divide=functions.div,
    )  # fmt: skip
    for name, target in (("float", dtypes.float32), ("double", dtypes.float64),
                         ("half", dtypes.float16), ("long", dtypes.int64), ("int", dtypes.int32),
                         ("short", dtypes.int16), ("bool", dtypes.bool_)):  # fmt: skip
        methods[name] = cast(target)
    methods["__hash__"] = object.__hash__  # defining __eq__ took it away
    methods["T"] = property(lambda self: shapes.permute(self, *reversed(range(self._data.ndim))))
    methods["mT"] = property(lambda self: shapes.transpose(self, -2, -1))
    for name, method in methods.items():
        setattr(Tensor, name, method)
    F.__dict__.update(reshape=shapes.reshape, sum_to_size=functions.sum_to_size)


def clone_for_grad(grad: Tensor) -> Tensor:
    """A leaf's first gradient under create_graph: a copy with a history (``CopyBackwards``)."""
    out = Tensor._wrap(np.zeros_like(grad._data))
    if grad.requires_grad:
        write(TABLE["copy"], out, (grad,), {})
        out._counter = None
        return out
    return Tensor._wrap(grad._data.copy())


attach()
hot.copied = clone_for_grad
