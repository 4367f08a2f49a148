"""Ops on matrices."""

from . import (  # noqa: F401  (each declares its ops when it is imported)
    lu,
    matrix_exp,
    pinv_lstsq,
    products,
    qr_svd_eig,
    solve,
)
