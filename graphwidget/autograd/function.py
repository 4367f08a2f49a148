"""``torch.autograd.function``: what custom Functions are made of."""

from ..core.function import Function, InplaceFunction, once_differentiable
from ..core.function_node import FunctionNode as FunctionCtx

__all__ = ["Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]
