"""``torch.autograd.function``: what custom Functions are made of."""

from ..core.function import Function, InplaceFunction, once_differentiable
from ..core.function_node import FunctionNode as FunctionCtx

BackwardCFunction = FunctionCtx
"""What the nodes of custom Functions are made of; they are their own ctx."""

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]
