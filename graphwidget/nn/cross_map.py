"""The function behind `nn.CrossMapLRN2d`, whose node has its name."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.function import Function
from ..core.tensor import Tensor


class CrossMapLRN2d(Function):
    """PyTorch's older sums over neighbouring channels, kept up from one channel to the next: so
    the first channel stays in all of them."""

    @staticmethod
    def forward(
        ctx: Any, input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1
    ) -> Tensor:
        """x / (k + alpha / size * sum) ** beta."""
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        squares = input._data * input._data
        channels, reach = squares.shape[1], int((size - 1) / 2 + 1)
        scale = np.empty_like(squares)
        running = squares[:, :reach].sum(1)
        for channel in range(channels):
            if 0 < channel < channels - reach + 1:
                running = running + squares[:, channel + reach - 1]
            if channel > reach:
                running = running - squares[:, channel - reach]
            scale[:, channel] = running
        scale *= alpha / size
        scale += k
        output = Tensor._wrap(scale**-beta * input._data)
        ctx.size, ctx.alpha, ctx.beta, ctx.scale = size, alpha, beta, scale
        ctx.save_for_backward(input, output)
        return output

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Any, ...]:
        """The gradient of the input."""
        input, output = ctx.saved_tensors
        size, reach = ctx.size, int(ctx.size - (ctx.size - 1) / 2)
        flow = grad_output._data
        batch, channels, *rest = flow.shape
        ratio = np.zeros((batch, channels + size - 1, *rest), flow.dtype)
        ratio[:, reach : reach + channels] = flow * output._data / ctx.scale
        sums = ratio[:, : size - 1].sum(1)
        found = ctx.scale**-ctx.beta * flow
        for channel in range(channels):
            sums = sums + ratio[:, channel + size - 1]
            share = 2 * ctx.alpha * ctx.beta / size
            found[:, channel] -= share * input._data[:, channel] * sums
            sums = sums - ratio[:, channel]
        return Tensor._wrap(found), None, None, None, None
