"""`Module`: a container of parameters, buffers and other modules, as in PyTorch."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ..arrays import dtypes
from ..arrays.warnings import warn
from ..autograd.accumulate_grad import clear_gradients
from ..autograd.grad_mode import no_grad
from ..functions.creation.factories import empty_like
from ..functions.memory.conversion import parse_to
from ..graph.base import RemovableHandle
from ..graph.tensor import Tensor
from .module_base import (  # noqa: F401  (users find them here)
    register_module_buffer_registration_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from .module_call import (  # noqa: F401  (users find them here)
    ModuleCalls,
    add_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
)
from .module_state import _IncompatibleKeys, empty_state, load, load_own, save, save_own

__all__ = ["Module"]

Self = TypeVar("Self", bound="Module")


class Module(ModuleCalls):
    """The base class of all layers and models: assign parameters and modules as attributes,
    define `forward`, and call the module."""

    _version: int = 1
    _state_dict_pre_hooks: OrderedDict[int, Any]
    _state_dict_hooks: OrderedDict[int, Any]
    _load_state_dict_pre_hooks: OrderedDict[int, Any]
    _load_state_dict_post_hooks: OrderedDict[int, Any]

    # ------------------------------------------------------------------- changing them all

    def apply(self: Self, fn: Callable[[Module], object]) -> Self:
        """Call `fn` on every module below, then on this one."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    def train(self: Self, mode: bool = True) -> Self:
        """Set training mode here and below.

        Raises:
            ValueError: `mode` is no bool.
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self

    def eval(self: Self) -> Self:
        """Set evaluation mode here and below."""
        return self.train(False)

    def requires_grad_(self: Self, requires_grad: bool = True) -> Self:
        """Say for all parameters whether they want gradients."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget all gradients, or fill them with zeros."""
        clear_gradients(self.parameters(), set_to_none)

    def _apply(self: Self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replace the data of all parameters and their gradients, and all buffers, by `fn` of
        them; the parameters stay the same objects."""
        if recurse:
            for child in self.children():
                child._apply(fn)
        with no_grad():
            for parameter in self._parameters.values():
                for tensor in () if parameter is None else (parameter, parameter.grad):
                    if tensor is not None:
                        tensor.data = fn(tensor)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self: Self, *args: Any, **kwargs: Any) -> Self:
        """Convert all floating parameters and buffers: `to(dtype)`, `to(device)`, `to(device,
        dtype)` or `to(tensor)`; `memory_format` is that of those with 4 or 5 dims.

        Raises:
            TypeError: the dtype is not floating.
        """
        device, dtype, non_blocking, _, order = parse_to(*args, **kwargs)
        if dtype is not None and not dtype.is_floating_point:
            raise TypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                f"dtype={dtype}"
            )

        def converted(tensor: Tensor) -> Tensor:
            wanted = dtype if tensor.is_floating_point() else None
            place, kind = device or tensor.device, wanted or tensor.dtype
            if order is not None and tensor.dim() in (4, 5):
                return tensor.to(place, kind, non_blocking, memory_format=order)
            return tensor.to(place, kind, non_blocking)

        return self._apply(converted)

    def to_empty(self: Self, *, device: Any, recurse: bool = True) -> Self:
        """Give all parameters and buffers new memory, with any values in it."""
        return self._apply(lambda tensor: empty_like(tensor, device=device), recurse=recurse)

    def type(self: Self, dst_type: Any) -> Self:
        """Convert all parameters and buffers to one dtype."""
        return self._apply(lambda tensor: tensor.type(dst_type))

    def float(self: Self) -> Self:
        """Floating parameters and buffers as float32."""
        return self._apply(_floating_as(dtypes.float32))

    def double(self: Self) -> Self:
        """Floating parameters and buffers as float64."""
        return self._apply(_floating_as(dtypes.float64))

    def half(self: Self) -> Self:
        """Floating parameters and buffers as float16."""
        return self._apply(_floating_as(dtypes.float16))

    def cpu(self: Self) -> Self:
        """The module itself: it is on the CPU."""
        return self._apply(lambda tensor: tensor.cpu())

    def cuda(self: Self, device: Any = None) -> Self:
        """Raises what a build of PyTorch without CUDA raises, if there are parameters."""
        return self._apply(lambda tensor: tensor.cuda(device))

    def share_memory(self: Self) -> Self:
        """The module itself: there are no worker processes to share with."""
        return self._apply(lambda tensor: tensor.share_memory_())

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Does nothing: there is no compiler here."""

    # ------------------------------------------------------------------------------- state

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> Any:
        """All parameters and persistent buffers by path, detached (unless `keep_vars`) but not
        copied."""
        if args:
            warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html"
                "#torch.nn.Module.state_dict for details.",
                FutureWarning,
            )
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and prefix == "" else prefix
            keep_vars = args[2] if len(args) > 2 and keep_vars is False else keep_vars
        return save(self, empty_state() if destination is None else destination, prefix, keep_vars)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
        """Copy values in by path (with `assign`, put the tensors themselves in place).

        Raises:
            RuntimeError: values do not fit, or with `strict` keys are missing or unexpected.
        """
        return load(self, state_dict, strict, assign)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        save_own(self, destination, prefix, keep_vars)

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        load_own(
            self,
            state_dict,
            prefix,
            local_metadata,
            strict,
            missing_keys,
            unexpected_keys,
            error_msgs,
        )

    def register_state_dict_pre_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call `hook(module, prefix, keep_vars)` before the state dict is made."""
        return add_hook(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, local_metadata)` when the module's part of the
        state dict is made; it may change the dict and returns None."""
        hook._from_public_api = True  # type: ignore[attr-defined]
        return add_hook(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was "
                "previously registered via register_state_dict_post_hook"
            )
        return add_hook(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, local_metadata, strict, missing_keys,
        unexpected_keys, error_msgs)` before the module's part is loaded."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., None], with_module: bool = False
    ) -> RemovableHandle:
        given = (lambda *args: hook(self, *args)) if with_module else hook
        return add_hook(self._load_state_dict_pre_hooks, given)

    def register_load_state_dict_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call `hook(module, incompatible_keys)` when the module and all below it are loaded; it
        may change the lists and returns None."""
        return add_hook(self._load_state_dict_post_hooks, hook)

    # ------------------------------------------------------------------------------- text

    def extra_repr(self) -> str:
        """Return the text between the brackets of the module's repr; subclasses define it."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [
            f"({name}): {_addindent(repr(child), 2)}" for name, child in self._modules.items()
        ]
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({lines[0]})"
        inner = lines + children
        body = "\n  " + "\n  ".join(inner) + "\n" if inner else ""
        return f"{self._get_name()}({body})"


def _addindent(text: str, spaces: int) -> str:
    """A text with all lines but the first and the blank ones moved to the right."""
    first, *others = text.split("\n")
    return "\n".join([first, *(" " * spaces + line if line.strip() else "" for line in others)])


def _floating_as(dtype: dtypes.dtype) -> Callable[[Tensor], Tensor]:
    return lambda tensor: tensor.to(dtype) if tensor.is_floating_point() else tensor
