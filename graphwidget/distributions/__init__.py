"""Probability distributions that give gradients, as in `torch.distributions`."""

from ..absent import refuse_others
from . import constraints, kl
from .bernoulli import Bernoulli
from .categorical import Categorical
from .distribution import Distribution
from .kl import kl_divergence, register_kl
from .normal import Normal
from .uniform import Uniform

__all__ = [
    "Bernoulli", "Categorical", "Distribution", "Normal", "Uniform", "constraints", "kl",
    "kl_divergence", "register_kl",
]  # fmt: skip

refuse_others(__name__)
