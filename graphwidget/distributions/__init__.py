"""Probability distributions that give gradients, as in `torch.distributions`."""

from . import constraints, kl
from .continuous import Exponential, Laplace, Normal, Uniform
from .discrete import Bernoulli, Categorical
from .distribution import Distribution
from .independent import Independent
from .kl import kl_divergence, register_kl

__all__ = [
    "Bernoulli",
    "Categorical",
    "Distribution",
    "Exponential",
    "Independent",
    "Laplace",
    "Normal",
    "Uniform",
    "constraints",
    "kl",
    "kl_divergence",
    "register_kl",
]
