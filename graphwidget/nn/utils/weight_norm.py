"""``torch.nn.utils.weight_norm``, the former way by hooks (Salimans and Kingma, 2016).

`parametrizations.weight_norm` is the present one.
"""

from __future__ import annotations

from typing import Any, TypeVar

from ...arrays.warnings import warn
from ...eager.op_functions import TENSORS as F
from ...functions.dims import wrap_dim_nonempty
from ...functions.reduction.norms import norm_except_dim
from ...graph.tensor import Tensor
from ..parameter import Parameter, is_lazy

Of = TypeVar("Of")


def refuse_second(module: Any, kind: type, name: str, word: str) -> None:
    """RuntimeError where a module has such a hook for the parameter already."""
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, kind) and hook.name == name:  # type: ignore[attr-defined]
            raise RuntimeError(f"Cannot register two {word} hooks on the same parameter {name}")


def without_hook(module: Of, kind: type, name: str, word: str) -> Of:
    """A module without such a hook, and its parameter as it was.

    Raises:
        ValueError: it has none.
    """
    hooks = module._forward_pre_hooks  # type: ignore[attr-defined]
    for key, hook in hooks.items():
        if isinstance(hook, kind) and hook.name == name:  # type: ignore[attr-defined]
            hook.remove(module)  # type: ignore[attr-defined]
            del hooks[key]
            return module
    raise ValueError(f"{word} of '{name}' not found in {module}")


def scale_to_norm(v: Tensor, g: Tensor, dim: int) -> Tensor:
    """`v` with norms `g` over all dims but one; over all with -1.

    Raises:
        IndexError: a dim out of range, or a 0-d tensor.
        RuntimeError: norms of another type than the floating direction (PyTorch's text).
    """
    v, g = v.contiguous(), g.contiguous()
    if dim in (0, v.dim() - 1):
        wrap_dim_nonempty(dim, v.dim())
        if v._meta.floating and g._data.dtype != v._data.dtype:
            raise RuntimeError(f"expected scalar type {v.dtype.word} but found {g.dtype.word}")
        return F.weight_norm_interface(v, g, dim)
    return F.mul(v, F.div(g, norm_except_dim(v, 2, dim)))


class WeightNorm:
    """The hook that computes a weight from its two parts before each call."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Any) -> Tensor:
        """The weight from its parts."""
        g, v = (getattr(module, f"{self.name}_{part}") for part in "gv")
        return scale_to_norm(v, g, self.dim)

    @staticmethod
    def apply(module: Any, name: str, dim: int | None) -> WeightNorm:
        """Replace a parameter by its parts, and hook the module."""
        refuse_second(module, WeightNorm, name, "weight_norm")
        made = WeightNorm(name, dim)
        weight = getattr(module, name)
        if is_lazy(weight):
            raise ValueError(
                "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure "
                "to run the dummy forward before applying weight normalization"
            )
        del module._parameters[name]
        module.register_parameter(f"{name}_g", Parameter(norm_except_dim(weight, 2, made.dim).data))
        module.register_parameter(f"{name}_v", Parameter(weight.data))
        setattr(module, name, made.compute_weight(module))
        module.register_forward_pre_hook(made)
        return made

    def remove(self, module: Any) -> None:
        """Put the parameter back."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[f"{self.name}_g"], module._parameters[f"{self.name}_v"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: Of, name: str = "weight", dim: int | None = 0) -> Of:
    """Give a module's parameter two in its place: `<name>_g`, its norms over all dims but `dim`,
    and `<name>_v`, its direction.

    Raises:
        RuntimeError: it is done already.
    """
    warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of "
        "`torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
    )
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: Of, name: str = "weight") -> Of:
    """Undo `weight_norm`: one parameter with the present values.

    Raises:
        ValueError: it was not done.
    """
    return without_hook(module, WeightNorm, name, "weight_norm")
