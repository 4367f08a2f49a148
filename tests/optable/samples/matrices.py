"""Samples of linear algebra: inverses, determinants, equations, factors, spectra."""

from __future__ import annotations

from .sample import Sample, Shapes, each

SQUARES: list[Shapes] = [((3, 3),), ((2, 3, 3),), ((1, 1),)]
ONE: list[Shapes] = [((3, 3),)]
TALL: list[Shapes] = [((4, 3),), ((2, 3, 2),), ((3, 3),)]
ANY: list[Shapes] = [((3, 4),), ((2, 3, 2),), ((3, 3),)]
PAIRS: list[Shapes] = [((3, 3), (3, 2)), ((2, 3, 3), (2, 3, 1)), ((3, 3), (2, 3, 2))]
REGULAR = "(x + 4 * torch.eye(x.shape[-1], dtype=x.dtype))"
NOT_HALF = "x.to(torch.promote_types(x.dtype, torch.float32))"
POSITIVE = "(x @ x.mT + torch.eye(x.shape[-1], dtype=x.dtype))"


def real(shapes: list[Shapes], *texts: str) -> list[Sample]:
    return each(shapes, *texts, integers=False)


SAMPLES: dict[str, list[Sample]] = {
    "linalg_inv_ex": real(SQUARES, f"torch.linalg.inv({REGULAR})", f"torch.inverse({REGULAR})",
                          f"{REGULAR}.inverse()"),
    "linalg_det": real(SQUARES[:2], "torch.linalg.det(x)", "x.det()", f"torch.det({REGULAR})")
    + real(ONE, "torch.det(x * torch.tensor([1, 1, 0]))"),
    "linalg_slogdet": real(SQUARES, "torch.linalg.slogdet(x)", f"{REGULAR}.slogdet()",
                           f"torch.logdet({REGULAR})"),
    "linalg_solve_ex": real(PAIRS, f"torch.linalg.solve({REGULAR}, y)",
                            f"torch.linalg.solve({REGULAR}, y.mT, left=False)")
    + real([((3, 3), (3,)), ((2, 3, 3), (2, 3))], f"torch.linalg.solve({REGULAR}, y)"),
    "linalg_solve_triangular": real(
        PAIRS, f"torch.linalg.solve_triangular({REGULAR}, y, upper=True)",
        f"torch.linalg.solve_triangular({REGULAR}, y, upper=False)",
        f"torch.linalg.solve_triangular({REGULAR}, y.mT, upper=True, left=False)",
        "torch.linalg.solve_triangular(x, y, upper=False, unitriangular=True)"),
    "linalg_cholesky_ex": real(SQUARES, f"torch.linalg.cholesky({POSITIVE})",
                               f"torch.linalg.cholesky({POSITIVE}, upper=True)"),
    # Where a column of the fuzzer's round numbers lies across already, rounding tells R's signs.
    "linalg_qr": real(ANY, "torch.linalg.qr(x + 0.1)", "torch.linalg.qr(x + 0.1, 'r')[1].detach()",
                      "torch.linalg.qr(x.detach() + 0.1, 'complete')"),
    "linalg_svd": real(ANY, "torch.linalg.svdvals(x)", "torch.linalg.svd(x, full_matrices=False)",
                       "torch.linalg.svd(x)[1]", "torch.norm(x, 'nuc', (-2, -1))",
                       "torch.linalg.matrix_norm(x, 2)",
                       "torch.linalg.matrix_norm(x, -2, keepdim=True)")
    + real(ONE, "torch.svd(x)"),
    "linalg_eigh": real(SQUARES, "torch.linalg.eigvalsh(x + x.mT)",
                        "torch.linalg.eigh(x + x.mT)[1].abs()",
                        "torch.linalg.eigh(x + x.mT, UPLO='U')[0]"),
    # Of half floats, PyTorch reads the coefficients of its series from the wrong bytes.
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
