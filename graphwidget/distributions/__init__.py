"""Probability distributions that give gradients, as in `torch.distributions`."""

import importlib
from typing import Any

from ..absent import refuse
from . import constraints, kl, transforms
from .bernoulli_categorical import Bernoulli, Categorical
from .constraint_registry import biject_to, transform_to
from .continuous import Cauchy, Exponential, Laplace, Normal, Uniform
from .counts import Binomial, Geometric, Multinomial, NegativeBinomial, Poisson
from .distribution import Distribution
from .exp_family import ExponentialFamily
from .gamma_beta import Beta, Chi2, Dirichlet, Gamma, StudentT
from .independent import Independent
from .kl import kl_divergence, register_kl
from .lkj_cholesky import LKJCholesky
from .lowrank_multivariate_normal import LowRankMultivariateNormal
from .mixture_same_family import MixtureSameFamily
from .multivariate_normal import MultivariateNormal
from .one_hot_relaxed import (
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
    RelaxedBernoulli,
    RelaxedOneHotCategorical,
)
from .pareto_weibull import InverseGamma, Pareto, Weibull
from .torch_modules import MODULES
from .transformed_distribution import (
    Gumbel,
    HalfCauchy,
    HalfNormal,
    LogisticNormal,
    LogNormal,
    TransformedDistribution,
)
from .transforms import *  # noqa: F403
from .unit_interval import ContinuousBernoulli, Kumaraswamy
from .von_mises import VonMises

__all__ = [
    "Bernoulli", "Beta", "Binomial", "Categorical", "Cauchy", "Chi2", "ContinuousBernoulli",
    "Dirichlet", "Distribution", "Exponential", "ExponentialFamily", "Gamma",
    "Geometric", "Gumbel", "HalfCauchy", "HalfNormal", "Independent",
    "InverseGamma", "Kumaraswamy", "LKJCholesky", "Laplace", "LogNormal", "LogisticNormal",
    "LowRankMultivariateNormal", "MixtureSameFamily", "Multinomial", "MultivariateNormal",
    "NegativeBinomial", "Normal", "OneHotCategorical", "OneHotCategoricalStraightThrough",
    "Pareto", "Poisson", "RelaxedBernoulli", "RelaxedOneHotCategorical", "StudentT",
    "TransformedDistribution", "Uniform", "VonMises", "Weibull", "biject_to",
    "constraints", "kl", "kl_divergence", "register_kl", "transform_to", "transforms",
    *transforms.__all__,
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """PyTorch's modules by their names there (``distributions.normal.Normal``)."""
    if name in MODULES:
        return importlib.import_module(f".{MODULES[name]}", __name__)
    return refuse(__name__, name)
