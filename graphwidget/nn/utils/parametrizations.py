"""Ready-made parametrizations: weight norm, spectral norm, orthogonal matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd.grad_mode import no_grad
from ...dispatch.offer import FUNCTIONS, SPACES
from ...functions.linalg.products import mv, vdot
from ...functions.reduction.norms import norm_except_dim
from ...functions.shape.joins import cat
from ...graph.tensor import Tensor
from ..functional.distance import normalize
from ..module import Module
from .parametrize import register_parametrization
from .spectral_norm import TRANSPOSED, check_iterations, output_dim_first
from .weight_norm import scale_to_norm

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


def _get_tensor(module: Any, name: str) -> Tensor:
    found = getattr(module, name, None)
    if not isinstance(found, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return found


# Size and direction -------------------------------------------------------------------------------
class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        """The weight of a size and a direction."""
        return scale_to_norm(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """The norms, and the weight itself as direction."""
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Parametrize a module's tensor by its norms over all dims but `dim` (`original0`) and its
    direction (`original1`) (Salimans and Kingma, 2016)."""
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def from_hooks(state: Any, prefix: str, *rest: Any) -> None:
        """State dicts of `torch.nn.utils.weight_norm` fit too."""
        old = [f"{prefix}{name}_{part}" for part in "gv"]
        if all(key in state for key in old):
            for place, key in enumerate(old):
                state[f"{prefix}parametrizations.{name}.original{place}"] = state.pop(key)

    module._register_load_state_dict_pre_hook(from_hooks)
    return module


# The largest singular value -----------------------------------------------------------------------
class _SpectralNorm(Module):
    _u: Tensor
    _v: Tensor

    def __init__(
        self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        super().__init__()
        ndim = weight.ndim
        if dim >= ndim or dim < -ndim:
            raise IndexError(
                "Dimension out of range (expected to be in range of "
                f"[-{ndim}, {ndim - 1}] but got {dim})"
            )
        check_iterations(n_power_iterations)
        self.dim = dim if dim >= 0 else dim + ndim
        self.eps = eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = output_dim_first(weight, self.dim).flatten(1)
            height, width = matrix.size()
            u = matrix.new_empty(height).normal_(0, 1)
            v = matrix.new_empty(width).normal_(0, 1)
            self.register_buffer("_u", normalize(u, dim=0, eps=self.eps))
            self.register_buffer("_v", normalize(v, dim=0, eps=self.eps))
            self._power_method(matrix, 15)

    def _power_method(self, matrix: Tensor, times: int) -> None:
        with no_grad():
            for _ in range(times):
                normalize(mv(matrix, self._v), dim=0, eps=self.eps, out=self._u)
                normalize(mv(matrix.mT, self._u), dim=0, eps=self.eps, out=self._v)

    def forward(self, weight: Tensor) -> Tensor:
        """The weight divided by its largest singular value."""
        if weight.ndim == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = output_dim_first(weight, self.dim).flatten(1)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        sigma = vdot(self._u.clone(), mv(matrix, self._v.clone()))
        return weight / sigma

    def right_inverse(self, value: Tensor) -> Tensor:
        """The value: it is divided again."""
        return value


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12,
    dim: int | None = None,
) -> Any:  # fmt: skip
    """Parametrize a module's tensor so that its largest singular value is 1 (Miyato et al., 2018).

    Args:
        n_power_iterations: how often the estimate is improved in each call in training.
        dim: the one of the outputs; found out when not given.
    """
    weight = _get_tensor(module, name)
    place = (1 if isinstance(module, TRANSPOSED) else 0) if dim is None else dim
    made = _SpectralNorm(weight, n_power_iterations, place, eps)
    register_parametrization(module, name, made)
    return module


# Orthogonal matrices ------------------------------------------------------------------------------
def _orthonormal(a: Tensor) -> Tensor:
    """The nearest way to make columns orthonormal: Q of QR, R's diagonal positive."""
    q, r = np.linalg.qr(a._data)
    signs = np.sign(np.diagonal(r, axis1=-2, axis2=-1))
    return Tensor._wrap(np.ascontiguousarray(q * signs[..., None, :]))


