"""Functions that rearrange: values, layouts, nodes, what they keep and errors, call by call."""

from pathlib import Path

import pytest

from tests.both import both, source

SETUP = """
F = torch.nn.functional
x = torch.arange(6.).reshape(2, 3).requires_grad_()
y = torch.arange(3.).requires_grad_()
s = torch.tensor(2., requires_grad=True)
z = x * 1
c = torch.arange(24.).reshape(2, 3, 4).requires_grad_()
i = torch.tensor([0, 1, 1])
j = torch.tensor([[0, 1, 0], [1, 0, 1]])
m = torch.tensor([[True, False, True], [False, True, True]])
def kept(out):
    node = getattr(out, "grad_fn", None)
    names = [name for name in dir(node) if name.startswith("_saved_")]
    return {name: attempt(lambda: getattr(node, name)) for name in names}
def told(out):
    parts = out if isinstance(out, (tuple, list)) else (out,)
    return [parts, [part is x for part in parts], [kept(part) for part in parts]]
"""


CALLS = [
    line
    for line in Path(__file__).with_name("shapes.txt").read_text().split("\n")
    if line and not line.startswith("#")
]


@pytest.mark.parametrize("call", CALLS)
def test_call(call: str) -> None:
    both(source(SETUP + f"result = told({call})"))
