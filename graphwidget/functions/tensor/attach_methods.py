"""Attaches the methods of Tensor: its own, written here, and all that are offered elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...absent import AbsentMethod, pytorch_names
from ...arrays.warnings import warn
from ...autograd.backward import tensor_backward
from ...dispatch import overriding as overrides
from ...dispatch.offer import METHODS, offer, offer_table
from ...dispatch.overriding import is_overridable
from ...dispatch.parsed import parsed_function
from ...eager.op_functions import TENSORS as F
from ...eager.overridable import overridable
from ...graph import runtime
from ...graph.tensor import Tensor
from .. import (  # noqa: F401  (each offers its functions when it is imported)
    creation,
    indexing,
    linalg,
    memory,
    pointwise,
    random,
    reduction,
    shape,
    statistics,
)
from ..creation import factories
from ..dims import wrap_dim_nonempty
from ..pointwise.arithmetic import where as torch_where
from ..reduction import reductions
from ..shape import permute, reshape_expand, select_diagonal  # noqa: F401
from . import (  # noqa: F401  (each offers its functions when it is imported)
    global_settings,
    numpy_copies_pickle,
    operators,
    rare_methods,
)
from .printing import format_tensor, tensor_repr


@offer(function=False)
def size(self: Tensor, dim: int | None = None) -> Any:
    """The shape, or the size of one dim."""
    if dim is None:
        return self.shape
    return self._data.shape[wrap_dim_nonempty(dim, self._data.ndim)]


@offer("nelement", function=False)
def numel(self: Tensor) -> int:
    """The number of items."""
    return self._meta.numel


@offer("ndimension", function=False)
def dim(self: Tensor) -> int:
    """The number of dims."""
    return self._meta.ndim


@offer(function=False)
def tolist(self: Tensor) -> Any:
    """The items as nested lists of Python numbers; of a 0-d tensor, the number."""
    if runtime.reading is not None:
        runtime.reading((self,), np.ndarray.tolist, "tolist()")
    return self._data.tolist()


@offer(function=False)
def element_size(self: Tensor) -> int:
    """The size of an item in bytes."""
    return self._data.itemsize


@offer(function=False)
def data_ptr(self: Tensor) -> int:
    """The address of the first item; 0 where there is none."""
    return int(self._data.ctypes.data) if self._data.size else 0


@offer(function=False)
def where(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    """self where the condition holds, else other."""
    return torch_where(condition, self, other)  # type: ignore[no-any-return]


OWN = ("detach_", "requires_grad_", "retain_grad")
"""Methods of the class itself that PyTorch's parser stands before."""


def new_factory(name: str) -> Callable[..., Tensor]:
    """``new_zeros`` and the like: of this tensor's dtype."""
    factory: Callable[..., Tensor] = getattr(factories, name)

    def method(self: Tensor, *args: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
        return factory(*args, dtype=dtype or self.dtype, **kwargs)

    method.__doc__ = f"``{name}`` with this tensor's dtype by default."
    return method


def new_tensor(self: Tensor, *args: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
    """``tensor`` with this tensor's dtype by default."""
    if args and isinstance(args[0], Tensor):
        warn(factories.COPY_WARNING.format("tensor.new_tensor"))
        args = (args[0]._data, *args[1:])
    return factories.tensor(*args, dtype=dtype or self.dtype, **kwargs)


def tensor_dir(self: Tensor) -> list[str]:
    """Return what completion offers."""
    members = vars(Tensor)
    return [n for n in object.__dir__(self) if not isinstance(members.get(n), AbsentMethod)]


METHODS["new_tensor"] = new_tensor
for _name in ("zeros", "ones", "empty", "full", "empty_strided"):
    METHODS["new_" + _name] = new_factory(_name)
offer_table()
METHODS.update(
    backward=tensor_backward, __dir__=tensor_dir, __repr__=tensor_repr, __format__=format_tensor
)
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)
for _name in pytorch_names()["torch.Tensor"]:
    if not hasattr(Tensor, _name):
        setattr(Tensor, _name, AbsentMethod(_name))
for _name in OWN:
    setattr(Tensor, _name, parsed_function("Tensor", _name, vars(Tensor)[_name]))
Tensor._make_subclass = staticmethod(rare_methods.make_subclass)  # type: ignore[attr-defined]
Tensor.__module__ = "torch"  # what ``print(type(x))`` shows
F.__dict__.update(reshape=reshape_expand.reshape, sum_to_size=reductions.sum_to_shape)


def make_attributes_read_only(cls: type[Tensor]) -> None:
    """Let what may not be assigned say so as PyTorch does."""
    for name, member in list(vars(cls).items()):
        if isinstance(member, property) and member.fset is None and not name.startswith("__"):
            refusal = _refusal(name)
            setattr(cls, name, property(member.fget, refusal, refusal, member.__doc__))


def _refusal(name: str) -> Callable[..., None]:
    def refuse(self: Tensor, value: Any = None) -> None:
        raise _not_writable(name)

    return refuse


def _not_writable(name: str) -> AttributeError:
    return AttributeError(f"attribute '{name}' of 'torch._C.TensorBase' objects is not writable")


def make_overridable(cls: type[Tensor]) -> None:
    """Let the class's own methods and properties ask who overrides them; generated ones do."""
    for name, member in list(vars(cls).items()):
        if not is_overridable(name):
            continue
        place = f"Tensor.{name}"
        if isinstance(member, property):
            parts: list[Any] = [member.fget, member.fset, member.fdel]
            writable = getattr(member.fset, "__name__", "") != "refuse"
            for i, access in enumerate(("get", "set", "delete") if writable else ("get",)):
                parts[i] = overridable(parts[i], f"{place}.{access}")
            setattr(cls, name, property(parts[0], parts[1], parts[2], member.__doc__))
        else:
            setattr(cls, name, overridable(member, place))


make_attributes_read_only(Tensor)
make_overridable(Tensor)
overrides.UNCHANGED |= {vars(Tensor)[name].__get__ for name in ("_base", "grad")}
