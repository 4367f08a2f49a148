"""`Module`: a container of parameters, buffers and other modules, as in PyTorch."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from ..core import hot
from ..core.gradients import clear_gradients
from ..core.node import RemovableHandle
from ..core.tensor import Tensor
from .parameter import Parameter
from .state import Incompatible, load, save

Self = TypeVar("Self", bound="Module")


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


class Module:
    """The base class of all layers and models: assign parameters and modules as attributes,
    define `forward`, and call the module."""

    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _transient_buffers: set[str]
    _forward_pre_hooks: dict[int, Callable[..., Any]]
    _forward_hooks: dict[int, Callable[..., Any]]
    _called: str | None

    def __init__(self) -> None:
        own = self.__dict__
        own["training"] = True
        own["_parameters"] = {}
        own["_buffers"] = {}
        own["_modules"] = {}
        own["_transient_buffers"] = set()
        own["_forward_pre_hooks"] = {}
        own["_forward_hooks"] = {}
        own["_called"] = None  # the name under which a parent holds this module

    # ---------------------------------------------------------------------------- calling

    def forward(self, *inputs: Any, **named: Any) -> Any:
        """What the module computes; subclasses define it."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        observer = hot.observer
        if observer is None:
            return self._run(inputs, named)
        kind = self._get_name()
        name = f"{self._called}: {kind}" if self._called is not None else kind
        observer.scope("module", name, True)
        try:
            return self._run(inputs, named)
        finally:
            observer.scope("module", name, False)

    def _run(self, inputs: tuple[Any, ...], named: dict[str, Any]) -> Any:
        for hook in tuple(self._forward_pre_hooks.values()):
            changed = hook(self, inputs)
            if changed is not None:
                inputs = changed if isinstance(changed, tuple) else (changed,)
        result = self.forward(*inputs, **named)
        for hook in tuple(self._forward_hooks.values()):
            changed = hook(self, inputs, result)
            if changed is not None:
                result = changed
        return result

    def register_forward_pre_hook(self, hook: Callable[[Module, Any], Any]) -> RemovableHandle:
        """Call `hook(module, inputs)` before each forward; what it returns replaces inputs."""
        return RemovableHandle(self._forward_pre_hooks, hook)

    def register_forward_hook(self, hook: Callable[[Module, Any, Any], Any]) -> RemovableHandle:
        """Call `hook(module, inputs, output)` after each forward; may replace the output."""
        return RemovableHandle(self._forward_hooks, hook)

    # ------------------------------------------------------------------------ registering

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under a name; None holds the place of one that is not there."""
        self._check_name("parameter", name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{_type_name(param)}' object to parameter '{name}' "
                "(torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be "
                f"created explicitly. To express '{name}' as a function of another Tensor, "
                "compute the value in the forward() method."
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is state but no parameter; `persistent` ones are saved."""
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{_type_name(tensor)}' object to buffer '{name}' "
                "(torch Tensor or None required)"
            )
        self._buffers[name] = tensor
        (self._transient_buffers.discard if persistent else self._transient_buffers.add)(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a child module under a name."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{_type_name(module)} is not a Module subclass")
        self._check_name("module", name, self._modules)
        self._modules[name] = module
        if module is not None:
            module.__dict__["_called"] = name

    register_module = add_module

    def _check_name(self, kind: str, name: Any, register: Mapping[str, object]) -> None:
        if "_parameters" not in self.__dict__:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {_type_name(name)}")
        if hasattr(self, name) and name not in register:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            got = f", got: {name}" if kind == "module" else ""
            raise KeyError(f'{kind} name can\'t contain "."{got}')
        if not name:
            raise KeyError(f'{kind} name can\'t be empty string ""')

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if isinstance(value, Parameter):
            self._take_over(name, "parameter")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            self._take_over(name, "module")
            own["_modules"][name] = value
            value.__dict__["_called"] = name
        elif kind := self._kind_of(name):
            accepts = value is None or (kind == "buffer" and isinstance(value, Tensor))
            words = _KINDS[kind]
            if not accepts:
                raise TypeError(
                    f"cannot assign '{_type_name(value)}' as {words.member} '{name}' "
                    f"({words.accepted} expected)"
                )
            own[words.register][name] = value
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

    def _kind_of(self, name: str) -> str | None:
        own = self.__dict__
        if "_parameters" not in own:
            return None
        return next((kind for kind, words in _KINDS.items() if name in own[words.register]), None)

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for words in _KINDS.values():
            register = own.get(words.register)
            if register is not None and name in register:
                return register[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        kind = self._kind_of(name)
        if kind is None:
            object.__delattr__(self, name)
        else:
            del self.__dict__[_KINDS[kind].register][name]
            self._transient_buffers.discard(name)

    def __dir__(self) -> list[str]:
        names = {*object.__dir__(self)}
        return sorted(names.union(*(self.__dict__[k.register] for k in _KINDS.values())))

    # --------------------------------------------------------------------------- visiting

    def named_modules(
        self,
        memo: set[Module] | None = None,
        prefix: str = "",
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Module]]:
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

    def modules(self) -> Iterator[Module]:
        """This module and all below it, each once."""
        for _, module in self.named_modules():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The direct children with their names, each once."""
        seen: set[Module] = set()
        for name, child in self._modules.items():
            if child is not None and child not in seen:
                seen.add(child)
                yield name, child

    def children(self) -> Iterator[Module]:
        """The direct children, each once."""
        for _, child in self.named_children():
            yield child

    def _named_members(
        self, register: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        holders = (
            self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
            if recurse
            else iter([(prefix, self)])
        )
        seen: set[int] = set()
        for path, holder in holders:
            for name, member in holder.__dict__[register].items():
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield (f"{path}.{name}" if path else name), member

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """All parameters with their paths (`"fc1.weight"`)."""
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters, as optimizers want them."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """All buffers with their paths."""
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> Module:
        """The module with this path; AttributeError if there is none."""
        found = self
        for name in target.split(".") if target else ():
            if not hasattr(found, name):
                raise AttributeError(f"{found._get_name()} has no attribute `{name}`")
            found = getattr(found, name)
            if not isinstance(found, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return found

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
            raise AttributeError(f"{holder._get_name()} has no attribute `{name}`")
        return getattr(holder, name)

    # ------------------------------------------------------------------- changing them all

    def apply(self: Self, fn: Callable[[Module], object]) -> Self:
        """Call `fn` on every module below, then on this one."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    def train(self: Self, mode: bool = True) -> Self:
        """Set training mode here and below."""
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

    def state_dict(self, *, prefix: str = "") -> OrderedDict[str, Tensor]:
        """All parameters and persistent buffers by path, detached but not copied."""
        return save(self, prefix)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> Incompatible:
        """Copy values in by path (with `assign`, put the tensors themselves in place)."""
        return load(self, state_dict, strict, assign)

    # ------------------------------------------------------------------------------- text

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What the repr says between the module's brackets; subclasses define it."""
        return ""

    def __repr__(self) -> str:
        lines = self.extra_repr().split("\n") if self.extra_repr() else []
        children = [
            f"({name}): " + repr(child).replace("\n", "\n  ")
            for name, child in self._modules.items()
        ]
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({lines[0]})"
        inner = lines + children
        body = "\n  " + "\n  ".join(inner) + "\n" if inner else ""
        return f"{self._get_name()}({body})"


def _type_name(value: object) -> str:
    return value.type() if isinstance(value, Tensor) else type(value).__name__
