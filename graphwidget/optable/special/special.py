"""The special functions: ``erf``, ``lgamma``, ``digamma``, ``i0`` and their kin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...arrays.kernel_errors import not_implemented
from ..declare import Namespace, composite, op
from ..pointwise import arithmetic_kernels as more
from . import gamma_kernels as gamma
from . import special_kernels as kernels

F = Namespace()
ROOT_PI, TWO_OVER_ROOT_PI = math.sqrt(math.pi), 2 / math.sqrt(math.pi)
ROOT_TWO_PI = math.sqrt(2 * math.pi)

# The error function ------------------------------------------------------------------------------
op("erf(self, /)", kernels.erf, inplace=True, pointwise=True, dtype="float", also=("special.erf",),
   d_self=lambda grad, self: TWO_OVER_ROOT_PI * F.exp(-F.pow(self, 2)) * grad,
   text="erf({self})", tex=r"\operatorname{{erf}} {self}", onnx="Erf")

op("erfc(self, /)", kernels.erfc, inplace=True, pointwise=True, dtype="float",
   also=("special.erfc",),
   d_self=lambda grad, self: -TWO_OVER_ROOT_PI * F.exp(-F.pow(self, 2)) * grad,
   text="1 − erf({self})", tex=r"\operatorname{{erfc}} {self}", onnx=None)

op("erfinv(self, /)", kernels.erfinv, inplace=True, pointwise=True, dtype="float",
   also=("special.erfinv",),
   d_self=lambda grad, self: ROOT_PI / 2 * F.exp(F.pow(F.erfinv(self), 2)) * grad,
   text="erf⁻¹({self})", tex=r"\operatorname{{erf}}^{{-1}} {self}", onnx=None)

op("special_erfcx(self, /)", kernels.erfcx,
   refuses="erfcx_cpu: half", pointwise=True, dtype="float", public=False,
   also=("special.erfcx",),
   d_self=lambda grad, self, result: (2.0 * self * result - TWO_OVER_ROOT_PI) * grad,
   text="exp({self}²) · erfc({self})", tex=r"\operatorname{{erfcx}} {self}", onnx=None)

op("special_ndtri(self, /)", kernels.ndtri,
   refuses="ndtri_cpu: half", pointwise=True, dtype="float", public=False,
   also=("special.ndtri",),
   d_self=lambda grad, result: grad * ROOT_TWO_PI * F.exp(F.pow(result, 2) / 2),
   text="Φ⁻¹({self})", tex=r"\Phi^{{-1}}({self})", onnx=None)

op("special_log_ndtr(self, /)", kernels.log_ndtr,
   refuses="log_ndtr_cpu: half", pointwise=True, dtype="float", public=False,
   also=("special.log_ndtr",),
   d_self=lambda grad, self, result:
       grad / ROOT_TWO_PI * F.exp(-(result + F.pow(self, 2) / 2)),
   text="log Φ({self})", tex=r"\ln \Phi({self})", onnx=None)

op("special_entr(self, /)", kernels.entr, pointwise=True, dtype="float", public=False,
   also=("special.entr",),
   d_self=lambda grad, self: grad * -(1 + F.log(self)),
   text="−{self} · log({self})", tex=r"-{self} \ln {self}", onnx=None)

op("special_xlog1py(self, other, /)", more.xlog1py, pointwise=True, dtype="float", public=False,
   node="SpecialXlog1PyBackward0",
   d_self=lambda grad, self, other: F.masked_fill(
       F.special_xlog1py(grad, other),
       F.logical_and(F.within(self, 0.0, 0.0), F.within(other, None, -1.0)), 0),
   d_other=lambda grad, self, other: grad * self / (other + 1),
   text="{self} · log(1 + {other})", tex=r"{self} \ln(1 + {other})", onnx=None)

op("special_xlog1py.number(self, /, other)", more.xlog1py_number, pointwise=True, dtype="float",
   node="SpecialXlog1PyBackward2",
   d_self=lambda grad, self, other: F.special_xlog1py_number(grad, other) if other > -1
       else F.masked_fill(F.special_xlog1py_number(grad, other), F.within(self, 0.0, 0.0), 0),
   text="{self} · log(1 + {other})", tex=r"{self} \ln(1 + {other})", onnx=None)

op("special_xlog1py.base(other, /, self)", more.xlog1py_of, pointwise=True, dtype="float",
   node="SpecialXlog1PyBackward1",
   d_other=lambda grad, self, other: grad * self / (other + 1),
   text="{self} · log(1 + {other})", tex=r"{self} \ln(1 + {other})", onnx=None)

# The gamma function ------------------------------------------------------------------------------
op("lgamma(self, /)", gamma.lgamma, inplace=True, pointwise=True, dtype="float",
   also=("special.gammaln",),
   d_self=lambda grad, self: grad * F.digamma(self),
   text="log Γ({self})", tex=r"\ln \Gamma({self})", onnx=None)

op("digamma(self, /)", gamma.digamma, inplace=True, pointwise=True, dtype="float",
   also=("special.digamma", "special.psi"),
   d_self=lambda grad, self: grad * F.polygamma(self, 1),
   text="ψ({self})", tex=r"\psi({self})", onnx=None)

for key, node in (("polygamma", "PolygammaBackward0"), ("polygamma.written", "PolygammaBackward1")):
    op(f"{key}(self, /, n)", gamma.polygamma, inplace=True, pointwise=True, dtype="float",
       public=False, node=node,
       d_self=lambda grad, self, n: grad * F.polygamma(self, n + 1),
       text="ψ⁽{n}⁾({self})", tex=r"\psi^{{({n})}}({self})", onnx=None)


def no_bools_in_gamma(dtype: Any) -> None:
    """Refuse bools.

    Raises:
        RuntimeError: in PyTorch's words.
    """
    if dtype.kind == "b":
        raise RuntimeError("The input tensor may not be a boolean tensor.")


op("mvlgamma(self, /, p)", gamma.multigammaln, inplace=True, pointwise=True, dtype="float",
   guard=no_bools_in_gamma,
   also=("special.multigammaln",),
   d_self=lambda grad, self, p: grad * F.multidigamma(self, p),
   text="log Γ_{p}({self})", tex=r"\ln \Gamma_{{{p}}}({self})", onnx=None)


@composite
def multidigamma(self: Any, p: int) -> Any:
    """The derivative of the multivariate log gamma function."""
    total = F.digamma(self)
    for j in range(1, p):
        total = total + F.digamma(self - j / 2)
    return total


op("special_zeta(self, other, /)", gamma.zeta,
   refuses="zeta_cpu: half", pointwise=True, dtype="float", public=False,
   also=("special.zeta",),
   d_self=lambda grad, self, other: F.no_derivative("zeta"),
   d_other=lambda grad, self, other: grad * -self * F.special_zeta(self + 1.0, other),
   text="ζ({self}, {other})", tex=r"\zeta({self}, {other})", onnx=None)


for _name, _title, _kernel, _sign, _tex in (
    ("igamma", "gammainc", gamma.gammainc, 1, "P"),
    ("igammac", "gammaincc", gamma.gammaincc, -1, "Q"),
):  # fmt: skip
    op(f"{_name}(self, other, /)", _kernel, inplace=True, pointwise=True, dtype="float",
       also=(f"special.{_title}",), numbers=False, guard=gamma.refuse_integers(f"{_name}_cpu"),
       d_self=(lambda grad, self, other: F.no_derivative("igamma: input")) if _sign == 1
           else (lambda grad, self, other: F.no_derivative("igammac: input")),
       d_other=(lambda grad, self, other: grad * F.gamma_density(self, other)) if _sign == 1
           else (lambda grad, self, other: -grad * F.gamma_density(self, other)),
       text=f"{_tex}({{self}}, {{other}})", tex=f"{_tex}({{self}}, {{other}})", onnx=None)


@composite
def gamma_density(a: Any, x: Any) -> Any:
    """x^(a-1) exp(-x) / Γ(a)."""
    return F.exp((a - 1) * F.log(x) - x - F.lgamma(a))


# Bessel functions ---------------------------------------------------------------------------------
op("i0(self, /)", kernels.i0, inplace=True, pointwise=True, dtype="float", also=("special.i0",),
   d_self=lambda grad, self: grad * F.special_i1(self),
   text="I₀({self})", tex=r"I_0({self})", onnx=None)

op("special_i0e(self, /)", kernels.i0e, pointwise=True, dtype="float", public=False,
   also=("special.i0e",), node="SpecialI0EBackward0",
   d_self=lambda grad, self, result: grad * (F.special_i1e(self) - F.sgn(self) * result),
   text="exp(−|{self}|) · I₀({self})", tex=r"e^{{-|{self}|}} I_0({self})", onnx=None)

op("special_i1(self, /)", kernels.i1, pointwise=True, dtype="float", public=False,
   also=("special.i1",),
   d_self=lambda grad, self, result:
       grad * F.bessel_i1_derivative(F.i0(self), F.no_halves(self, "i1_backward"), result),
   text="I₁({self})", tex=r"I_1({self})", onnx=None)

op("special_i1e(self, /)", kernels.i1e, pointwise=True, dtype="float", public=False,
   also=("special.i1e",), node="SpecialI1EBackward0",
   d_self=lambda grad, self, result: grad * (
       F.bessel_i1_derivative(F.special_i0e(self), F.no_halves(self, "i1e_backward"), result)
       - F.sgn(self) * result),
   text="exp(−|{self}|) · I₁({self})", tex=r"e^{{-|{self}|}} I_1({self})", onnx=None)


@composite
def no_halves(self: Any, kernel: str) -> Any:
    """What a derivative reads, refused if it is of halves.

    Raises:
        NotImplementedError: in PyTorch's words.
    """
    if str(self.dtype).endswith("float16"):
        raise not_implemented(kernel, np.dtype("float16"))
    return self


@composite
def bessel_i1_derivative(i0: Any, self: Any, i1: Any) -> Any:
    """I0 - I1 / x, which is 1/2 at 0."""
    zero = F.eq(self, F.zeros_like(self))
    safe = F.where(zero, F.ones_like(self), self)
    return F.where(zero, F.ones_like(self) * 0.5, i0 - i1 / safe)
