"""The worked examples of the tutorials, as a reader types them, and what the picture must show.

What they print is not written down here: PyTorch says it when the test runs.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Example:
    """One example: its cells, and the graph they leave.

    `values` are the names on the cards, `ops` the signs on the pills (sorted), and `flows` says
    which named value goes into the op that makes which other. `raises` is a word of the explanation
    on the page when the example ends in an error that autograd itself found.
    """

    cells: list[str]
    values: set[str]
    ops: list[str]
    flows: set[tuple[str, str]]
    raises: str = ""


def pairs(text: str) -> set[tuple[str, str]]:
    """`"w>a x>a"` as {("w", "a"), ("x", "a")}."""
    found = (item.split(">") for item in text.split())
    return {(source, target) for source, target in found}


EXAMPLES = {
    "A": Example(
        [
            "w = torch.tensor([1.], requires_grad=True)\n"
            "x = torch.tensor([2.], requires_grad=True)\n"
            "a = torch.add(w, x)\nb = torch.add(w, 1)\ny = torch.mul(a, b)\nprint(y)",
            "y.backward()\nprint(w.grad, x.grad)\n"
            "print(w.is_leaf, x.is_leaf, a.is_leaf, b.is_leaf, y.is_leaf)\n"
            "print(w.grad_fn, x.grad_fn, a.grad_fn.name(), b.grad_fn.name(), y.grad_fn.name())",
        ],
        {"w", "x", "a", "b", "y"},
        ["add", "add", "mul"],
        pairs("w>a x>a w>b a>y b>y"),
    ),
    "B": Example(
        [
            "a = torch.tensor([2.], requires_grad=True)\n"
            "b = torch.tensor([3.], requires_grad=True)\n"
            "c = torch.tensor([4.], requires_grad=True)\n"
            "y = (a + b) * (b + c)\ny.backward()\nprint(y, a.grad, b.grad, c.grad)",
        ],
        {"a", "b", "c", "y"},
        ["add", "add", "mul"],
        set(),
    ),
    "C": Example(
        [
            "input = torch.ones([2, 2], requires_grad=False)\n"
            "w1 = torch.tensor(2.0, requires_grad=True)\n"
            "w2 = torch.tensor(3.0, requires_grad=True)\n"
            "w3 = torch.tensor(4.0, requires_grad=True)",
            "l1 = input * w1\nl2 = l1 + w2\nl3 = l1 * w3\nl4 = l2 * l3\nloss = l4.mean()\n"
            "loss.backward()\nprint(loss, w1.grad, w2.grad, w3.grad)",
            "print(l1.grad, l2.grad, l3.grad, l4.grad, loss.grad)",
        ],
        {"input", "w1", "w2", "w3", "l1", "l2", "l3", "l4", "loss"},
        ["add", "mean", "mul", "mul", "mul"],
        pairs("input>l1 w1>l1 l1>l2 w2>l2 l1>l3 w3>l3 l2>l4 l3>l4 l4>loss"),
    ),
    "D": Example(
        [
            "x = torch.ones(2, 2, requires_grad=True)\ny = x + 2\nz = y * y\nout = z.mean()\n"
            "out.backward()\nprint(x.grad, x.grad_fn, y.grad_fn.name(), x.is_leaf, y.is_leaf)",
        ],
        {"x", "y", "z", "out"},
        ["add", "mean", "mul"],
        pairs("x>y y>z z>out"),
    ),
    "exp": Example(
        ["a = torch.tensor(2.0, requires_grad=True)\nb = a.exp()\nprint(b)"],
        {"a", "b"},
        ["exp"],
        pairs("a>b"),
    ),
    "E": Example(
        [
            "x = torch.FloatTensor([[1, 2]]).requires_grad_()\n"
            "y = torch.FloatTensor([[3, 4], [5, 6]])\nloss = torch.mm(x, y)\nprint(loss)",
            "loss.backward(torch.FloatTensor([[1, 0]]), retain_graph=True)\nprint(x.grad)\n"
            "x.grad.data.zero_()\nloss.backward(torch.FloatTensor([[0, 1]]))\nprint(x.grad)",
        ],
        {"x", "y", "loss"},
        ["data", "mm", "zero_"],
        pairs("x>loss y>loss"),
    ),
    "E without requires_grad": Example(
        [
            "x = torch.FloatTensor([[1, 2]])\ny = torch.FloatTensor([[3, 4], [5, 6]])\n"
            "loss = torch.mm(x, y)\nloss.backward(torch.FloatTensor([[1, 0]]))",
        ],
        {"x", "y", "loss"},
        ["mm"],
        pairs("x>loss y>loss"),
    ),
    "F": Example(
        [
            "net = torch.nn.Linear(3, 4)\noutput = net(torch.randn(2, 3))\n"
            "loss = torch.sum(output)\nloss.backward()",
            "loss.backward()",
        ],
        {"net.weight", "net.bias", "output", "loss"},
        ["addmm", "sum", "t"],  # the Linear, one pill else, stands open around the node that failed
        pairs("output>loss"),
    ),
    "F2": Example(
        [
            "a = torch.tensor([3., 1.], requires_grad=True)\nb = a * a\nloss = b.mean()\n"
            "loss.backward()\nprint(a.grad)",
            "loss.backward()",
        ],
        {"a", "b", "loss"},
        ["mean", "mul"],
        pairs("a>b b>loss"),
    ),
    "G": Example(
        [
            "a = torch.tensor([1., 3.], requires_grad=True)\nb = a + 2\nprint(b._version)\n"
            "loss = (b * b).mean()\nb[0] = 1000.\nprint(b._version)",
            "loss.backward()",
        ],
        {"a", "b", "loss"},
        ["add", "copy_", "mean", "mul"],
        pairs("a>b"),
    ),
    "leaf add_": Example(
        ["a = torch.tensor([10., 5., 2., 3.], requires_grad=True)\na.add_(10.)"],
        {"a"},
        [],
        set(),
        raises="no_grad",
    ),
    "leaf slice": Example(
        ["a = torch.tensor([10., 5., 2., 3.], requires_grad=True)\na[:] = 0"],
        {"a"},
        [],
        set(),
        raises="no_grad",
    ),
    "H": Example(
        [
            "a = torch.tensor([10., 5., 2., 3.], requires_grad=True)\n"
            "with torch.no_grad():\n    a[:] = 10.\nprint(a, a.is_leaf, a._version)\n"
            "loss = (a * a).mean()\nloss.backward()\nprint(a.grad)",
        ],
        {"a", "loss"},
        ["mean", "mul"],
        set(),
    ),
}


def run(example: Example, names: dict[str, Any]) -> tuple[str, RuntimeError | None]:
    """Return what an example prints, and the error at its end; ``names`` gets its variables."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for cell in example.cells:
            try:
                exec(cell, names)
            except RuntimeError as error:
                return printed.getvalue(), error
    return printed.getvalue(), None
