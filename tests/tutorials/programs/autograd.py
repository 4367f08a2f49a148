"""Automatic differentiation: graphs, leaves, accumulation, no_grad, detach, vector products."""

import torch

x = torch.ones(5)
y = torch.zeros(3)
torch.manual_seed(1)
w = torch.randn(5, 3, requires_grad=True)
b = torch.randn(3, requires_grad=True)
z = torch.matmul(x, w) + b
loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
print(type(z.grad_fn).__name__, type(loss.grad_fn).__name__)
loss.backward()
print(w.grad, b.grad, sep="\n")
with torch.no_grad():
    print((torch.matmul(x, w) + b).requires_grad)
print(z.detach().requires_grad)

inp = torch.eye(4, 5, requires_grad=True)
out = (inp + 1).pow(2).t()
out.backward(torch.ones_like(out), retain_graph=True)
print("First call\n", inp.grad)
out.backward(torch.ones_like(out), retain_graph=True)
print("Second call\n", inp.grad)
inp.grad.zero_()
out.backward(torch.ones_like(out), retain_graph=True)
print("After zeroing\n", inp.grad)

a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([6.0, 4.0], requires_grad=True)
Q = 3 * a**3 - b**2
Q.backward(gradient=torch.tensor([1.0, 1.0]))
print(9 * a**2 == a.grad, -2 * b == b.grad)

x = torch.tensor(0.5, requires_grad=True)
h = x.exp()
h.retain_grad()
g = h.sin()
g.backward()
print(h.grad, x.grad, x.is_leaf, h.is_leaf, g)
print(g.grad_fn.next_functions[0][0].name(), h.grad_fn.next_functions[0][0].name())

x = torch.linspace(0.0, 6.28, steps=9, requires_grad=True)
s = torch.sin(x)
(d1,) = torch.autograd.grad(s.sum(), x, create_graph=True)
(d2,) = torch.autograd.grad(d1.sum(), x, create_graph=True)
(d3,) = torch.autograd.grad(d2.sum(), x)
print(d1, d2, d3, sep="\n")


def f(x):
    return (x**3).sum()


v = torch.tensor([1.0, 2.0, 3.0])
print(torch.autograd.functional.jacobian(lambda x: x**2, v))
print(torch.autograd.functional.hessian(f, v))
print(torch.autograd.functional.vjp(lambda x: x * 2, v, torch.ones(3))[1])
try:
    g.backward()
except RuntimeError as error:
    print(str(error)[:60])
x = torch.ones(2, requires_grad=True)
try:
    x.add_(1)
except RuntimeError as error:
    print(error)
y = x.sigmoid()
y.mul_(2)
try:
    y.sum().backward()
except RuntimeError as error:
    print(error)
