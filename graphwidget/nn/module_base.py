"""The registers of a module: its parameters, buffers and child modules, by name."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any, ClassVar, NamedTuple

from ..functions.tensor.global_settings import typename
from ..graph import runtime
from ..graph.base import RemovableHandle
from ..graph.tensor import Tensor
from .parameter import Parameter, is_buffer

_EXTRA_STATE = (
    "Reached a code path in Module.{0}_extra_state() that should never be called. Please file an "
    "issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report "
    "this bug."
)


class _Kind(NamedTuple):
    """One of the three registers of a module and PyTorch's words for its members."""

    register: str
    member: str
    accepted: str


_KINDS = {
    "parameter": _Kind("_parameters", "parameter", "torch.nn.Parameter or None"),
    "module": _Kind("_modules", "child module", "torch.nn.Module or None"),
    "buffer": _Kind("_buffers", "buffer", "torch.nn.Buffer, torch.Tensor or None"),
}
_HOOKS = (
    *("_forward_pre_hooks", "_forward_pre_hooks_with_kwargs"),
    *("_forward_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called"),
    *("_backward_pre_hooks", "_backward_hooks"),
    *("_state_dict_pre_hooks", "_state_dict_hooks"),
    *("_load_state_dict_pre_hooks", "_load_state_dict_post_hooks"),
)


REGISTRATIONS: dict[str, OrderedDict[int, Any]] = {kind: OrderedDict() for kind in _KINDS}
"""Hooks of every module, called with what it is about to hold."""


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, name, parameter)` before a module holds one; it may return another."""
    return RemovableHandle(REGISTRATIONS["parameter"], hook)


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, name, buffer)` before a module holds one; it may return another."""
    return RemovableHandle(REGISTRATIONS["buffer"], hook)


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, name, child)` before a module holds one; it may return another."""
    return RemovableHandle(REGISTRATIONS["module"], hook)


def own_method(kind: type, name: str) -> None:
    """Give a class a method of its own in the place of the one that it shares."""
    shared: Any = getattr(kind, name)
    own = FunctionType(
        shared.__code__, shared.__globals__, name, shared.__defaults__, shared.__closure__
    )
    own.__kwdefaults__ = shared.__kwdefaults__
    own.__annotations__, own.__doc__ = shared.__annotations__, shared.__doc__
    own.__qualname__ = f"{kind.__qualname__}.{name}"
    type.__setattr__(kind, name, own)


class OwnMethods:
    """A base of layers that share methods here and have their own in PyTorch: Python's errors of
    wrong arguments name the layer all the same."""

    _own: ClassVar[tuple[str, ...]] = ("__init__", "forward")

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in () if cls.__name__.startswith("_") else cls._own:
            if getattr(cls, name).__qualname__.startswith("_"):
                own_method(cls, name)


