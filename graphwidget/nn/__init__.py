"""Building blocks of models, as in `torch.nn`: each file says with `__all__` what it adds."""

import sys as _sys

from ..absent import refuse_others
from ..dispatch.offer import FUNCTIONS as _FUNCTIONS
from ..dispatch.offer import set_home_module as _set_home_module
from . import functional, init, parameter
from . import rnn_functions as _rnn_functions  # offers torch.lstm and its like
from .activation import *
from .attention import *
from .container import *
from .conv import *
from .linear import *
from .loss import *
from .module import *
from .normalization import *
from .parallel import *
from .parameter import *
from .parameter_container import *
from .pooling import *
from .reshaping import *
from .rnn import *
from .rnn_cell import *
from .transformer import *

# isort: split
from . import utils  # its files import layers

_set_home_module(__name__.rpartition(".")[0], _FUNCTIONS)
_set_home_module(functional.__name__, vars(functional))

modules = _sys.modules[__name__]
"""PyTorch's place of the modules' files."""

refuse_others(__name__)
