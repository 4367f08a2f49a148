"""Functions of ``torch.special`` that PyTorch does not derive: Bessel's, Airy's and the orthogonal
polynomials."""

from __future__ import annotations

from . import bessel_kernels as kernels
from .declare import op

for _name, _kernel, _text, _tex in (
    ("airy_ai", kernels.airy_ai, "Ai", r"\operatorname{Ai}"),
    ("bessel_j0", kernels.j0, "J₀", "J_0"),
    ("bessel_j1", kernels.j1, "J₁", "J_1"),
    ("bessel_y0", kernels.y0, "Y₀", "Y_0"),
    ("bessel_y1", kernels.y1, "Y₁", "Y_1"),
    ("modified_bessel_i0", kernels.i0, "I₀", "I_0"),
    ("modified_bessel_i1", kernels.i1, "I₁", "I_1"),
    ("modified_bessel_k0", kernels.k0, "K₀", "K_0"),
    ("modified_bessel_k1", kernels.k1, "K₁", "K_1"),
    ("scaled_modified_bessel_k0", kernels.k0e, "exp · K₀", "e^x K_0"),
    ("scaled_modified_bessel_k1", kernels.k1e, "exp · K₁", "e^x K_1"),
    ("spherical_bessel_j0", kernels.spherical_j0, "j₀", "j_0"),
):
    _scaled = _name.startswith("scaled")  # these two name their operand x
    _operand = "x" if _scaled or _name == "airy_ai" or _name.startswith("spherical") else "self"
    op(f"special_{_name}({_operand}, /)", _kernel, pointwise=True, dtype="float", nograd=True,
       refuses=f"{_name}_cpu: half",
       public=False, also=(f"special.{_name}",), text=f"{_text}({{{_operand}}})",
       tex=_tex.replace("{", "{{").replace("}", "}}") + f"({{{_operand}}})", onnx=None)

for _name, _kernel, _text in (
    ("chebyshev_polynomial_t", kernels.chebyshev(1, 0), "T"),
    ("chebyshev_polynomial_u", kernels.chebyshev(2, 0), "U"),
    ("chebyshev_polynomial_v", kernels.chebyshev(2, -1), "V"),
    ("chebyshev_polynomial_w", kernels.chebyshev(2, 1), "W"),
    ("shifted_chebyshev_polynomial_t", kernels.chebyshev(1, 0, 2), "T*"),
    ("shifted_chebyshev_polynomial_u", kernels.chebyshev(2, 0, 2), "U*"),
    ("shifted_chebyshev_polynomial_v", kernels.chebyshev(2, -1, 2), "V*"),
    ("shifted_chebyshev_polynomial_w", kernels.chebyshev(2, 1, 2), "W*"),
    ("hermite_polynomial_h", kernels.hermite_h, "H"),
    ("hermite_polynomial_he", kernels.hermite_he, "He"),
    ("laguerre_polynomial_l", kernels.laguerre_l, "L"),
    ("legendre_polynomial_p", kernels.legendre_p, "P"),
):
    op(f"special_{_name}(x, n, /)", _kernel, pointwise=True, dtype="float", nograd=True,
       refuses=f"{_name}_cpu: half",
       public=False, also=(f"special.{_name}",), text=f"{_text}ₙ({{x}}), n = {{n}}",
       tex=f"{_text}_{{{{{{n}}}}}}({{x}})", onnx=None)
