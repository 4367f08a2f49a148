"""Linear algebra (``torch.linalg``). Its functions are offered where they are written."""

from .dispatch.offer import SPACES
from .functions.linalg.solve import LinAlgError  # noqa: F401
from .functions.tensor import attach_methods as _methods  # noqa: F401  (all that is offered is there)

globals().update(SPACES["linalg"])
