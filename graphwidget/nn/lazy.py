"""Lazy modules, which find out the size of their input when they are first called.

Their parameters are uninitialized until then; after it the module is of the usual class.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from ..arrays import dtypes
from ..autograd.grad_mode import no_grad
from ..functions.creation.factories import tensor
from ..graph.tensor import Tensor
from .batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from .conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d, Sizes
from .instancenorm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from .linear import Linear
from .parameter import UninitializedBuffer, UninitializedParameter, is_lazy

__all__ = [
    "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d", "LazyConv1d", "LazyConv2d",
    "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d",
    "LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d", "LazyLinear",
]  # fmt: skip


class LazyModuleMixin:
    """Makes a module lazy, before its class among the bases: the first call asks
    `initialize_parameters(*input)` for the shapes, and makes it a `cls_to_become`."""

    cls_to_become: Any = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        module: Any = self
        self._load_hook = module._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = module.register_forward_pre_hook(
            self._infer_parameters, with_kwargs=True
        )

    def _lazy_load_hook(self, state_dict: Any, prefix: str, *rest: Any) -> None:
        """Take the shapes of what is loaded."""
        for name, param in self._lazy_members():
            given = state_dict.get(prefix + name)
            if given is not None and not is_lazy(given):
                with no_grad():
                    param.materialize(given.shape)

    def _lazy_members(self) -> list[tuple[str, Any]]:
        own: Any = self
        members = chain(own._parameters.items(), own._buffers.items())
        return [(name, each) for name, each in members if is_lazy(each)]

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer of its own has no shape yet."""
        return bool(self._lazy_members())

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Find out the shapes from what the module is called with; subclasses define it."""
        raise NotImplementedError(
            f"initialize_parameters is not implemented for {type(self).__name__}"
        )

    def _infer_parameters(self, module: Any, args: Any, kwargs: Any) -> None:
        module.initialize_parameters(*args, **kwargs)
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {module._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become


class _LazyWeights(LazyModuleMixin):
    """Modules with a weight and perhaps a bias, whose first size is unknown."""

    _size: str  # the attribute that is 0 until the size is known

    def _forget_shapes(self, bias: bool, factory: dict[str, Any]) -> None:
        module: Any = self
        module.weight = UninitializedParameter(**factory)
        if bias:
            module.bias = UninitializedParameter(**factory)

    def reset_parameters(self) -> None:
        """Draw new starting values, once there are shapes."""
        if not self.has_uninitialized_params() and getattr(self, self._size) != 0:
            super().reset_parameters()  # type: ignore[misc]


class LazyLinear(_LazyWeights, Linear):
    """A `Linear` whose `in_features` are those of its first input."""

    cls_to_become = Linear
    _size = "in_features"

    def __init__(
        self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(0, 0, False)
        self.out_features = out_features
        self._forget_shapes(bias, {"device": device, "dtype": dtype})

    def initialize_parameters(self, input: Tensor) -> None:
        """Take the size of the input's last dim."""
        weight: Any = self.weight
        if not self.has_uninitialized_params():
            self.in_features = self.in_features or weight.shape[-1]
            return
        with no_grad():
            self.in_features = input.shape[-1]
            weight.materialize((self.out_features, self.in_features))
            if self.bias is not None:
                bias: Any = self.bias
                bias.materialize((self.out_features,))
            self.reset_parameters()


