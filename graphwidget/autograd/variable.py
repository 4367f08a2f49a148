"""``torch.autograd.variable``: the former name of tensors."""

from ..core.tensor import Tensor as Variable

__all__ = ["Variable"]
