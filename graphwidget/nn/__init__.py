"""Building blocks of models, as in `torch.nn`."""

from . import functional, init, parameter
from .activation import ReLU, Sigmoid, Tanh
from .container import ModuleDict, ModuleList, Sequential
from .linear import Identity, Linear
from .loss import MSELoss
from .module import Module
from .parameter import Buffer, Parameter
from .parameter_container import ParameterDict, ParameterList

__all__ = [
    "Buffer",
    "Identity",
    "Linear",
    "MSELoss",
    "Module",
    "ModuleDict",
    "ModuleList",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "ReLU",
    "Sequential",
    "Sigmoid",
    "Tanh",
    "functional",
    "init",
    "parameter",
]
