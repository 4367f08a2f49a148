"""Probability distributions that give gradients, as in `torch.distributions`."""

from . import constraints, kl, transforms
from .continuous import Cauchy, Exponential, Laplace, Normal, Uniform
from .counts import Binomial, Geometric, Multinomial, Poisson
from .discrete import Bernoulli, Categorical
from .distribution import Distribution
from .gamma import Beta, Chi2, Dirichlet, Gamma, StudentT
from .independent import Independent
from .kl import kl_divergence, register_kl
from .multivariate import MixtureSameFamily, MultivariateNormal
from .one_hot import (
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
    RelaxedBernoulli,
    RelaxedOneHotCategorical,
)
from .transformed import (
    Gumbel,
    HalfCauchy,
    HalfNormal,
    LogNormal,
    Pareto,
    TransformedDistribution,
)
from .transforms import *  # noqa: F403

__all__ = [
    "Bernoulli", "Beta", "Binomial", "Categorical", "Cauchy", "Chi2", "Dirichlet", "Distribution",
    "Exponential", "Gamma", "Geometric", "Gumbel", "HalfCauchy", "HalfNormal", "Independent",
    "Laplace", "LogNormal", "MixtureSameFamily", "Multinomial", "MultivariateNormal", "Normal",
    "OneHotCategorical", "OneHotCategoricalStraightThrough", "Pareto", "Poisson",
    "RelaxedBernoulli", "RelaxedOneHotCategorical", "StudentT", "TransformedDistribution",
    "Uniform", "constraints", "kl", "kl_divergence", "register_kl", "transforms",
    *transforms.__all__,
]  # fmt: skip
