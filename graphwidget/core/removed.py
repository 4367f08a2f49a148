"""Functions that PyTorch removed, which old programs still call: they say what to call instead."""

from __future__ import annotations

from typing import Any

from .public import FUNCTIONS, METHODS

GONE = "This function was deprecated since version 1.9 and is now removed."
SOLVE = (
    " `torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its "
    "arguments reversed and does not return the LU factorization.\n\nTo get the LU factorization "
    "see `torch.lu`, which can be used with `torch.lu_solve` or `torch.lu_unpack`.\n"
    "X = torch.solve(B, A).solution should be replaced with:\nX = torch.linalg.solve(A, B)"
)
EIG = (
    " `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real "
    "tensors mimicking complex tensors.\n\nL, _ = torch.eig(A) should be replaced with:\n"
    "L_complex = torch.linalg.eigvals(A)\n\nand\n\nL, V = torch.eig(A, eigenvectors=True) should "
    "be replaced with:\nL_complex, V_complex = torch.linalg.eig(A)"
)
SYMEIG = (
    " The default behavior has changed from using the upper triangular portion of the matrix by "
    "default to using the lower triangular portion.\n\nL, _ = torch.symeig(A, upper=upper) should "
    "be replaced with:\nL = torch.linalg.eigvalsh(A, UPLO='U' if upper else 'L')\n\nand\n\n"
    "L, V = torch.symeig(A, eigenvectors=True) should be replaced with:\n"
    "L, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')"
)
RANK = (
    "\nPlease use the `torch.linalg.matrix_rank` function instead. The parameter 'symmetric' was "
    "renamed in `torch.linalg.matrix_rank()` to 'hermitian'."
)


def removed(name: str, advice: str, method: bool = True) -> None:
    """Offer a function (and method) that only says that it is gone."""

    def function(input: Any, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(GONE + advice)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Removed from PyTorch; the error says what to call instead."
    FUNCTIONS[name] = function
    if method:
        METHODS[name] = function


removed("solve", SOLVE)
removed("eig", EIG)
removed("symeig", SYMEIG)
removed("matrix_rank", RANK, False)
