"""Samples of Bessel's and Airy's functions and of the orthogonal polynomials."""

from __future__ import annotations

from .sample import TWO, Sample, one

PLAIN = ("airy_ai", "bessel_j0", "bessel_j1", "modified_bessel_i0", "modified_bessel_i1",
         "spherical_bessel_j0")  # fmt: skip
POSITIVE = ("bessel_y0", "bessel_y1", "modified_bessel_k0", "modified_bessel_k1",
            "scaled_modified_bessel_k0", "scaled_modified_bessel_k1")  # fmt: skip
FAMILIES = (
    "chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v",
    "chebyshev_polynomial_w", "shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v", "shifted_chebyshev_polynomial_w", "hermite_polynomial_h",
    "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p",
)  # fmt: skip

SAMPLES: dict[str, list[Sample]] = {
    **{f"special_{name}": [*one(f"torch.special.{name}(x)"), *one(f"torch.special.{name}(x * 8)"
       if "bessel_j" not in name else f"torch.special.{name}(x * 2)")] for name in PLAIN},
    **{f"special_{name}": [*one(f"torch.special.{name}(x)", True),
                           *one(f"torch.special.{name}(x * 7.5 + 14)", True),
                           *one(f"torch.special.{name}(x)")] for name in POSITIVE},
    **{f"special_{name}": [Sample(f"torch.special.{name}(x, y)", TWO),
                           Sample(f"torch.special.{name}(x, y * 3)", TWO, True),
                           *one(f"torch.special.{name}(x, 4)"),
                           *one(f"torch.special.{name}(.5, x)", True)] for name in FAMILIES},
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
