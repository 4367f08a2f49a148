"""``torch.nn.utils.spectral_norm``, the former way by hooks (Miyato et al., 2018).

`parametrizations.spectral_norm` is the present one.
"""

from __future__ import annotations

from typing import Any, TypeVar

from ...autograd.grad_mode import no_grad
from ...functions.linalg.products import dot, mv
from ...graph.tensor import Tensor
from ..conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..functional.distance import normalize
from ..parameter import Parameter, is_lazy
from .weight_norm import refuse_second, without_hook

Of = TypeVar("Of")
TRANSPOSED = (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)
"""Those whose output channels are dim 1 of the weight."""


def output_dim_first(weight: Tensor, dim: int) -> Tensor:
    """A weight with the dim of its outputs in first place."""
    if dim == 0:
        return weight
    return weight.permute(dim, *(each for each in range(weight.dim()) if each != dim))


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    """A weight as a matrix with one row for each output."""
    first = output_dim_first(weight, dim)
    return first.reshape(first.size(0), -1)


def check_iterations(n_power_iterations: int) -> None:
    """There must be power iterations.

    Raises:
        ValueError: with PyTorch's text.
    """
    if n_power_iterations <= 0:
        raise ValueError(
            "Expected n_power_iterations to be positive, but got "
            f"n_power_iterations={n_power_iterations}"
        )


class SpectralNorm:
    """The hook that divides a weight by its largest singular value before each call; in training
    the vectors that belong to it come closer by power iterations."""

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        check_iterations(n_power_iterations)
        self.name = name
        self.n_power_iterations = n_power_iterations
        self.dim = dim
        self.eps = eps

    def compute_weight(self, module: Any, do_power_iteration: bool) -> Tensor:
        """The weight divided by its largest singular value."""
        weight, u, v = (getattr(module, f"{self.name}_{part}") for part in ("orig", "u", "v"))
        matrix = as_matrix(weight, self.dim)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    normalize(mv(matrix.t(), u), dim=0, eps=self.eps, out=v)
                    normalize(mv(matrix, v), dim=0, eps=self.eps, out=u)
                u, v = u.clone(), v.clone()
        found: Tensor = weight / dot(u, mv(matrix, v))
        return found

    def remove(self, module: Any) -> None:
        """Put the parameter back."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        delattr(module, self.name)
        for part in ("u", "v", "orig"):
            delattr(module, f"{self.name}_{part}")
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Any, inputs: Any) -> None:
        weight = self.compute_weight(module, do_power_iteration=module.training)
        setattr(module, self.name, weight)

    @staticmethod
    def apply(
        module: Any, name: str, n_power_iterations: int, dim: int, eps: float
    ) -> SpectralNorm:
        """Replace a parameter, and hook the module."""
        refuse_second(module, SpectralNorm, name, "spectral_norm")
        made = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if is_lazy(weight):
            raise ValueError(
                "The module passed to `SpectralNorm` can't have uninitialized parameters. Make "
                "sure to run the dummy forward before applying spectral normalization"
            )
        with no_grad():
            height, width = as_matrix(weight, dim).size()
            u = normalize(weight.new_empty(height).normal_(0, 1), dim=0, eps=eps)
            v = normalize(weight.new_empty(width).normal_(0, 1), dim=0, eps=eps)
        delattr(module, name)
        module.register_parameter(f"{name}_orig", weight)
        setattr(module, name, weight.data)
        module.register_buffer(f"{name}_u", u)
        module.register_buffer(f"{name}_v", v)
        module.register_forward_pre_hook(made)
        return made


def spectral_norm(
    module: Of, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12,
    dim: int | None = None,
) -> Of:  # fmt: skip
    """Let a module's parameter be divided by its largest singular value before each call.

    Args:
        n_power_iterations: how often the estimate is improved in each call in training.
        dim: the one of the outputs; found out when not given.

    Raises:
        ValueError: no iterations.
        RuntimeError: it is done already.
    """
    place = (1 if isinstance(module, TRANSPOSED) else 0) if dim is None else dim
    SpectralNorm.apply(module, name, n_power_iterations, place, eps)
    return module


def remove_spectral_norm(module: Of, name: str = "weight") -> Of:
    """Undo `spectral_norm`: one parameter with the present values.

    Raises:
        ValueError: it was not done.
    """
    return without_hook(module, SpectralNorm, name, "spectral_norm")
