"""Statements made from the samples of the op table: a new op with samples is in the programs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import torch

from graphwidget.optable import TABLE
from tests.core.writer import Writer
from tests.optable.samples import SAMPLES

OPERAND = re.compile(r"(?<![\w.'\"])([xyzw])\b(?! ?=[^=])")
METHOD = re.compile(r"^x\.(\w+)\((.*)\)$")
FUNCTION = re.compile(r"^torch\.(\w+)\(x(?:, )?(.*)\)$")
KEYS = list(SAMPLES)
WRITABLE = {op.name for op in TABLE.values() if op.inplace}

if TYPE_CHECKING:
    Base = Writer
else:
    Base = object


class Sampled(Base):
    """The statement kinds that samples give."""

    def operand(self, shape: tuple[int, ...], positive: bool, integers: bool) -> str:
        """A variable of this shape: one there is, or a new one."""

        def wanted(tensor: Any) -> bool:
            kind = tensor.is_floating_point() or (integers and self.chance(0.3))
            return tuple(tensor.shape) == shape and kind

        tensors = self.machine.tensors.items()
        names = [name for name, tensor in tensors if name != "i" and wanted(tensor)]
        if names and self.chance(0.8):
            return str(self.some(names))
        self.add(self.factory(shape, positive))
        return str(self.steps[-1].text.partition(" = ")[0])

    def sample(self) -> tuple[str, list[str]]:
        """A sample's text with variables in it, and their names."""
        sample = self.some(SAMPLES[self.some(KEYS)])
        while not sample.shapes:
            sample = self.some(SAMPLES[self.some(KEYS)])
        # Making an operand may take another's name: then the text uses it twice.
        shapes = self.some(sample.shapes)
        names = [self.operand(tuple(s), sample.positive, sample.integers) for s in shapes]
        given = dict(zip("xyzw", names, strict=False))
        for letter, name in given.items():
            if sample.positive and self.chance(0.7):
                given[letter] = f"({name}.abs() + 0.5)"
        return sample.text, [given[letter] for letter in given]

    def filled(self, text: str, names: list[str]) -> str:
        given = dict(zip("xyzw", names, strict=False))
        return OPERAND.sub(lambda found: given.get(found[1], found[1]), text)

    def sampled(self) -> str:
        text, names = self.sample()
        target = self.target()
        made = f"{target} = {self.filled(text, names)}"
        if self.chance(0.5):
            return made
        self.add(made)
        if self.wants_grad(target):
            total = self.some(["{}.sum()", "({} ** 2).sum()", "({} * 3).mean()"]).format(target)
            return f"{total}.backward({self.some(['', 'retain_graph=True', 'retain_graph=True'])})"
        return "pass"

    def wants_grad(self, name: str) -> bool:
        tensor = self.machine.tensors.get(name)
        return tensor is not None and bool(tensor.requires_grad)

    def sampled_in_place(self) -> str:
        """The in-place form of a sample that has one."""
        for _ in range(20):
            sample = self.some(SAMPLES[self.some(KEYS)])
            found = METHOD.match(sample.text) or FUNCTION.match(sample.text)
            if found and found[1] in WRITABLE and hasattr(torch.Tensor, found[1] + "_"):
                shapes = self.some(sample.shapes)
                names = [self.operand(tuple(shape), False, sample.integers) for shape in shapes]
                if not self.undefined(*names[:1], names[-1]):
                    return self.filled(f"x.{found[1]}_({found[2]})", names)
        return self.factory()

    def sampled_out(self) -> str:
        """The ``out=`` form of a sample that has one."""
        for _ in range(20):
            sample = self.some(SAMPLES[self.some(KEYS)])
            found = METHOD.match(sample.text) or FUNCTION.match(sample.text)
            if found and found[1] in OUT:
                shapes = self.some(sample.shapes)
                names = [self.operand(tuple(shape), False, sample.integers) for shape in shapes]
                rest = f", {found[2]}" if found[2] else ""
                # In one statement: PyTorch does not resize what numpy has looked at.
                # A result of another dtype is resized once or twice, warned of or not, as it comes.
                made = f"o = torch.empty(0, dtype={names[0]}.dtype)"
                made = self.some([made, f"o = torch.zeros_like({names[0]}).detach()"])
                inner = self.filled(f"torch.{found[1]}(x{rest}, out=o)", names)
                grad = self.some(["torch.no_grad()", "torch.no_grad()", "torch.enable_grad()"])
                return f"{made}\nwith {grad}:\n    {inner}"
        return self.factory()


def _takes_out(name: str) -> bool:
    text = getattr(getattr(torch, name, None), "__doc__", None) or ""
    return "out=None" in text and name not in ("sort", "topk", "max", "min")


OUT = {op.name for op in TABLE.values() if op.public and _takes_out(op.name)}
"""The ops that take ``out=`` in PyTorch."""
