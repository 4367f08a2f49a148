"""Special functions (``torch.special``). Its functions are offered where they are written."""

from .core.public import SPACES

globals().update(SPACES["special"])
