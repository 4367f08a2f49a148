"""Special functions (``torch.special``). Its functions are offered where they are written."""

from .absent import refuse_others
from .dispatch.offer import SPACES
from .functions.tensor import attach_methods as _methods  # noqa: F401  (all that is offered is there)

globals().update(SPACES["special"])
refuse_others(__name__)
