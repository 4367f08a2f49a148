"""The special functions: ``erf`` and ``lgamma`` with what their derivatives need."""

from __future__ import annotations

import math

from ..declare import Namespace, op
from . import gamma_kernels as gamma
from . import special_kernels as kernels

F = Namespace()
ROOT_PI, TWO_OVER_ROOT_PI = math.sqrt(math.pi), 2 / math.sqrt(math.pi)

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
