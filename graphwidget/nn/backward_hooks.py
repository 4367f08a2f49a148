"""Backward hooks of modules: identity nodes at inputs and outputs see the gradients pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..arrays.warnings import warn
from ..autograd.function import Function
from ..autograd.grad_mode import is_grad_enabled
from ..graph.tensor import Tensor

NO_INPUT_GRADIENTS = (
    "Full backward hook is firing when gradients are computed with respect to module outputs "
    "since no inputs require gradients. See "
    "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
    "#torch.nn.Module.register_full_backward_hook for more details."
)


class BackwardHookFunction(Function):
    """The identity, whose node carries a module's hooks."""

    @staticmethod
    def forward(ctx: Any, *tensors: Tensor) -> tuple[Tensor, ...]:
        """The tensors themselves."""
        ctx.mark_non_differentiable(*(each for each in tensors if not each.requires_grad))
        return tensors

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, ...]:
        """The gradients themselves."""
        return grads


class ModuleGradients:
    """Gradients that one call of a module passes to its full backward hooks."""

    def __init__(
        self, module: Any, hooks: list[Callable[..., Any]], pre_hooks: list[Callable[..., Any]]
    ) -> None:
        self.module = module
        self.hooks = hooks
        self.pre_hooks = pre_hooks
        self.inputs: list[int] | None = None  # which arguments are tensors; None: no gradients
        self.outputs: list[int] | None = None
        self.input_count = self.output_count = 0
        self.grad_outputs: tuple[Any, ...] | None = None

    def watch_inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, those that are tensors as outputs of a hooked node."""
        self.input_count = len(args)
        args, self.inputs = _apply_on_tensors(args, self._run_post_hooks)
        return args

    def watch_outputs(self, result: Any) -> Any:
        """The module's output, through another hooked node."""
        several = isinstance(result, tuple)
        outputs = result if several else (result,)
        self.output_count = len(outputs)
        outputs, self.outputs = _apply_on_tensors(outputs, self._run_pre_hooks)
        return outputs if several else outputs[0]

    def _run_pre_hooks(self, _: Any, grads: tuple[Any, ...]) -> Any:
        """The gradients of the outputs are known: the pre hooks may replace them."""
        assert self.outputs is not None
        found = self._run_hooks(
            _pack_with_none(self.outputs, grads, self.output_count), self.pre_hooks,
            "pre hook returned an invalid number of grad_output",
        )  # fmt: skip
        self.grad_outputs = found
        if self.inputs is None:
            self._without_inputs(found)
        return tuple(found[place] for place in self.outputs)

    def _run_hooks(self, grads: Any, hooks: Any, wrong: str, *others: Any) -> Any:
        """Gradients as the hooks leave them.

        Raises:
            RuntimeError: one returned more or fewer.
        """
        for hook in hooks:
            changed = hook(self.module, grads, *others)
            if changed is None:
                continue
            if len(changed) != len(grads):
                raise RuntimeError(
                    f"Backward {wrong}, got {len(changed)}, but expected {len(grads)}"
                )
            grads = changed
        return grads

    def _without_inputs(self, grads: tuple[Any, ...]) -> None:
        warn(NO_INPUT_GRADIENTS)
        nothing = (None,) * self.input_count
        for hook in self.hooks:
            changed = hook(self.module, nothing, grads)
            if changed is not None and not (
                isinstance(changed, tuple) and all(each is None for each in changed)
            ):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always "
                    "return None or None for all gradients."
                )
        self.grad_outputs = None

    def _run_post_hooks(self, grads: tuple[Any, ...], _: Any) -> Any:
        """The gradients of the inputs are known: the hooks may replace them."""
        if self.grad_outputs is None:  # they came on another way, as in double backward
            return None
        assert self.inputs is not None
        found = self._run_hooks(
            _pack_with_none(self.inputs, grads, self.input_count), self.hooks,
            "hook returned an invalid number of grad_input", self.grad_outputs,
        )  # fmt: skip
        self.grad_outputs = None
        return tuple(found[place] for place in self.inputs)


def _apply_on_tensors(
    values: tuple[Any, ...], hook: Callable[..., Any]
) -> tuple[tuple[Any, ...], list[int] | None]:
    """The values, tensors replaced by outputs of a node that has the hook, and their places;
    as they are, and None, when no gradient will come."""
    places = [place for place, value in enumerate(values) if isinstance(value, Tensor)]
    if not (is_grad_enabled() and any(values[place].requires_grad for place in places)):
        return values, None
    tensors = BackwardHookFunction.apply(*(values[place] for place in places))
    node = next(each.grad_fn for each in tensors if each.grad_fn is not None)
    node.register_hook(hook)
    replaced = list(values)
    for place, tensor in zip(places, tensors, strict=True):
        replaced[place] = tensor
    if type(values) is tuple:
        return tuple(replaced), places
    return type(values)(*replaced), places  # a named tuple


def _pack_with_none(places: Sequence[int], grads: Sequence[Any], count: int) -> tuple[Any, ...]:
    """The gradients at the places of their tensors, None elsewhere."""
    found: list[Any] = [None] * count
    for place, grad in zip(places, grads, strict=True):
        found[place] = grad
    return tuple(found)


def hook_old_style(
    module: Any, hooks: list[Callable[..., Any]], args: tuple[Any, ...], result: Any
) -> None:
    """Old backward hooks: on the node of the (first) output alone."""
    tensor = result
    while not isinstance(tensor, Tensor):
        if isinstance(tensor, dict):
            tensor = next(each for each in tensor.values() if isinstance(each, Tensor))
        else:
            tensor = tensor[0]
    node = tensor.grad_fn
    if node is None:
        return
    for hook in hooks:
        node.register_hook(_of_module(hook, module))
    _warn_about_old_style(args, result, node)


def _of_module(hook: Callable[..., Any], module: Any) -> Callable[..., Any]:
    return lambda inputs, outputs: hook(module, inputs, outputs)


_ADVICE = " Please use register_full_backward_hook to get the documented behavior."


def _warn_about_old_style(args: Any, result: Any, node: Any) -> None:
    """PyTorch's warnings where the old hooks see less than their names promise."""
    found = _blind_spot(args, result, node)
    if found is not None:
        use, missing = found
        warn(
            f"Using {use} is deprecated and will be removed in future versions. This hook will be "
            f"missing some {missing}",
            FutureWarning,
        )


def _blind_spot(args: Any, result: Any, node: Any) -> tuple[str, str] | None:
    """The use that is deprecated, and what its hooks do not see."""
    for values, verb, grads in ((result, "return", "output"), (args, "take as input", "input")):
        each_a_tensor = isinstance(values, tuple) and all(isinstance(v, Tensor) for v in values)
        if not isinstance(values, Tensor) and not each_a_tensor:
            use = f"non-full backward hooks on a Module that does not {verb} a single Tensor"
            return f"{use} or a tuple of Tensors", f"of the grad_{grads}.{_ADVICE}"
    results = (result,) if isinstance(result, Tensor) else result
    nodes = {each.grad_fn for each in results if each.grad_fn is not None}
    use = "a non-full backward hook when "
    if not nodes or (len(nodes) == 1 and node not in nodes):
        return use + "outputs are nested in python data structure", "grad_output."
    if len(nodes) > 1:
        return use + "outputs are generated by different autograd Nodes", "grad_output." + _ADVICE
    before = {each.grad_fn for each in args if each.grad_fn is not None}
    if before != {each for each, _ in node.next_functions}:
        return use + "the forward contains multiple autograd Nodes", "grad_input." + _ADVICE
    return None
