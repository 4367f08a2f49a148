"""Building blocks of models, as in `torch.nn`."""

from . import functional, init
from .activation import ReLU, Sigmoid, Tanh
from .container import ModuleDict, ModuleList, Sequential
from .linear import Identity, Linear
from .loss import MSELoss
from .module import Module
from .parameter import Parameter

__all__ = [
    "Identity",
    "Linear",
    "MSELoss",
    "Module",
    "ModuleDict",
    "ModuleList",
    "Parameter",
    "ReLU",
    "Sequential",
    "Sigmoid",
    "Tanh",
    "functional",
    "init",
]
