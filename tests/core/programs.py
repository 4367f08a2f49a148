"""Random programs over views, in-place writes, grad modes and backward passes.

A program is a list of statements in Python, written while they run on PyTorch: each next
statement is chosen by what the variables are by then.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import torch

from tests.core.machine import Machine, Step

SHAPES = ["", "2", "3", "2 3", "3 2", "2 2", "1 3", "2 1", "2 2 2", "4"]
UNARY = ["exp", "neg", "tanh", "sigmoid", "relu", "abs", "sqrt", "square", "log", "clone"]
SIGNS = ["+", "-", "*", "/", "*", "*"]
IN_PLACE = ["add_", "mul_", "sub_", "div_"]
IN_PLACE_ALONE = ["exp_", "tanh_", "sigmoid_", "relu_", "neg_", "zero_", "sqrt_", "abs_"]
CAPACITY = 7


class Writer:
    """Writes one random program while running it on PyTorch."""

    def __init__(self, seed: int, length: int = 24) -> None:
        self.random = random.Random(seed)
        self.machine = Machine(torch)
        self.steps: list[Step] = []
        self.over = False
        self.made = 0
        self.dtype = self.random.choice(["torch.float64", "torch.float64", "torch.float32"])
        for _ in range(self.random.randint(1, 3)):
            self.add(self.factory())

        while len(self.steps) < length and not self.over:
            self.add(self.statement())
        if not self.over:
            self.add("pass", check=True)

    def add(self, text: str, check: bool | None = None) -> None:
        error, warned = self.machine.execute(text)
        if error and "INTERNAL ASSERT" in error[1]:  # a fault of PyTorch's: the program ends here
            self.over = True
            return
        check = self.random.random() < 0.35 if check is None else check
        state = self.machine.look() if check else None
        self.steps.append(Step(text, error, warned, state))

    # -------------------------------------------------------------------------- choosing

    def some(self, options: Iterable[Any]) -> Any:
        return self.random.choice(list(options))

    def chance(self, likelihood: float) -> bool:
        return self.random.random() < likelihood

    def pick(self, wanted: Callable[[Any], bool] = lambda tensor: True) -> str:
        """The name of a variable, of a wanted kind if there is one; recent ones more often."""
        tensors = self.machine.tensors()
        names = [name for name, tensor in tensors.items() if wanted(tensor)] or list(tensors)
        recent = names[-3:]
        return str(self.some(recent if self.chance(0.6) else names))

    def target(self) -> str:
        names = list(self.machine.tensors())
        if len(names) >= CAPACITY or (names and self.chance(0.12)):
            return str(self.some(names))
        self.made += 1
        return f"t{self.made}"

    def get(self, name: str) -> Any:
        return self.machine.names[name]

    def number(self) -> str:
        return str(self.some(["2", "0.5", "-1", "1.5", "3.", "1", "-2.0"]))

    def fitting(self, name: str) -> str:
        """A variable that broadcasts with this one, or a number."""
        shape = self.get(name).shape
        if self.chance(0.3):
            return self.number()

        def fits(tensor: Any) -> bool:
            try:
                torch.broadcast_shapes(tensor.shape, shape)
            except RuntimeError:
                return False
            return True

        return self.pick(fits) if self.chance(0.95) else self.pick()

    def dim(self, name: str) -> int:
        dims = self.get(name).ndim
        return self.random.randint(-dims, dims - 1) if dims else 0

    # ------------------------------------------------------------------------ statements

    def factory(self) -> str:
        shape = [int(size) for size in str(self.some(SHAPES)).split()]
        count = 1
        for size in shape:
            count *= size
        values: Any = [self.some([-2.0, -1.0, -0.5, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 0.0])
                       for _ in range(count)]  # fmt: skip
        for size in reversed(shape[1:]):
            values = [values[at : at + size] for at in range(0, len(values), size)]
        grad = ", requires_grad=True" if self.chance(0.65) else ""
        values = values if shape else values[0]
        return f"{self.target()} = torch.tensor({values}, dtype={self.dtype}{grad})"

    def statement(self) -> str:
        kinds: list[tuple[Callable[[], str], float]] = [
            (self.factory, 3), (self.unary, 10), (self.binary, 16), (self.reduce, 6),
            (self.matmul, 4), (self.view, 18), (self.join, 3), (self.choose, 4),
            (self.in_place, 19), (self.assign, 11), (self.without_grad, 8), (self.flag, 4),
            (self.backward, 14), (self.differentiate, 6), (self.gradient, 4), (self.hook, 3),
            (self.forget, 2), (self.convert, 2),
        ]  # fmt: skip
        if not self.machine.tensors():
            return self.factory()
        functions, weights = zip(*kinds, strict=True)
        chosen: Callable[[], str] = self.random.choices(functions, weights)[0]
        return chosen()

    def unary(self) -> str:
        name, source = self.some(UNARY), self.pick()
        form = f"torch.{name}({source})" if self.chance(0.3) else f"{source}.{name}()"
        return f"{self.target()} = {form}"

    def binary(self) -> str:
        first = self.pick()
        second = self.fitting(first)
        sign = self.some(SIGNS)
        if self.chance(0.1):
            power = self.some(["2", "3", "0.5", "-1", "1"])
            return f"{self.target()} = {first} ** {power}"
        if self.chance(0.08):
            second = self.pick(lambda t: t.is_contiguous())
            if not self.mixed(first, second):
                return f"{self.target()} = torch.maximum({first}, {second})"
        if self.mixed(first, second):
            second = self.number()
        if self.chance(0.2):
            first, second = second, first
        return f"{self.target()} = {first} {sign} {second}"

    def mixed(self, first: str, second: str) -> bool:
        """Whether two operands lie in memory in different orders: the layout of the result is
        then PyTorch's choice, and numpy's is another."""
        if second not in self.machine.tensors():
            return False
        return not (self.get(first).is_contiguous() and self.get(second).is_contiguous())

    def reduce(self) -> str:
        source = self.pick()
        dim = self.dim(source)
        form = self.some([
            "sum()", "mean()", "sum()", f"sum({dim})", f"mean({dim}, keepdim=True)",
            f"sum({dim}, keepdim=True)", f"mean({dim})", "max()", "min()", f"max({dim}).values",
        ])  # fmt: skip
        return f"{self.target()} = {source}.{form}"

    def matmul(self) -> str:
        first = self.pick(lambda t: t.ndim in (1, 2))
        inner = self.get(first).shape[-1:]
        second = self.pick(lambda t: t.ndim in (1, 2) and t.shape[:1] == inner)
        return f"{self.target()} = {first} @ {second}"

    def view(self) -> str:
        if self.chance(0.1):
            source = self.pick(lambda t: t.ndim > 0 and t.shape[0] == 2)
            form = self.some(["unbind()", "split(1)", "chunk(2)"])
            if self.chance(0.5):
                return f"{self.target()}, {self.target()} = {source}.{form}"
            return f"{self.target()} = {source}.{form}[0]"
        source = self.pick(lambda t: t.ndim > 0)
        return f"{self.target()} = {source}{self.view_form(source)}"

    def view_form(self, source: str) -> str:
        tensor = self.get(source)
        dim, other = self.dim(source), self.dim(source)
        size = tensor.shape[dim] if tensor.ndim else 1
        index = self.random.randint(-1, max(size - 1, 0))
        order = list(range(tensor.ndim))
        self.random.shuffle(order)
        forms = [
            f"[{index}]", "[0]", "[1:]", "[:1]", "[:]", "[...]", "[None]", "[..., 0]", "[::2]",
            ".view(-1)", ".reshape(-1)", f".transpose({dim}, {other})",
            f".permute({', '.join(map(str, order)) or '()'})", f".unsqueeze({dim})", ".squeeze()",
            f".select({dim}, {index})", f".narrow({dim}, 0, 1)", ".flatten()", ".detach()",
            ".data", f".expand(2, {', '.join(['-1'] * tensor.ndim)})", ".view_as(" + source + ")",
        ]  # fmt: skip
        if tensor.ndim <= 2:
            forms += [".t()"] * 2
        if tensor.ndim == 2:
            forms += [".diagonal()", ".T", "[0, 1]", "[:, 0]", "[1][0]"]
        return str(self.some(forms))

    def join(self) -> str:
        first = self.pick(lambda t: t.ndim > 0)
        shape = self.get(first).shape
        second = self.pick(lambda t: t.shape == shape)
        return f"{self.target()} = torch.{self.some(['cat', 'stack'])}([{first}, {second}])"

    def choose(self) -> str:
        source = self.pick(lambda t: t.ndim > 0)
        form = self.some([
            f"torch.where({source} > 0, {source}, {self.number()})",
            f"{source}[{source} > 0]", f"{source}[[0]]", f"{source}[torch.tensor([0, -1])]",
            f"{source}.masked_fill({source} > 1, 0.5)",
        ])  # fmt: skip
        return f"{self.target()} = {form}"

    def in_place(self, shapes: bool = True) -> str:
        source = self.pick(lambda t: not (t.requires_grad and t.grad_fn is None)
                           if not _broken(t) else False)  # fmt: skip
        if self.chance(0.45):
            return f"{source}.{self.some(IN_PLACE_ALONE)}()"
        if shapes and self.chance(0.08):
            return f"{source}.{self.some(['t_()', 'squeeze_()', 'unsqueeze_(0)'])}"
        if self.chance(0.08):
            return f"{source}.{self.some(['fill_(0.5)', 'pow_(2)', 'masked_fill_(' + source + ' > 0, 0.5)'])}"  # noqa: E501
        operand = self.fitting(source)
        if self.undefined(source, operand):
            operand = self.number()
        if self.chance(0.15):
            return f"{source}.copy_({self.pick() if self.chance(0.5) else operand})"
        if self.chance(0.4):
            return f"{source} {self.some('+-*')}= {operand}"
        return f"{source}.{self.some(IN_PLACE)}({operand})"

    def undefined(self, source: str, operand: str) -> bool:
        """Whether writing one into the other depends on the order of PyTorch's loops: they
        share memory, and it cannot tell because one of them has gaps."""
        if operand not in self.machine.tensors():
            return False
        first, second = self.get(source), self.get(operand)
        shared = first.untyped_storage().data_ptr() == second.untyped_storage().data_ptr()
        dense = torch.ops.aten.is_non_overlapping_and_dense
        if shared and first.numel() == 1:
            return True  # whether one item overlaps itself depends on strides that mean nothing
        return shared and first is not second and not (dense(first) and dense(second))

    def assign(self) -> str:
        source = self.pick(
            lambda t: t.ndim > 0 and (t.grad_fn is not None if not _broken(t) else False)
        )
        place = self.some([
            "[0]", "[-1]", "[1:]", "[:]", "[...]", "[:1]", f"[{source} > 0]", "[[0]]", "[None]",
            "[..., 0]", "[0][0]",
        ])  # fmt: skip
        sign = self.some(["=", "=", "+=", "*="])
        value = self.number() if self.chance(0.6) else self.pick(lambda t: t.ndim < 2)
        if self.undefined(source, value):
            value = self.number()
        return f"{source}{place} {sign} {value}"

    def without_grad(self) -> str:
        # A shape that changes behind its history's back makes backward undefined.
        changed = partial(self.in_place, shapes=False)
        inner = self.some([changed, self.view, self.assign, self.binary, self.view])()
        return f"with torch.no_grad():\n    {inner}"

    def flag(self) -> str:
        source = self.pick(lambda t: t.requires_grad if self.chance(0.8) else True)
        return str(self.some([
            f"{source}.retain_grad()", f"{source}.retain_grad()", f"{source}.requires_grad_()",
            f"{source}.requires_grad = False",
            # A computed tensor that somebody saved may not be detached in place.
            f"{source}.detach_()" if self.get(source)._is_view() else f"{source}.detach()",
            f"{source}.requires_grad_(False)",
        ]))  # fmt: skip

    def backward(self) -> str:
        source = self.pick(lambda t: t.requires_grad)
        keep = self.some(["", "retain_graph=True", "retain_graph=True", "create_graph=True"])
        if self.get(source).numel() == 1 and self.chance(0.8):
            return f"{source}.backward({keep})"
        if self.chance(0.5):
            return f"{source}.sum().backward({keep})"
        if self.chance(0.1):
            return f"{source}.backward({keep})"
        comma = ", " if keep else ""
        return f"{source}.backward(torch.ones_like({source}){comma}{keep})"

    def differentiate(self) -> str:
        output = self.pick(lambda t: t.requires_grad)
        source = self.pick(lambda t: t.requires_grad)
        extra = self.some(["", ", create_graph=True", ", retain_graph=True, allow_unused=True",
                           ", create_graph=True, allow_unused=True"])  # fmt: skip
        if "create" not in extra:
            # A buffer of PyTorch's own may be a view of it: only its numbers are compared.
            form = f"torch.autograd.grad({output}.sum(), {source}{extra})[0].clone()"
            return f"{self.target()} = {form}"
        return f"({self.target()},) = torch.autograd.grad({output}.sum(), {source}{extra})"

    def gradient(self) -> str:
        source = self.pick(lambda t: t.requires_grad)
        return str(self.some([
            f"{source}.grad = None", f"{source}.grad.zero_()", f"{source}.grad",
            f"{self.target()} = {source}.grad", f"{source}.grad = torch.ones_like({source})",
        ]))  # fmt: skip

    def hook(self) -> str:
        # Not on views: PyTorch crashes when one with a hook gets its history made anew.
        tensors = self.machine.tensors().items()
        names = [name for name, t in tensors if t.requires_grad and not t._is_view()]
        if not names:
            return self.factory()
        source = self.some(names)
        return f"{source}.register_hook(lambda g: {self.some(['g * 2', 'None', 'g + 1'])})"

    def forget(self) -> str:
        names = list(self.machine.tensors())
        return f"del {self.some(names)}" if len(names) > 3 else self.factory()

    def convert(self) -> str:
        source = self.pick()
        return f"{self.target()} = {source}.{self.some(['double()', 'float()'])}"


def _broken(tensor: Any) -> bool:
    """Whether looking at a tensor's history raises."""
    try:
        tensor.grad_fn  # noqa: B018
    except RuntimeError:
        return True
    return False


def write(seed: int, length: int = 24) -> list[Step]:
    """The program with this number."""
    return Writer(seed, length).steps