class ModuleBase:
    """The part of `Module` that keeps its members and finds them again."""

    dump_patches: ClassVar[bool] = False
    call_super_init: ClassVar[bool] = False
    """True if the constructor passes its arguments on to the next base class."""
    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, ModuleBase | None]
    _non_persistent_buffers_set: set[str]
    __call__: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kind, handed = type(self).__name__, self.call_super_init
        if kwargs and not handed:
            raise TypeError(
                f"{kind}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
            )
        if args and not handed:
            raise TypeError(
                f"{kind}.__init__() takes 1 positional argument but {len(args) + 1} were given"
            )
        own = self.__dict__
        own["training"] = True
        own["_parameters"] = {}
        own["_buffers"] = {}
        own["_non_persistent_buffers_set"] = set()
        own["_modules"] = {}
        for hooks in _HOOKS:
            own[hooks] = OrderedDict()
        own["_is_full_backward_hook"] = None  # which of the two kinds `_backward_hooks` holds
        if handed:
            super().__init__(*args, **kwargs)

    # ------------------------------------------------------------------------ registering

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under a name; None holds the place of one that is not there."""
        self._check_name("parameter", name, self._register_of("parameter"))
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' "
                "(torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be "
                f"created explicitly. To express '{name}' as a function of another Tensor, "
                "compute the value in the forward() method."
            )
        if param is not None:
            param = self._registering("parameter", name, param)
        self._parameters[name] = param
        if runtime.observer is not None and param is not None:
            runtime.observer.bind([(type(self).__name__, name, param)])

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is state but no parameter; `persistent` ones are saved."""
        self._check_name("buffer", name, self._register_of("buffer"))
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' "
                "(torch Tensor or None required)"
            )
        self._buffers[name] = self._registering("buffer", name, tensor)
        transient = self._non_persistent_buffers_set
        (transient.discard if persistent else transient.add)(name)

    def add_module(self, name: str, module: ModuleBase | None) -> None:
        """Add a child module under a name."""
        if not isinstance(module, ModuleBase) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self._check_name("module", name, self._modules)
        self._hold(name, module)

    def _hold(self, name: str, module: Any) -> None:
        """Put a child module into its place, from where it and its parameters have names."""
        self._modules[name] = module = self._registering("module", name, module)
        if module is None:
            return
        if runtime.observer is not None:
            within = type(self).__name__
            members = ModuleBase.named_parameters(module, prefix=name)
            runtime.observer.bind((within, path, member) for path, member in members)

    def register_module(self, name: str, module: ModuleBase | None) -> None:
        """Like `add_module`."""
        self.add_module(name, module)

    def _registering(self, kind: str, name: str, member: Any) -> Any:
        """Return the member to register under a name, after the registration hooks."""
        for hook in REGISTRATIONS[kind].values():
            changed = hook(self, name, member)
            member = member if changed is None else changed
        return member

    def _register_of(self, kind: str) -> dict[str, Any]:
        """The register of a kind; AttributeError if there is none yet."""
        register: dict[str, Any] | None = self.__dict__.get(_KINDS[kind].register)
        if register is None:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        return register

    def _check_name(self, kind: str, name: Any, register: Mapping[str, object]) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if hasattr(self, name) and name not in register:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            got = f", got: {name}" if kind == "module" else ""
            raise KeyError(f'{kind} name can\'t contain "."{got}')
        if not name:
            raise KeyError(f'{kind} name can\'t be empty string ""')

    # ------------------------------------------------------------------------- attributes

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if isinstance(value, Parameter):
            self._take_over(name, "parameter")
            self.register_parameter(name, value)
        elif (kind := self._kind_of(name)) == "parameter" and value is not None:
            raise _misfit(value, _KINDS["parameter"], name)
        elif isinstance(value, ModuleBase):
            self._take_over(name, "module")
            self._hold(name, value)
        elif is_buffer(value):
            self._take_over(name, "buffer")
            self.register_buffer(name, value, value.persistent)
        elif kind is not None:
            if not (value is None or (kind == "buffer" and isinstance(value, Tensor))):
                raise _misfit(value, _KINDS[kind], name)
            own[_KINDS[kind].register][name] = self._registering(kind, name, value)
        else:
            object.__setattr__(self, name, value)

    def _take_over(self, name: str, kind: str) -> None:
        """Free a name that something else holds, before a `kind` gets it."""
        own = self.__dict__
        target = _KINDS[kind].register
        if target not in own:
            plural = "parameters" if kind == "parameter" else kind
            raise AttributeError(f"cannot assign {plural} before Module.__init__() call")
        own.pop(name, None)
        for words in _KINDS.values():
            if words.register != target:
                own[words.register].pop(name, None)
        own["_non_persistent_buffers_set"].discard(name)

    def _kind_of(self, name: str) -> str | None:
        own = self.__dict__
        if "_parameters" not in own:
            return None
        return next((kind for kind, words in _KINDS.items() if name in own[words.register]), None)

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for register in ("_parameters", "_buffers", "_modules"):
            members = own.get(register)
            if members is not None and name in members:
                return members[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        kind = self._kind_of(name)
        if kind is None:
            object.__delattr__(self, name)
        else:
            del self.__dict__[_KINDS[kind].register][name]
            self._non_persistent_buffers_set.discard(name)

    def __dir__(self) -> list[str]:
        names = {*object.__dir__(self)}
        names = names.union(*(self.__dict__[kind.register] for kind in _KINDS.values()))
        return sorted(name for name in names if not name[:1].isdigit())

    # --------------------------------------------------------------------------- visiting

    def named_modules(
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, ModuleBase]]:
        """This module and all below it with their paths (`"fc1"`, `"body.0"`; "" for itself)."""
        seen = set() if memo is None else memo
        if self in seen:
            return
        if remove_duplicate:
            seen.add(self)
        yield prefix, self
        for name, child in self._modules.items():
            if child is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from child.named_modules(seen, path, remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[ModuleBase]:
        """This module and all below it, each once."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_children(self) -> Iterator[tuple[str, ModuleBase]]:
        """The direct children with their names, each once."""
        seen: set[ModuleBase] = set()
        for name, child in self._modules.items():
            if child is not None and child not in seen:
                seen.add(child)
                yield name, child

    def children(self) -> Iterator[ModuleBase]:
        """The direct children, each once."""
        for _, child in self.named_children():
            yield child

    def _named_members(
        self, register: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        holders: Any = [(prefix, self)]
        if recurse:
            holders = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        seen: set[int] = set()
        for path, holder in holders:
            for name, member in getattr(holder, register).items():
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield (f"{path}.{name}" if path else name), member

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """All parameters with their paths (`"fc1.weight"`)."""
        yield from self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters, as optimizers want them."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """All buffers with their paths."""
        yield from self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    # ------------------------------------------------------------------------- by path

    def get_submodule(self, target: str) -> ModuleBase:
        """The module with this path; AttributeError if there is none."""
        found: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(found, name):
                raise AttributeError(f"{type(found).__name__} has no attribute `{name}`")
            found = getattr(found, name)
            if not isinstance(found, ModuleBase):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return found  # type: ignore[no-any-return]

    def set_submodule(self, target: str, module: ModuleBase, strict: bool = False) -> None:
        """Put a module at a path; with `strict` something must be there already."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, ModuleBase):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{type(parent).__name__} has no attribute `{name}`")
        if not isinstance(getattr(parent, name, module), ModuleBase):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter with this path; AttributeError if there is none."""
        found = self._member(target)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{target.rpartition('.')[2]}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer with this path; AttributeError if there is none."""
        path, _, name = target.rpartition(".")
        found = self._member(target)
        if name not in self.get_submodule(path)._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        assert isinstance(found, Tensor)
        return found

    def _member(self, target: str) -> object:
        path, _, name = target.rpartition(".")
        holder = self.get_submodule(path)
        if not hasattr(holder, name):
            raise AttributeError(f"{type(holder).__name__} has no attribute `{name}`")
        return getattr(holder, name)

    def get_extra_state(self) -> Any:
        """Return further state for the state dict; subclasses define it together with
        `set_extra_state`."""
        raise RuntimeError(_EXTRA_STATE.format("get"))

    def set_extra_state(self, state: Any) -> None:
        """Take back what `get_extra_state` returned."""
        raise RuntimeError(_EXTRA_STATE.format("set"))


def _misfit(value: object, kind: _Kind, name: str) -> TypeError:
    return TypeError(
        f"cannot assign '{typename(value)}' as {kind.member} '{name}' ({kind.accepted} expected)"
    )
