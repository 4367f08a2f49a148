"""Calling a module: its forward function and the hooks around it, in PyTorch's order."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, ClassVar

from ..arrays.warnings import warn
from ..graph import runtime
from ..graph.base import RemovableHandle
from ..graph.tensor import Tensor
from .backward_hooks import ModuleGradients, hook_old_style
from .module_base import ModuleBase

HookDict = OrderedDict[int, Any]
Flags = OrderedDict[int, bool]
"""Keys of hooks that take keyword arguments, or that always run."""
_TWO_KINDS = (
    "Cannot use both regular backward hooks and full backward hooks on a single Module. "
    "Please use only one of them."
)
_SILENCED = (
    "module forward hook with ``always_call=True`` raised an exception that was silenced as "
    "another error was raised in forward: "
)


class GlobalHooks:
    """Hooks of every module, each called before a module's own."""

    forward_pre: ClassVar[HookDict] = OrderedDict()
    forward: ClassVar[HookDict] = OrderedDict()
    with_kwargs: ClassVar[Flags] = OrderedDict()
    always_called: ClassVar[Flags] = OrderedDict()
    backward_pre: ClassVar[HookDict] = OrderedDict()
    backward: ClassVar[HookDict] = OrderedDict()


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, args)` before each forward of every module."""
    return add_hook(GlobalHooks.forward_pre, hook)


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call `hook(module, args, output)` after each forward of every module."""
    kinds = (GlobalHooks.with_kwargs, with_kwargs), (GlobalHooks.always_called, always_call)
    return add_hook(GlobalHooks.forward, hook, False, *kinds)


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, grad_output)` before the backward of every module."""
    return add_hook(GlobalHooks.backward_pre, hook)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, grad_input, grad_output)` after the backward of every module."""
    return add_hook(GlobalHooks.backward, hook)


