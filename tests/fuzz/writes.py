"""Statements about views and in-place writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from tests.fuzz.writer import Writer

UNARY = ["exp", "neg", "tanh", "sigmoid", "relu", "abs", "sqrt", "square", "log", "clone"]
SIGNS = ["+", "-", "*", "/", "*", "*"]
IN_PLACE = ["add_", "mul_", "sub_", "div_"]
IN_PLACE_ALONE = ["exp_", "tanh_", "sigmoid_", "relu_", "neg_", "zero_", "sqrt_", "abs_"]

if TYPE_CHECKING:
    Base = Writer
else:
    Base = object


def leaf(tensor: Any) -> bool:
    """Return whether this is a leaf that requires grad; of views that is not asked, as the answer
    would make their history anew."""
    return not tensor._is_view() and tensor.requires_grad and tensor.is_leaf


def folded(tensor: Any) -> bool:
    """Return whether items share memory though no stride is 0: PyTorch does not see it."""
    pairs = list(zip(tensor.shape, tensor.stride(), strict=True))
    if any(stride == 0 for _, stride in pairs):
        return False
    reached = sum((size - 1) * stride for size, stride in pairs) + 1
    return bool(tensor.numel() > reached)


class Writes(Base):
    """The statement kinds that were there first: ops on views, and writes through them."""

    def unary(self) -> str:
        name, source = self.some(UNARY), self.pick()
        form = f"torch.{name}({source})" if self.chance(0.3) else f"{source}.{name}()"
        return f"{self.target()} = {form}"

    def binary(self) -> str:
        first = self.pick()
        second = self.fitting(first)
        sign = self.some(SIGNS)
        if self.chance(0.1):
            return f"{self.target()} = {first} ** {self.some(['2', '3', '0.5', '-1', '1', '0'])}"
        if self.chance(0.08):
            second = self.pick()
            return f"{self.target()} = torch.maximum({first}, {second})"
        if self.chance(0.06):
            sign = self.some(["<", ">=", "==", "!=", "//", "%"])
        if self.chance(0.2):
            first, second = second, first
        return f"{self.target()} = {first} {sign} {second}"

    def reduce(self) -> str:
        source = self.pick()
        dim = self.dim(source)
        form = self.some([
            "sum()", "mean()", "sum()", f"sum({dim})", f"mean({dim}, keepdim=True)",
            f"sum({dim}, keepdim=True)", f"mean({dim})", "max()", "min()", f"max({dim}).values",
        ])  # fmt: skip
        return f"{self.target()} = {source}.{form}"

    def matmul(self) -> str:
        first = self.pick(lambda t: t.ndim in (1, 2, 3))
        inner = self.get(first).shape[-1:]
        second = self.pick(
            lambda t: t.ndim in (1, 2, 3) and t.shape[-2 if t.ndim > 1 else 0 :][:1] == inner
        )
        return f"{self.target()} = {first} @ {second}"

    def view(self) -> str:
        if self.chance(0.1):
            source = self.pick(lambda t: t.ndim > 0 and t.shape[0] == 2)
            form = self.some(["unbind()", "split(1)", "chunk(2)", "split([1, 1])"])
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
            f"{source}.masked_fill({source} > 1, 0.5)", f"{source}[:, [0, 0]]",
            f"{source}[..., [0]]", f"{source}[None, [0], 0]",
        ])  # fmt: skip
        return f"{self.target()} = {form}"

    def known(self) -> Callable[[Any], bool]:
        """Tells what may be written: by a look at all histories, or without one."""
        if self.chance(0.6):
            return lambda t: not self.broken(t)
        return lambda t: True

    def in_place(self) -> str:
        known = self.known()
        source = self.pick(lambda t: known(t) and not folded(t) and not leaf(t))
        if folded(self.get(source)):
            return self.factory()
        if self.chance(0.45):
            return f"{source}.{self.some(IN_PLACE_ALONE)}()"
        if self.chance(0.08):
            return f"{source}.{self.some(['t_()', 'squeeze_()', 'unsqueeze_(0)'])}"
        if self.chance(0.08):
            mask = f"masked_fill_({source} > 0, 0.5)"
            return f"{source}.{self.some(['fill_(0.5)', 'pow_(2)', mask])}"
        operand = self.fitting(source)
        if self.undefined(source, operand):
            operand = self.number()
        if self.chance(0.15):
            # copy_ of a number is offered, but a tensor may be anything, except that of zeros
            # without memory PyTorch does not ask the sizes.
            other = self.pick(lambda t: not t._is_zerotensor()) if self.chance(0.5) else operand
            return f"{source}.copy_({other})"
        if self.chance(0.4):
            return f"{source} {self.some('+-*/')}= {operand}"
        return f"{source}.{self.some(IN_PLACE)}({operand})"

    def undefined(self, source: str, operand: str) -> bool:
        """Return whether writing one into the other depends on the order of PyTorch's loops: they
        share memory, and it cannot tell because one of them has gaps."""
        if operand not in self.machine.tensors:
            return False
        first, second = self.get(source), self.get(operand)
        if folded(first):
            return True
        if first._is_zerotensor() or second._is_zerotensor():  # zeros without memory
            return False
        shared = first.untyped_storage().data_ptr() == second.untyped_storage().data_ptr()
        dense = torch.ops.aten.is_non_overlapping_and_dense
        return shared and first is not second and not (dense(first) and dense(second))

    def assign(self) -> str:
        known = self.known()
        source = self.pick(
            lambda t: t.ndim > 0 and known(t) and not folded(t) and not leaf(t) and t.requires_grad
        )
        if folded(self.get(source)):
            return self.factory()
        place = self.some([
            "[0]", "[-1]", "[1:]", "[:]", "[...]", "[:1]", f"[{source} > 0]", "[[0]]", "[None]",
            "[..., 0]", "[0][0]", "[::2]", "[:, [0]]", "[[1, 0]]",
        ])  # fmt: skip
        sign = self.some(["=", "=", "+=", "*="])
        value = self.number() if self.chance(0.6) else self.pick(lambda t: t.ndim < 2)
        if self.undefined(source, value):
            value = self.number()
        return f"{source}{place} {sign} {value}"

    def without_grad(self) -> str:
        """Statements under another grad mode."""
        kinds = [self.in_place, self.view, self.assign, self.binary, self.view]
        first = self.some(kinds)()
        if self.chance(0.25):
            self.add(f"torch.set_grad_enabled({self.some([True, False])})", False)
            self.add(first)
            return "torch.set_grad_enabled(True)"
        if self.chance(0.15):
            return f"with torch.no_grad():\n    with torch.enable_grad():\n        {first}"
        return f"with torch.no_grad():\n    {first}"