def _is_orthonormal(q: Tensor) -> bool:
    n, k = q.shape[-2:]
    gram = np.matmul(q._data.swapaxes(-1, -2), q._data)
    eps = 10 * n * np.finfo(q._data.dtype).eps
    return bool(np.allclose(gram, np.eye(k), atol=eps, rtol=0))


class _Orthogonal(Module):
    base: Tensor

    def __init__(self, weight: Tensor, orthogonal_map: str, use_trivialization: bool) -> None:
        super().__init__()
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:
        """A matrix with orthonormal columns (or rows, if they are fewer)."""
        n, k = X.size(-2), X.size(-1)
        turned = n < k
        if turned:
            X, n, k = X.mT, k, n
        if self.orthogonal_map == "householder":
            Q = self._householder_product(X)
        else:
            X = X.tril()
            if n != k:
                X = cat([X, X.new_zeros(n, n - k).expand(*X.shape[:-2], -1, -1)], -1)
            A = X - X.mH
            if self.orthogonal_map == "matrix_exp":
                Q = FUNCTIONS["matrix_exp"](A)
            else:
                unit = FUNCTIONS["eye"](n, dtype=A.dtype)
                Q = SPACES["linalg"]["solve"](unit.add(A, alpha=-0.5), unit.add(A, alpha=0.5))
            if n != k:
                Q = Q[..., :k]
        if hasattr(self, "base"):
            Q = self.base @ Q
        return Q.mT if turned else Q

    @staticmethod
    def _householder_product(X: Tensor) -> Tensor:
        """The product of the Householder reflections that lie in the columns of X."""
        A = X.tril(diagonal=-1)
        tau = 2.0 / (1.0 + (A * A).sum(dim=-2))
        product = SPACES["linalg"]["householder_product"](A, tau)
        found: Tensor = product * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        return found

    @staticmethod
    def _to_reflections(Q: Tensor) -> Any:
        """The reflections whose product is Q, made orthogonal; the diagonal holds R's signs."""
        found, tau = FUNCTIONS["geqrf"](Q)
        signs = found.diagonal(dim1=-2, dim2=-1).sign_()
        signs[tau == 0.0] *= -1  # LAPACK did without this one
        return found

    def right_inverse(self, Q: Tensor) -> Tensor:
        """What gives Q back, made orthogonal: it becomes the base, or the reflections.

        Raises:
            ValueError: Q has another shape.
            NotImplementedError: there is no base, and no reflections.
        """
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of "
                f"shape {Q.shape}."
            )
        given, (n, k) = Q, Q.shape[-2:]
        turned = n < k
        if turned:
            Q, n, k = Q.mT, k, n
        if not hasattr(self, "base"):
            if self.orthogonal_map != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley "
                    "parametrizations when use_trivialization=False."
                )
            reflections: Tensor = self._to_reflections(Q)
            return reflections.mT if turned else reflections
        if n != k:
            more = FUNCTIONS["randn"](*Q.shape[:-2], n, n - k, dtype=Q.dtype)
            Q = _orthonormal(cat([Q, more], -1))
        else:
            Q = Q.clone() if _is_orthonormal(Q) else _orthonormal(Q)
        self.base = Q
        negative = given.new_zeros(given.shape)
        negative.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return negative


def orthogonal(
    module: Any, name: str = "weight", orthogonal_map: str | None = None, *,
    use_trivialization: bool = True,
) -> Any:  # fmt: skip
    """Parametrize a module's matrix to be orthogonal; its columns, or rows if they are fewer.

    Args:
        orthogonal_map: "matrix_exp" (the default of square matrices), "cayley" or "householder".
        use_trivialization: start from the present matrix, made orthogonal.

    Raises:
        ValueError: no such tensor, no matrix, or an unknown map.
    """
    weight = _get_tensor(module, name)
    if weight.ndim < 2:
        raise ValueError(
            f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions."
        )
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if square else "householder"
    if orthogonal_map not in ("matrix_exp", "cayley", "householder"):
        raise ValueError(
            'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". '
            f"Got: {orthogonal_map}"
        )
    made = _Orthogonal(weight, orthogonal_map, use_trivialization)
    register_parametrization(module, name, made, unsafe=True)
    return module