class ModuleCalls(ModuleBase):
    """The part of `Module` that runs forward, with what users hooked to it."""

    _forward_pre_hooks: HookDict
    _forward_pre_hooks_with_kwargs: Flags
    _forward_hooks: HookDict
    _forward_hooks_with_kwargs: Flags
    _forward_hooks_always_called: Flags
    _backward_pre_hooks: HookDict
    _backward_hooks: HookDict
    _is_full_backward_hook: bool | None

    def forward(self, *input: Any, **named: Any) -> Any:
        """Compute the module's output; subclasses define it."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        observer = runtime.observer
        if observer is None:
            return self._call_impl(*args, **kwargs)
        observer.scope("module", self, True)
        try:
            return self._call_impl(*args, **kwargs)
        finally:
            observer.scope("module", self, False)

    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        if not (
            self._backward_hooks
            or self._backward_pre_hooks
            or self._forward_hooks
            or self._forward_pre_hooks
            or GlobalHooks.forward_pre
            or GlobalHooks.forward
            or GlobalHooks.backward_pre
            or GlobalHooks.backward
        ):
            return self.forward(*args, **kwargs)
        return _Call(self, args, kwargs).run()

    def _get_name(self) -> str:
        return type(self).__name__

    # -------------------------------------------------------------------------- hooking

    def register_forward_pre_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
    ) -> RemovableHandle:
        """Call `hook(module, args)` before each forward; what it returns replaces the arguments.

        With `with_kwargs` it is `hook(module, args, kwargs)` and returns None or both.
        """
        kind = (self._forward_pre_hooks_with_kwargs, with_kwargs)
        return add_hook(self._forward_pre_hooks, hook, prepend, kind)

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Call `hook(module, args, output)` after each forward; what it returns replaces the
        output. With `always_call` it runs also when forward raised, with output None."""
        return add_hook(
            self._forward_hooks,
            hook,
            prepend,
            (self._forward_hooks_with_kwargs, with_kwargs),
            (self._forward_hooks_always_called, always_call),
        )

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, grad_output)` when the gradients of the outputs are known, before
        the module's own backward; what it returns replaces them."""
        return add_hook(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` when the gradients of the inputs are
        known; what it returns replaces `grad_input`.

        Raises:
            RuntimeError: the module has hooks of the old kind.
        """
        return self._add_backward_hook(hook, True, prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """The old kind: sees only the last op of the module.

        Raises:
            RuntimeError: the module has full backward hooks.
        """
        return self._add_backward_hook(hook, False, False)

    def _add_backward_hook(
        self, hook: Callable[..., Any], full: bool, prepend: bool
    ) -> RemovableHandle:
        if self._is_full_backward_hook is (not full):
            raise RuntimeError(_TWO_KINDS)
        self._is_full_backward_hook = full
        return add_hook(self._backward_hooks, hook, prepend)


def add_hook(
    hooks: HookDict, hook: Any, first: bool = False, *kinds: tuple[Flags, bool]
) -> RemovableHandle:
    """Register a hook, at the end or in first place, and in those flags that are True of it."""
    handle = RemovableHandle(hooks, hook, tuple(flags for flags, wanted in kinds if wanted))
    if first:
        hooks.move_to_end(handle.id, last=False)
    return handle


class _Call:
    """One call of a module that has hooks."""

    def __init__(self, module: ModuleCalls, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.module = module
        self.args = args
        self.kwargs = kwargs
        self.result: Any = None
        self.done: set[int] = set()

    def run(self) -> Any:
        """The module's output."""
        try:
            return self._run()
        except Exception:
            self._after_an_error()
            raise

    def _run(self) -> Any:
        module = self.module
        full = bool(module._is_full_backward_hook)
        backward = list(module._backward_hooks.values())
        every = [*GlobalHooks.backward.values(), *(backward if full else ())]
        before_backward = [*GlobalHooks.backward_pre.values(), *module._backward_pre_hooks.values()]
        for key, hook in (*GlobalHooks.forward_pre.items(), *module._forward_pre_hooks.items()):
            self._before(hook, key in module._forward_pre_hooks_with_kwargs)
        gradients = None
        if every or before_backward:
            gradients = ModuleGradients(module, every, before_backward)
            self.args = gradients.watch_inputs(self.args)
        self.result = module.forward(*self.args, **self.kwargs)
        for key, hook in self._forward_hooks():
            self._after(key, hook)
        if gradients is not None:
            if not isinstance(self.result, Tensor | tuple):
                warn(
                    "For backward hooks to be called, module output should be a Tensor or a "
                    f"tuple of Tensors but received {type(self.result)}",
                )
            self.result = gradients.watch_outputs(self.result)
        if backward and not full:
            hook_old_style(module, backward, self.args, self.result)
        return self.result

    def _before(self, hook: Any, with_kwargs: bool) -> None:
        if not with_kwargs:
            changed = hook(self.module, self.args)
            if changed is not None:
                self.args = changed if isinstance(changed, tuple) else (changed,)
            return
        changed = hook(self.module, self.args, self.kwargs)
        if changed is None:
            return
        if not (isinstance(changed, tuple) and len(changed) == 2):
            raise RuntimeError(
                "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got "
                f"{changed}."
            )
        self.args, self.kwargs = changed

    def _forward_hooks(self) -> tuple[tuple[int, Any], ...]:
        return (*GlobalHooks.forward.items(), *self.module._forward_hooks.items())

    def _after(self, key: int, hook: Any) -> None:
        self.done.add(key)
        with_kwargs = (GlobalHooks.with_kwargs, self.module._forward_hooks_with_kwargs)
        given = (
            (self.args, self.kwargs) if any(key in each for each in with_kwargs) else (self.args,)
        )
        changed = hook(self.module, *given, self.result)
        if changed is not None:
            self.result = changed

    def _after_an_error(self) -> None:
        always = {*GlobalHooks.always_called, *self.module._forward_hooks_always_called}
        for key, hook in self._forward_hooks():
            if key in always and key not in self.done:
                try:
                    self._after(key, hook)
                except Exception as error:
                    warn(f"{_SILENCED}{error}")
