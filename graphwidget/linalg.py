"""Linear algebra (``torch.linalg``). Its functions are offered where they are written."""

from .core import methods as _methods  # noqa: F401  (all that is offered is there)
from .core.linalg import LinAlgError  # noqa: F401
from .core.public import SPACES

globals().update(SPACES["linalg"])
