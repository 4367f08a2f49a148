"""Probability distributions that give gradients, as in `torch.distributions`."""

import importlib
from typing import Any

from . import constraints, kl, kl_between, transforms  # noqa: F401  (kl_between registers)
from .circular import VonMises
from .constraint_registry import biject_to, transform_to
from .continuous import Cauchy, Exponential, Laplace, Normal, Uniform
from .counts import Binomial, Geometric, Multinomial, NegativeBinomial, Poisson
from .discrete import Bernoulli, Categorical
from .distribution import Distribution
from .exponential_family import ExponentialFamily
from .gamma import Beta, Chi2, Dirichlet, Gamma, StudentT
from .independent import Independent
from .kl import kl_divergence, register_kl
from .lowrank import LowRankMultivariateNormal
from .matrices import LKJCholesky, Wishart
from .multivariate import MixtureSameFamily, MultivariateNormal
from .one_hot import (
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
    RelaxedBernoulli,
    RelaxedOneHotCategorical,
)
from .places import PLACES
from .powers import InverseGamma, Pareto, Weibull
from .tails import FisherSnedecor, GeneralizedPareto
from .transformed import (
    Gumbel,
    HalfCauchy,
    HalfNormal,
    LogisticNormal,
    LogNormal,
    TransformedDistribution,
)
from .transforms import *  # noqa: F403
from .unit import ContinuousBernoulli, Kumaraswamy

__all__ = [
    "Bernoulli", "Beta", "Binomial", "Categorical", "Cauchy", "Chi2", "ContinuousBernoulli",
    "Dirichlet", "Distribution", "Exponential", "ExponentialFamily", "FisherSnedecor", "Gamma",
    "GeneralizedPareto", "Geometric", "Gumbel", "HalfCauchy", "HalfNormal", "Independent",
    "InverseGamma", "Kumaraswamy", "LKJCholesky", "Laplace", "LogNormal", "LogisticNormal",
    "LowRankMultivariateNormal", "MixtureSameFamily", "Multinomial", "MultivariateNormal",
    "NegativeBinomial", "Normal", "OneHotCategorical", "OneHotCategoricalStraightThrough",
    "Pareto", "Poisson", "RelaxedBernoulli", "RelaxedOneHotCategorical", "StudentT",
    "TransformedDistribution", "Uniform", "VonMises", "Weibull", "Wishart", "biject_to",
    "constraints", "kl", "kl_divergence", "register_kl", "transform_to", "transforms",
    *transforms.__all__,
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """PyTorch's modules by their names there (``distributions.normal.Normal``)."""
    if name in PLACES:
        return importlib.import_module(f".{PLACES[name]}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
