"""Products and decompositions of matrices."""

from . import (  # noqa: F401  (each offers its functions when it is imported)
    addmm,
    einsum,
    products,
    qr_svd_eig,
    solve,
)
