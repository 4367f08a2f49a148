"""Products and decompositions of matrices."""

from . import (  # noqa: F401  (each offers its functions when it is imported)
    addmm,
    einsum,
    lu_eig,
    matmul,
    products,
    qr_svd_eigh,
    solve,
)
