"""The few names of PyTorch's C++ module that programs use with `__torch_function__`."""

from .absent import refuse_others
from .dispatch.torch_function_modes import OverridesOff, disabled, state
from .graph.tensor import Tensor as TensorBase  # noqa: F401

_disabled_torch_function_impl = disabled


class DisableTorchFunctionSubclass(OverridesOff):
    """Inside, classes of users are treated as plain tensors; modes go on."""

    def __init__(self) -> None:
        super().__init__(1)


class DisableTorchFunction(OverridesOff):
    """Inside, nobody is asked what functions do."""

    def __init__(self) -> None:
        super().__init__(2)


def _is_torch_function_enabled() -> bool:
    """Return whether classes are asked."""
    return state.off == 0


def _is_torch_function_all_disabled() -> bool:
    """Return whether nobody is asked."""
    return state.off == 2


def _len_torch_function_stack() -> int:
    """Return how many modes are on."""
    return len(state.modes)


refuse_others(__name__)
