"""Products and decompositions of matrices."""

from . import (  # noqa: F401  (each offers its functions when it is imported)
    addmm,
    einsum,
    lu,
    matmul,
    matrix_checks,
    matrix_power_exp,
    pinv_lstsq,
    products,
    qr_svd_eig,
    solve,
)
