"""Ops on matrices."""

from . import (  # noqa: F401  (each declares its ops when it is imported)
    products,
    qr_svd_eig,
    solve,
)
