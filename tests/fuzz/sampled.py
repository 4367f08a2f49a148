"""Statements made from the samples of the op table: a new op with samples is in the programs."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

import torch

from graphwidget.optable import TABLE
from tests.fuzz.writer import LOOKED_AT, Writer
from tests.optable.samples import SAMPLES
from tests.optable.samples.convolution import grads

OPERAND = re.compile(r"(?<![\w.'\"])([xyzw])\b(?! ?=[^=])")
KEYS = [key for key, samples in SAMPLES.items() if any(s.shapes for s in samples)]
FLOATS = ["float32", "float64"]
OTHERS = ["bool", "float16", "int32", "int64"]
DEPTHS = {"layer_norm": 1, "batch_norm": 1}
"""Number of derivatives taken before the last time, where further derivatives are missing here
or wrong in PyTorch: finite differences say that it takes deviations and norms for constants."""
SECOND = grads(grads("({})", "x", square=False) + "[0]", "x") + "[0].detach()"
APART = {
    **dict.fromkeys(("normalized", "normalize_backward", "rstd_of"), SECOND),
}
"""Changes that make samples comparable: PyTorch's eigenvalues are complex, and so is their
graph; the second derivatives of norms are recorded, but not derived again (see DEPTHS)."""
WRITABLE = {op.name for op in TABLE.values() if op.inplace}


def call_of(text: str) -> tuple[str, str] | None:
    """``x.f(...)`` and ``torch.f(x, ...)`` as the function's name and its other arguments; None
    when a text is something else, or names x again (it would be written while it is read)."""
    try:
        call = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    owner = call.func.value
    if not isinstance(owner, ast.Name) or owner.id not in ("x", "torch"):
        return None
    args = [ast.unparse(each) for each in call.args]
    if owner.id == "torch":
        if args[:1] != ["x"]:
            return None
        args = args[1:]
    args += [f"{each.arg}={ast.unparse(each.value)}" for each in call.keywords]
    rest = ", ".join(args)
    return None if re.search(r"\bx\b", rest) else (call.func.attr, rest)


if TYPE_CHECKING:
    Base = Writer
else:
    Base = object


class Sampled(Base):
    """The statement kinds that samples give."""

    inner = False
    """True if the last sample is of an op that users do not call: derivatives may."""

    def operand(self, shape: tuple[int, ...], sample: Any, dtype: str) -> str:
        """A variable of this shape: one there is, or a new one."""

        def wanted(tensor: Any) -> bool:
            kind = str(tensor.dtype) == f"torch.{dtype}"
            kind = kind or (sample.integers and tensor.dtype == torch.int64 and self.chance(0.3))
            return tuple(tensor.shape) == shape and kind

        tensors = self.machine.tensors.items()
        names = [name for name, tensor in tensors if name not in LOOKED_AT and wanted(tensor)]
        if names and self.chance(0.8):
            return str(self.some(names))
        self.add(self.factory(shape, sample.positive, dtype))
        return str(self.steps[-1].text.partition(" = ")[0])

    def key(self) -> str:
        """An op that has samples."""
        return str(self.some(KEYS))

    def operands(self, key: str, sample: Any, others: bool = True) -> list[str]:
        """Variables for a sample's letters, of one type unless the op works item by item."""
        free = TABLE[key].pointwise and self.chance(0.3)
        dtypes = [self.some(FLOATS) if free else self.dtype for _ in range(4)]
        if others and self.chance(0.06):  # kernels refuse types, each in its own words
            dtypes = [self.some(OTHERS)] * 4
        # Making an operand may take another's name: then the text uses it twice.
        shapes = self.some(sample.shapes)
        return [self.operand(tuple(s), sample, d) for s, d in zip(shapes, dtypes, strict=False)]

    def sample(self) -> tuple[str, list[str]]:
        """A sample's text with variables in it, and their names."""
        key = self.key()
        self.inner = not TABLE[key].public
        sample = self.some(SAMPLES[key])
        names = self.operands(key, sample)
        if sample.positive and self.chance(0.7):
            names = [f"({name}.abs() + 0.5)" for name in names]
        return APART.get(key, "{}").format(sample.text), names

    def filled(self, text: str, names: list[str]) -> str:
        text = re.sub(r"(?<![\w.])F\.", "torch.nn.functional.", text)
        given = dict(zip("xyzw", names, strict=False))
        return OPERAND.sub(lambda found: given.get(found[1], found[1]), text)

    def sampled(self) -> str:
        text, names = self.sample()
        target = self.target()
        made = f"{target} = {self.filled(text, names)}"
        if self.chance(0.2 if self.inner else 0.5):
            return made
        self.add(made)
        if self.chance(0.7 if self.inner else 0.2):
            again = min([3, *(DEPTHS[name] for name in DEPTHS if name in made)])
            return self.derivatives(target, re.findall(r"\bt\d+\b", " ".join(names)), again)
        if self.wants_grad(target):
            total = self.some(["{}.sum()", "({} ** 2).sum()", "({} * 3).mean()"]).format(target)
            return f"{total}.backward({self.some(['', 'retain_graph=True', 'retain_graph=True'])})"
        return "pass"

    def derivatives(self, name: str, sources: list[str], depth: int) -> str:
        """Derivatives of derivatives, by one of the variables that a tensor was made of. The
        formulas run on tensors then, and the ops that only they call are recorded."""
        sources = [source for source in sources if self.wants_grad(source) and source != name]
        if not sources:
            return "pass"
        source = self.some(sources)
        if self.get(source).dtype != torch.float64:
            depth = min(depth, 1)  # further ones would be mostly rounding
        for _ in range(depth and self.random.randint(1, depth)):
            if not self.wants_grad(name):
                return "pass"
            total = self.some(["{}.sum()", "({} ** 2).sum()"]).format(name)
            name = self.target()
            if name == source:
                return "pass"
            self.add(f"({name},) = torch.autograd.grad({total}, {source}, create_graph=True)")
        return f"({name} ** 2).sum().backward()" if self.wants_grad(name) else "pass"

    def wants_grad(self, name: str) -> bool:
        tensor = self.machine.tensors.get(name)
        return tensor is not None and bool(tensor.requires_grad)

    def sampled_in_place(self) -> str:
        """The in-place form of a sample that has one."""
        for _ in range(20):
            key = self.key()
            sample = self.some(SAMPLES[key])
            found = call_of(sample.text)
            if found and found[0] in WRITABLE and hasattr(torch.Tensor, found[0] + "_"):
                names = self.operands(key, sample)
                alone = len(set(names)) == len(names) or TABLE[key].pointwise
                if alone and not any(self.undefined(names[0], name) for name in names[1:]):
                    return self.filled(f"x.{found[0]}_({found[1]})", names)
        return self.factory()

    def sampled_out(self) -> str:
        """The ``out=`` form of a sample that has one."""
        for _ in range(20):
            key = self.key()
            sample = self.some(SAMPLES[key])
            found = call_of(sample.text)
            if found and found[0] in OUT:
                # Of integers, PyTorch may leave in the result what its memory held before.
                names = self.operands(key, sample, others=False)
                rest = f", {found[1]}" if found[1] else ""
                # In one statement: PyTorch does not resize what numpy has looked at.
                # A result of another dtype is resized once or twice, warned of or not, as it comes.
                made = f"o = torch.empty(0, dtype={names[0]}.dtype)"
                made = self.some([made, f"o = torch.zeros_like({names[0]}).detach()"])
                inner = self.filled(f"torch.{found[0]}(x{rest}, out=o)", names)
                grad = self.some(["torch.no_grad()", "torch.no_grad()", "torch.enable_grad()"])
                return f"{made}\nwith {grad}:\n    {inner}"
        return self.factory()


def _takes_out(name: str) -> bool:
    text = getattr(getattr(torch, name, None), "__doc__", None) or ""
    return "out=None" in text and name not in ("sort", "topk", "max", "min")


OUT = {op.name for op in TABLE.values() if op.public and _takes_out(op.name)}
"""The ops that take ``out=`` in PyTorch."""
