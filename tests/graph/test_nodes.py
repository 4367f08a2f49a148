"""The graphs that calls record, node by node: names, edges, the order in which nodes are made, and
what a backward pass with ``create_graph`` records."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compare_engines import both, source

START = """
F = torch.nn.functional
a = torch.tensor([[0.3, 0.7, 0.6], [0.2, 0.9, 0.5]], requires_grad=True)
b = torch.tensor([[0.4, 0.8, 0.1], [0.6, 0.3, 0.7]], requires_grad=True)
v = torch.tensor([0.2, 0.4, 0.9], requires_grad=True)
w = torch.tensor([0.5, 0.1, 0.8], requires_grad=True)
s = torch.tensor([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.0]], requires_grad=True)
t3 = torch.rand(2, 3, 4, requires_grad=True)
m = torch.tensor([[True, False, True], [False, True, False]])
i = torch.tensor([0, 1])
rows = torch.tensor([[0, 1, 1], [1, 0, 1]])
"""

TEXT = Path(__file__).with_name("nodes.txt").read_text("utf-8").partition("\n")[2]
EXPRESSIONS, LONGER = (
    [call.strip() for line in part.strip().splitlines() for call in line.split(";")]
    for part in TEXT.split("\n\n")
)

MADE = """
found, ahead, order = set(), [y.grad_fn], []
while ahead:
    node = ahead.pop()
    if node is not None and node not in found and "Accumulate" not in node.name():
        found.add(node)
        ahead += [child for child, _ in node.next_functions]
made = [node.name() for node in sorted(found, key=lambda node: node._sequence_nr())]
for name, t in list(globals().items()):
    if isinstance(t, torch.Tensor) and t.is_leaf and t.requires_grad:
        t.register_hook(lambda grad, name=name: order.append(name))
y.sum().backward()
result = [y, graph(y.grad_fn), made, order]
"""

DERIVED = """
leaves = [t for t in list(globals().values()) if isinstance(t, torch.Tensor)
          and t.is_leaf and t.requires_grad]
grads = torch.autograd.grad((y ** 3).sum(), leaves, create_graph=True, allow_unused=True)
result = [(grad.detach() * 1, graph(grad.grad_fn)) for grad in grads if grad is not None]
"""

WRITTEN = ("as_strided",)
"""PyTorch's derivative of this writes into zeros; ours reads and adds."""


@pytest.mark.parametrize("expression", EXPRESSIONS + LONGER)
def test_nodes_and_the_order_in_which_they_are_made(expression: str) -> None:
    both(source(f"torch.manual_seed(0)\n{START}y = {expression}\n{MADE}"))


@pytest.mark.parametrize(
    "expression", [call for call in EXPRESSIONS if not any(name in call for name in WRITTEN)]
)
def test_backward_records_the_same(expression: str) -> None:
    both(source(f"torch.manual_seed(0)\n{START}y = {expression}\n{DERIVED}"))
