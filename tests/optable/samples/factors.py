"""Samples of matrix factors: LU, Householder's reflections, eigenvalues."""

from __future__ import annotations

from .matrices import ANY, ONE, PAIRS, REGULAR, SQUARES, TALL, real
from .sample import Sample, Shapes

FACTORS = f"torch.linalg.lu_factor({REGULAR})"
WITH_TAU: list[Shapes] = [((4, 3), (3,)), ((2, 3, 2), (2, 2)), ((3, 3), (2,))]
SYMMETRIC = "(x + x.mT + torch.diag_embed(torch.arange(x.shape[-1], dtype=x.dtype) * 3))"

SAMPLES: dict[str, list[Sample]] = {
    "eye_like": real(ANY, "torch.linalg.lu_factor(x)[0]"),
    "lu_pivoting": real(ANY, "torch.linalg.lu(x)"),
    "linalg_lu": real(ANY, "torch.linalg.lu(x)", "torch.linalg.lu(x)[1]",
                      "torch.linalg.lu(x.mT)[2]"),
    "linalg_lu_factor_ex": real(ANY, "torch.linalg.lu_factor(x)", "torch.linalg.lu_factor_ex(x)")
    + real(SQUARES, f"{REGULAR}.lu()"),
    "lu_permutation": real(ANY, "torch.lu_unpack(*torch.linalg.lu_factor(x))"),
    "lu_unpack": real(ANY, "torch.lu_unpack(x, torch.arange(1, min(x.shape[-2:]) + 1,"
                           " dtype=torch.int32).expand(*x.shape[:-2], -1))",
                      "torch.lu_unpack(*torch.linalg.lu_factor(x))[1]"),
    "linalg_lu_solve": real(
        PAIRS, f"torch.linalg.lu_solve(*{FACTORS}, y)",
        f"torch.linalg.lu_solve(*{FACTORS}, y, adjoint=True)",
        f"torch.linalg.lu_solve(*{FACTORS}, y.mT, left=False)",
        f"torch.linalg.lu_solve(*{FACTORS}, y.mT, left=False, adjoint=True)",
        "torch.linalg.lu_solve(" + REGULAR + ", torch.arange(1, x.shape[-1] + 1,"
        " dtype=torch.int32).expand(*x.shape[:-2], -1), y)"),
    "linalg_householder_product": real(
        # Times 0.7 no reflection of the fuzzer's round numbers is singular: PyTorch inverts them.
        WITH_TAU, "torch.linalg.householder_product(x, y * 0.7)", "torch.orgqr(x, y * 0.7)",
        "x.orgqr(y * 0.6)"),
    "geqrf": real(TALL, "torch.geqrf(x.detach())", "torch.orgqr(*x.detach().geqrf())"),
    "triangular_solve": real(
        PAIRS, f"torch.triangular_solve(y, {REGULAR})",
        f"torch.triangular_solve(y, {REGULAR}, upper=False)[0]",
        f"y.triangular_solve({REGULAR}, transpose=True)[0]",
        "torch.triangular_solve(y, x, unitriangular=True)"),
    "linalg_eig": real(ONE, f"torch.linalg.eigvals({SYMMETRIC}).real.sort()[0] * 1")
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
