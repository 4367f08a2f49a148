"""``InstanceNorm1d`` and so on: items brought to mean 0 and variance 1 in each sample."""

from __future__ import annotations

from typing import Any

from ..arrays.warnings import warn
from ..graph.tensor import Tensor
from . import functional
from .batchnorm import WITHOUT_FEATURES, _NormBase

__all__ = ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"]


class _InstanceNorm(_NormBase):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )

    def forward(self, input: Tensor) -> Tensor:
        """The normalized input; a sample alone has one dim less."""
        self._check_input_dim(input)
        alone = input.dim() == min(self._ndims)
        dim = 0 if alone else 1
        if input.size(dim) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={dim} to match num_features "
                    f"({self.num_features}), but got: {input.size(dim)}."
                )
            warn(f"input's size at dim={dim} does not match num_features. {WITHOUT_FEATURES}")
        found = functional.instance_norm(
            input.unsqueeze(0) if alone else input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            self.momentum if self.momentum is not None else 0.0,
            self.eps,
        )
        return found.squeeze(0) if alone else found


class InstanceNorm1d(_InstanceNorm):
    """Each channel of each sample of (N, C, L) or (C, L), normalized (Ulyanov et al., 2016)."""

    _ndims = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Each channel of each sample of (N, C, H, W) or (C, H, W), normalized."""

    _ndims = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Each channel of each sample of (N, C, D, H, W) or (C, D, H, W), normalized."""

    _ndims = (4, 5)
