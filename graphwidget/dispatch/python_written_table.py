"""Table of the functions that PyTorch writes in Python, and of the C++ ones that each calls.

The columns are those of ``python_written_function``: what is asked of the arguments first, the
bound function, its arguments.
"""

from __future__ import annotations

ONLY = "(tensors[0] if len(tensors) == 1 else tensors)"
LISTED = "tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors"
FLAGS = "return_inverse=return_inverse, return_counts=return_counts"
DIM = "*([] if dim is None else [dim])"
NORM = (
    "input, 2 if isinstance(p, str) else 2.0 if p is None else p, "
    "[dim] if isinstance(dim, int) else dim, keepdim, dtype=dtype"
)

DIMS = "a, b, *(dims if isinstance(dims, (tuple, list)) and len(dims) == 2 else ([], []))"


def split(own: str, size: str) -> tuple[str, str, str]:
    """What ``split`` hands on, by the names of the tensor and the size."""
    number = f"(int({size}) if hasattr({size}, 'grad_fn') and {size}.dim() == 0 else {size})"
    name = f"'split' if isinstance({number}, int) else 'split_with_sizes'"
    return "_VF", name, f"{own}, {number}, dim"


FUNCTIONS = {
    **{name: ("", "_VF", name, ONLY) for name in ("atleast_1d", "atleast_2d", "atleast_3d")},
    **{name: ("", "_VF", name, "tensors") for name in ("block_diag", "cartesian_prod")},
    "broadcast_tensors": ("", "_VF", "broadcast_tensors", "tensors"),
    "cdist": ("", "_VF", "cdist", "x1, x2, p"),
    "meshgrid": ("", "_VF", "meshgrid",
                 f"{LISTED}, **({{}} if indexing is None else {{'indexing': indexing}})"),
    "norm": ("input.layout", "linalg", "linalg_vector_norm", NORM),
    "split": ("tensor.split", *split("tensor", "split_size_or_sections")),
    "tensordot": ("a.dim, b.dim", "_VF", "tensordot", DIMS),
    "unique": ("", "_VF", "'_unique2' if dim is None else 'unique_dim'",
               f"input, {DIM}, sorted=sorted, {FLAGS}"),
}  # fmt: skip

METHODS = {
    **{name: FUNCTIONS[name] for name in ("norm", "unique")},
    "split": ("", *split("self", "split_size")),
    "unflatten": ("", "TensorBase", "unflatten", "dim, sizes"),
}
"""The same of methods: Python's own errors say ``Tensor.split()``."""

BOUND = {
    "TensorBase": ("unflatten",),
    "_VF": ("_unique2", "atleast_1d", "atleast_2d", "atleast_3d", "block_diag",
            "broadcast_tensors", "cartesian_prod", "cdist", "einsum", "meshgrid", "split",
            "split_with_sizes", "tensordot", "unique_dim"),
}  # fmt: skip
"""The bound functions, by section."""
