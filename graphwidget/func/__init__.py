"""``torch.func``: derivatives of functions as functions, and functions of samples over batches."""

from ..absent import refuse_others
from .derivatives import grad, grad_and_value, jvp, linearize, vjp
from .functional_call import functional_call, replace_all_batch_norm_modules_, stack_module_state
from .jacobians import hessian, jacfwd, jacrev
from .vmap import vmap

__all__ = [
    "functional_call", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize",
    "replace_all_batch_norm_modules_", "stack_module_state", "vjp", "vmap",
]  # fmt: skip

refuse_others(__name__)