class _LazyConv(_LazyWeights):
    _size = "in_channels"

    def _make(
        self, out_channels: int, kernel_size: Sizes, bias: bool, factory: dict[str, Any],
        **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(0, 0, kernel_size, bias=False, **options)
        module: Any = self
        module.out_channels = out_channels
        self._forget_shapes(bias, factory)

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Take the number of channels of the input."""
        module: Any = self
        if not self.has_uninitialized_params():
            return
        module.in_channels = self._channels(input)
        if module.in_channels % module.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        sizes = (module.out_channels, module.in_channels)
        first, second = sizes[::-1] if module.transposed else sizes
        with no_grad():
            module.weight.materialize((first, second // module.groups, *module.kernel_size))
            if module.bias is not None:
                module.bias.materialize((module.out_channels,))
            self.reset_parameters()

    def _channels(self, input: Tensor) -> int:
        module: Any = self
        ndim, dims = input.dim(), module._dims
        if ndim not in (dims + 1, dims + 2):
            raise RuntimeError(
                f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to "
                f"{type(self).__name__}, but got input of size: {input.shape}"
            )
        return input.shape[1] if ndim == dims + 2 else input.shape[0]


class _LazyForward(_LazyConv):
    def __init__(
        self, out_channels: int, kernel_size: Sizes, stride: Sizes = 1, padding: str | Sizes = 0,
        dilation: Sizes = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        self._make(
            out_channels, kernel_size, bias, {"device": device, "dtype": dtype}, stride=stride,
            padding=padding, dilation=dilation, groups=groups, padding_mode=padding_mode,
        )  # fmt: skip


class LazyConv1d(_LazyForward, Conv1d):
    """A `Conv1d` whose `in_channels` are those of its first input."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyForward, Conv2d):
    """A `Conv2d` whose `in_channels` are those of its first input."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyForward, Conv3d):
    """A `Conv3d` whose `in_channels` are those of its first input."""

    cls_to_become = Conv3d


class _LazyTranspose(_LazyConv):
    def __init__(
        self, out_channels: int, kernel_size: Sizes, stride: Sizes = 1, padding: Sizes = 0,
        output_padding: Sizes = 0, groups: int = 1, bias: bool = True, dilation: Sizes = 1,
        padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        self._make(
            out_channels, kernel_size, bias, {"device": device, "dtype": dtype}, stride=stride,
            padding=padding, output_padding=output_padding, groups=groups, dilation=dilation,
            padding_mode=padding_mode,
        )  # fmt: skip


class LazyConvTranspose1d(_LazyTranspose, ConvTranspose1d):
    """A `ConvTranspose1d` whose `in_channels` are those of its first input."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyTranspose, ConvTranspose2d):
    """A `ConvTranspose2d` whose `in_channels` are those of its first input."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyTranspose, ConvTranspose3d):
    """A `ConvTranspose3d` whose `in_channels` are those of its first input."""

    cls_to_become = ConvTranspose3d


class _LazyNormBase(LazyModuleMixin):
    def __init__(
        self, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: Any = None, *,
        bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(0, eps, momentum, False, False)
        module: Any = self
        factory = {"device": device, "dtype": dtype}
        module.affine = affine
        module.track_running_stats = track_running_stats
        if affine:
            module.weight = UninitializedParameter(**factory)
            if bias:
                module.bias = UninitializedParameter(**factory)
        if track_running_stats:
            module.running_mean = UninitializedBuffer(**factory)
            module.running_var = UninitializedBuffer(**factory)
            module.num_batches_tracked = tensor(0, dtype=dtypes.int64)

    def reset_parameters(self) -> None:
        """Start anew, once there are shapes."""
        module: Any = self
        if not self.has_uninitialized_params() and module.num_features != 0:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Tensor) -> None:
        """Take the number of channels of the input."""
        module: Any = self
        if self.has_uninitialized_params():
            module.num_features = input.shape[1]
            for _, member in self._lazy_members():
                member.materialize((module.num_features,))
            self.reset_parameters()


class LazyBatchNorm1d(_LazyNormBase, BatchNorm1d):
    """A `BatchNorm1d` whose `num_features` are those of its first input."""

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNormBase, BatchNorm2d):
    """A `BatchNorm2d` whose `num_features` are those of its first input."""

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNormBase, BatchNorm3d):
    """A `BatchNorm3d` whose `num_features` are those of its first input."""

    cls_to_become = BatchNorm3d


class LazyInstanceNorm1d(_LazyNormBase, InstanceNorm1d):
    """An `InstanceNorm1d` whose `num_features` are those of its first input."""

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNormBase, InstanceNorm2d):
    """An `InstanceNorm2d` whose `num_features` are those of its first input."""

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNormBase, InstanceNorm3d):
    """An `InstanceNorm3d` whose `num_features` are those of its first input."""

    cls_to_become = InstanceNorm3d
