"""``torch._foreach_add`` and its kin: one op for each tensor of a list.

PyTorch keeps them to itself, for its optimizers, but programs call them: for moving averages of
parameters, and to scale gradients. There one kernel takes all tensors at once; here each op is
called for each tensor, so that the nodes are those of single calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .norms import vector_norm
from .tensor import Tensor

Function = Callable[..., Any]

UNARY = (
    "abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1", "floor",
    "frac", "lgamma", "log", "log10", "log1p", "log2", "neg", "reciprocal", "round", "rsqrt",
    "sigmoid", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
)  # fmt: skip
BINARY = {
    "add": "add", "clamp_max": "clamp_max", "clamp_min": "clamp_min", "div": "div",
    "maximum": "clamp_min", "minimum": "clamp_max", "mul": "mul", "pow": "pow", "sub": "sub",
}  # fmt: skip
"""By the method of single tensors."""


def listed(name: str, tensors: Any, place: int = 0) -> Sequence[Tensor]:
    """A list of tensors, the argument in that place.

    Raises:
        TypeError, RuntimeError: it is none, or is empty (PyTorch's texts).
    """
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(
            f"{name}(): argument 'self' (position {place + 1}) must be tuple of Tensors, not "
            f"{type(tensors).__name__}"
        )
    for at, each in enumerate(tensors):
        if not isinstance(each, Tensor):
            kind = type(each).__name__
            raise TypeError(f"expected Tensor as element {at} in argument {place}, but got {kind}")
    if not tensors:
        raise RuntimeError("Tensor list must have at least one tensor.")
    return tensors


def for_each(tensors: Sequence[Tensor], given: Any) -> Sequence[Any]:
    """What is given with each tensor: of a list one each, else the same for all.

    Raises:
        RuntimeError: there are more or less, or one tensor is given that is no number.
    """
    count = len(tensors)
    if isinstance(given, (list, tuple)):
        if len(given) != count and any(isinstance(each, Tensor) for each in given):
            raise RuntimeError(
                f"Tensor lists must have the same number of tensors, got {count} and {len(given)}"
            )
        if len(given) != count:
            raise RuntimeError("Tensor list must have same number of elements as scalar list.")
        return given
    if isinstance(given, Tensor) and given.ndim:
        raise RuntimeError(
            f"scalar tensor expected to be 0 dim but it has {given.ndim} dimensions and "
            f"{given.numel()} elements."
        )
    return [given] * count


def called(name: str, method: str, written: bool) -> Function:
    """A function of lists that calls a method for each tensor of the first, with its part of all
    other arguments."""
    method += "_" * written

    def function(self: Any, *args: Any, **kwargs: Any) -> Any:
        tensors = listed(name, self)
        options = {key: kwargs.pop(key) for key in ("alpha",) if key in kwargs}
        parts = [for_each(tensors, each) for each in (*args, *kwargs.values())]
        found = [getattr(each, method)(*rest, **options)
                 for each, *rest in zip(tensors, *parts, strict=True)]  # fmt: skip
        return self if written else tuple(found)

    return function


def with_factor(name: str, method: str, written: bool) -> Function:
    """``addcmul`` and ``addcdiv``, whose factors may be items of a tensor."""
    method += "_" * written

    def function(
        self: Any, tensor1: Any, tensor2: Any, value: Any = 1, *, scalars: Any = None,
        tensor: Tensor | None = None,
    ) -> Any:  # fmt: skip
        tensors = listed(name, self)
        value = scalars if scalars is not None else value if tensor is None else tensor
        value = value.tolist() if isinstance(value, Tensor) else value
        parts = [for_each(tensors, each) for each in (tensor1, tensor2, value)]
        found = [getattr(each, method)(*rest, value=factor)
                 for each, *rest, factor in zip(tensors, *parts, strict=True)]  # fmt: skip
        return self if written else tuple(found)

    return function


def pow(self: Any, exponent: Any) -> Any:
    """Powers of each tensor, or of one number by each."""
    if isinstance(self, (int, float)):
        return tuple(self**each for each in listed("_foreach_pow", exponent))
    return called("_foreach_pow", "pow", False)(self, exponent)


def norm(self: Any, ord: Any = 2, dtype: Any = None) -> tuple[Tensor, ...]:
    """The norm of each tensor."""
    return tuple(vector_norm(each, ord, dtype=dtype) for each in listed("_foreach_norm", self))


def powsum(self: Any, ord: Any = 2, dtype: Any = None) -> tuple[Tensor, ...]:
    """The sum of the absolute items' powers, of each tensor."""
    tensors = listed("_foreach_powsum", self)
    return tuple(each.abs().pow(ord).sum(dtype=dtype) for each in tensors)


def _all() -> dict[str, Function]:
    """The functions, by their names."""
    methods = dict.fromkeys((*UNARY,), "") | BINARY | {"lerp": "lerp"}
    found = {
        f"_foreach_{name}{'_' * written}": called(f"_foreach_{name}", method or name, written)
        for name, method in methods.items()
        for written in (False, True)
    }
    for name in ("addcdiv", "addcmul"):
        for written in (False, True):
            full = f"_foreach_{name}"
            found[full + "_" * written] = with_factor(full, name, written)
    for name, written in (("max", False), ("mm", False), ("zero", True), ("copy", True),
                          ("clone", False)):  # fmt: skip
        found[f"_foreach_{name}{'_' * written}"] = called(f"_foreach_{name}", name, written)
    found |= {"_foreach_norm": norm, "_foreach_pow": pow, "_foreach_powsum": powsum}
    for name, function in found.items():
        function.__name__ = function.__qualname__ = name
    return found


FUNCTIONS = _all()
