"""Linear algebra (``torch.linalg``). Its functions are offered where they are written."""

from .absent import refuse_others
from .arrays.kernel_errors import LinAlgError  # noqa: F401
from .dispatch.offer import SPACES
from .functions.tensor import attach_methods as _methods  # noqa: F401  (all that is offered is there)

globals().update(SPACES["linalg"])
refuse_others(__name__)
