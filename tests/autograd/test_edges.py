"""Gradient edges, nodes and hooks on several tensors, on both engines."""

from __future__ import annotations

import pytest

from tests.compare_engines import both, programs, source

PROGRAMS = """
# edges in the place of tensors
graph = torch.autograd.graph
x = torch.tensor([1., 2.], requires_grad=True)
a, b = torch.stack([x, x * 2]).unbind(0)
s = (a * b).sum()
ex, eb, es = graph.get_gradient_edge(x), graph.get_gradient_edge(b), graph.get_gradient_edge(s)
keep = {"retain_graph": True}
result = [
    torch.autograd.grad(s, [eb], **keep),
    torch.autograd.grad(s, [ex, graph.get_gradient_edge(a), eb], **keep),
    torch.autograd.grad(eb, x, torch.ones(2), **keep),
    attempt(lambda: torch.autograd.grad(eb, x, **keep)),
    attempt(lambda: torch.autograd.grad(eb, x, torch.ones(3), **keep)),
    torch.autograd.grad(es, x, **keep),
    torch.autograd.grad(es, (eb, x), **keep),
    torch.autograd.backward(eb, torch.ones(2), inputs=[ex], **keep),
    x.grad.clone(),
    torch.autograd.backward(es, **keep),
    x.grad.clone(),
    torch.autograd.backward(s, inputs=ex, **keep),
    x.grad.clone(),
    torch.autograd.grad((s, es), x, **keep),
    (eb.output_nr, len(eb), ex[1], eb.node is b.grad_fn, graph.GradientEdge._fields),
]

# hooks and edges of a non-leaf
graph = torch.autograd.graph
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 3
y.register_hook(lambda g: g * 10)
s = (y * y).sum()
e = graph.get_gradient_edge(y)
result = [torch.autograd.grad(s, (e,), retain_graph=True), torch.autograd.grad(s, (e, x))]

# nodes are Nodes
Node = torch.autograd.graph.Node
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 1
    @staticmethod
    def backward(ctx, g):
        return g
x = torch.tensor([1., 2.], requires_grad=True)
y = F.apply(x * 2)
z = x.clone()
z[0] = 1
nodes = [y.grad_fn, y.grad_fn.next_functions[0][0], z.grad_fn,
         y.grad_fn.next_functions[0][0].next_functions[0][0]]
result = [[isinstance(n, Node), issubclass(type(n), Node), n.name(), type(n.metadata)]
          for n in nodes]
result += [isinstance(x, Node), issubclass(int, Node)]

# when all gradients are there
log = []
def fn(grads):
    log.append([None if g is None else g.clone() for g in grads])
graph = torch.autograd.graph
a = torch.tensor([1., 2.], requires_grad=True)
b = torch.tensor([3., 4.], requires_grad=True)
c = a * b
d = a * b
handle = graph.register_multi_grad_hook((a, b, c, d), fn)
c.sum().backward(retain_graph=True)
c.sum().backward(inputs=(a,), retain_graph=True)
(c + d).sum().backward(retain_graph=True)
torch.autograd.grad((c * d).sum(), (c, d), retain_graph=True)
leaf = attempt(lambda: torch.autograd.grad(c.sum(), b, retain_graph=True))
handle.remove()
handle.remove()
c.sum().backward()
result = [log, a.grad.clone(), leaf]

# at the first gradient
log = []
graph = torch.autograd.graph
a = torch.tensor([1., 2.], requires_grad=True)
b = torch.tensor([3., 4.], requires_grad=True)
k = torch.ones(2)
c = a * b
with graph.register_multi_grad_hook((a, k, c), lambda g: log.append(g.clone()), mode="any"):
    c.sum().backward(retain_graph=True)
    torch.autograd.grad(c.sum(), b, retain_graph=True)
    (a * 2).sum().backward()
c.sum().backward()
result = [log, attempt(lambda: graph.register_multi_grad_hook((a,), print, mode="some")),
          attempt(lambda: graph.register_multi_grad_hook((a, k), print))]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS))
def test_same(title: str, text: str) -> None:
    both(source(text))
