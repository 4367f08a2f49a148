"""What debuggers, older programs and signal processing ask for, call by call; and refusals."""

from pathlib import Path

import pytest

import graphwidget
from tests.both import both, source

SETUP = """
torch.manual_seed(0)
x = torch.arange(24.).reshape(4, 6).requires_grad_()
d = torch.tensor([[1., 2], [3, 4]])
i = torch.tensor([1, 2])
def kept(out):
    node = getattr(out, "grad_fn", None)
    names = [name for name in dir(node) if name.startswith("_saved_")]
    return {name: attempt(lambda: getattr(node, name)) for name in names}
def told(out):
    parts = out if isinstance(out, (tuple, list)) else (out,)
    return [parts, [kept(part) for part in parts]]
"""
CALLS = [
    line
    for line in Path(__file__).with_name("queries.txt").read_text().split("\n")
    if line and not line.startswith("#")
]


@pytest.mark.parametrize("call", CALLS)
def test_call(call: str) -> None:
    both(source(SETUP + f"result = told({call})"))


@pytest.mark.parametrize("name", ["bfloat16", "cfloat"])
def test_what_is_not_offered_says_so(name: str) -> None:
    with pytest.raises(NotImplementedError, match="graphwidget"):
        getattr(graphwidget.zeros(2), name)()
