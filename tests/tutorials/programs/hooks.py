"""Hooks of tensors, nodes and modules; saved tensors packed and unpacked."""

import torch
import torch.nn as nn

v = torch.tensor([0.0, 0.0, 0.0], requires_grad=True)
h = v.register_hook(lambda grad: grad * 2)
v.backward(torch.tensor([1.0, 2.0, 3.0]))
print(v.grad)
h.remove()

a = torch.tensor([1.0, 2.0], requires_grad=True)
b = a * 3
b.register_hook(lambda grad: print("gradient of b", grad))
c = b.exp()
c.grad_fn.register_hook(lambda gi, go: print("node", gi, go))
c.grad_fn.register_prehook(lambda go: print("before", go))
a.register_post_accumulate_grad_hook(lambda p: print("accumulated", p.grad))
c.sum().backward()

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
activations = {}


def remember(name):
    def hook(module, inputs, output):
        activations[name] = output.detach()

    return hook


handles = [m.register_forward_hook(remember(n)) for n, m in net.named_children()]
net.register_full_backward_hook(
    lambda m, gi, go: print("net", [None if g is None else tuple(g.shape) for g in gi], go[0])
)
out = net(torch.randn(2, 3, requires_grad=True))
out.sum().backward()
print({name: value.shape for name, value in activations.items()}, activations["1"])
for handle in handles:
    handle.remove()
net[0].register_forward_pre_hook(lambda m, inputs: (inputs[0] * 0,))
print(net(torch.randn(2, 3)))
print([round(p.grad.norm().item(), 4) for p in net.parameters()])

packed = []


def pack(x):
    packed.append(tuple(x.shape))
    return x.clone()


x = torch.randn(4, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
    y = (x.sin() * x.cos()).sum()
y.backward()
print(packed, torch.allclose(x.grad, torch.cos(2 * x)))

for name, parameter in net.named_parameters():
    parameter.requires_grad = name.startswith("2")
print([p.requires_grad for p in net.parameters()])
net.zero_grad()
net(torch.ones(1, 3)).sum().backward()
print([p.grad is None for p in net.parameters()])
