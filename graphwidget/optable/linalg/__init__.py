"""Ops on matrices."""

from . import (  # noqa: F401  (each declares its ops when it is imported)
    lu_eig,
    products,
    qr_svd_eigh,
    solve,
)
