"""The graphs that calls record, whole: in which order their nodes are made, hence run and
accumulate, and what a backward pass with create_graph records."""

from __future__ import annotations

import pytest

from tests.semantics.compare import same
from tests.semantics.test_02_names import EXPRESSIONS, START

MORE = """
F.kl_div(a.log(), b, log_target=True); F.kl_div(a.log(), b, reduction='sum')
F.poisson_nll_loss(a, b); F.poisson_nll_loss(a, b, full=True, log_input=False)
F.gaussian_nll_loss(a, b, b); F.cosine_embedding_loss(a, b, torch.ones(2))
F.margin_ranking_loss(a, b, torch.ones(2, 3)); F.hinge_embedding_loss(a, torch.ones(2, 3))
F.triplet_margin_loss(a, b, a * b)
F.cosine_similarity(a, b); F.pairwise_distance(a, b); F.normalize(a); torch.cdist(a, b)
torch.linalg.eigh(s @ s.T)[0]; torch.linalg.qr(s)[0]; F.local_response_norm(t3, 2)
F.group_norm(t3, 3); F.instance_norm(t3); F.rms_norm(t3, (4,))
F.softmin(a); F.tanhshrink(a); F.celu(a); F.prelu(a, v[:1]); F.unfold(t3[None], 2)
F.interpolate(t3, scale_factor=2)
torch.addmv(v, s, w); torch.addr(s, v, w)
torch.var_mean(a)[0]; torch.std_mean(a)[1]; torch.aminmax(a)[0]; torch.diag_embed(a)
F.nll_loss(a.log_softmax(1), i, weight=v.detach()); F.cross_entropy(a, b, label_smoothing=0.1)
F.cross_entropy(a, i, label_smoothing=0.1); F.embedding_bag(rows, a)
"""
LONGER = [each.strip() for line in MORE.strip().splitlines() for each in line.split(";")]

MADE = """
found, ahead = set(), [y.grad_fn]
while ahead:
    node = ahead.pop()
    if node is not None and node not in found and "Accumulate" not in node.name():
        found.add(node)
        ahead += [child for child, _ in node.next_functions]
show([node.name() for node in sorted(found, key=lambda node: node._sequence_nr())])
leaves = {name: t for name, t in list(globals().items()) if isinstance(t, torch.Tensor)
          and t.is_leaf and t.requires_grad}
for name, t in leaves.items(): t.register_hook(lambda grad, name=name: show(name))
y.sum().backward()
"""

DERIVED = """
def drawn(node):
    numbers, ahead, lines = {node: 0}, [node], []
    while ahead:
        each = ahead.pop(0)
        for child, _ in each.next_functions:
            if child is not None and child not in numbers:
                numbers[child] = len(numbers)
                ahead.append(child)
        edges = [(numbers.get(child), nr) for child, nr in each.next_functions]
        lines.append((each.name(), edges))
    return lines
leaves = [t for t in list(globals().values()) if isinstance(t, torch.Tensor)
          and t.is_leaf and t.requires_grad]
grads = torch.autograd.grad((y ** 3).sum(), leaves, create_graph=True, allow_unused=True)
for grad in grads:
    if grad is not None: show(grad, drawn(grad.grad_fn) if grad.grad_fn else None)
"""

WRITTEN = ("as_strided",)
"""PyTorch's derivative of this writes into zeros; ours reads and adds."""


@pytest.mark.parametrize("expression", EXPRESSIONS + LONGER)
def test_nodes_are_made_in_the_same_order(expression: str) -> None:
    same(START + f"y = {expression}\n" + MADE)


@pytest.mark.parametrize(
    "expression", [each for each in EXPRESSIONS if not any(name in each for name in WRITTEN)]
)
def test_backward_records_the_same(expression: str) -> None:
    same(START + f"y = {expression}\n" + DERIVED)
