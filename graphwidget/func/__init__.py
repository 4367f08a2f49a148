"""``torch.func``: derivatives of functions as functions, and functions of samples over batches."""

from .derivatives import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp
from .mapping import vmap
from .modules import functional_call, stack_module_state

__all__ = [
    "functional_call", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize",
    "stack_module_state", "vjp", "vmap",
]  # fmt: skip
