"""Tensors and gradients in memory: memory formats, retained and accumulated gradients; and
what an import does to the process's memory."""

import subprocess
import sys

import pytest

from tests.compare_engines import both, programs, source

SETUP = """
F = torch.nn.functional
x = torch.arange(120.).reshape(2, 3, 4, 5).requires_grad_()
c = x.detach().to(memory_format=torch.channels_last)
w = torch.arange(6.).reshape(2, 3).requires_grad_()
def reported(*tensors):
    return [[t, t.stride(), t.is_contiguous(memory_format=torch.channels_last)] for t in tensors]
"""

PROGRAMS = """
# to and contiguous give a format, or the tensor itself
result = [reported(c, c.clone(), c.double(),
               c.to(torch.float64, memory_format=torch.contiguous_format),
               x.double(memory_format=torch.channels_last), c.contiguous(), x.contiguous()),
          c.to(memory_format=torch.channels_last) is c, c.cpu() is c,
          c.contiguous(memory_format=torch.channels_last) is c,
          reported(x.to(memory_format=torch.channels_last), x.to(copy=True),
               x.contiguous(memory_format=torch.channels_last))]

# factories
result = [reported(torch.zeros_like(c), torch.zeros_like(c, memory_format=torch.contiguous_format),
               torch.ones_like(x, memory_format=torch.channels_last)),
          torch.empty(2, 3, 4, 5, memory_format=torch.channels_last).stride(),
          torch.empty((2, 1, 4, 5), memory_format=torch.channels_last).stride()]

# modules keep the format of their input
torch.manual_seed(0)
m = torch.nn.Conv2d(3, 4, 2).to(memory_format=torch.channels_last)
n = torch.nn.Conv2d(3, 4, 2)
b, g = torch.nn.BatchNorm2d(3), torch.nn.GroupNorm(1, 3)
result = [t.stride() for t in (m.weight, m.bias, m(x), m(c), n(c), n(x), b(c), g(c),
          F.relu(n(c)), F.avg_pool2d(c, 2), F.interpolate(c, size=3), F.pad(c, (1, 1)),
          torch.cat([c, c]), torch.stack([c, c], 1), c.roll(1, 2), torch.stack([c, x], 1),
          (c + x.detach()), (x.detach() + c), c.mean(1, keepdim=True))]

# a format has a derivative
y = x.to(memory_format=torch.channels_last)
z = (y * 2).contiguous()
z.sum().backward()
result = [y, z, x.grad, x.grad.stride()]

# retained gradients lie in C order
t = w.t()
t.retain_grad()
t.backward(torch.ones_like(t), retain_graph=True)
first = t.grad.stride()
t.backward(torch.ones_like(t))
result = [first, t.grad.stride(), w.grad.stride()]

# the gradient of a leaf lies as the leaf, or in C order where that has gaps
leaves = [torch.ones(6, 8)[::2, ::2], torch.ones(6, 8)[::2, ::2].t(), torch.ones(4, 3).t(),
          torch.ones(3, 1).expand(3, 4)]
result = []
for leaf in leaves:
    leaf = leaf.detach().requires_grad_()
    for seed in (torch.ones(leaf.shape), torch.ones(leaf.shape[::-1]).t(),
                 torch.ones(()).expand(leaf.shape)):
        leaf.grad = None
        (leaf * 2).backward(seed)
        result.append((leaf.stride(), leaf.grad.stride()))
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_memory(title: str, text: str) -> None:
    both(source(SETUP + text))


@pytest.mark.parametrize(("own", "kept"), [("", False), ("gc.set_threshold(900, 5, 5)", True)])
def test_cycles_are_looked_for_as_often_as_the_user_says(own: str, kept: bool) -> None:
    program = f"""
import gc
{own}
before = gc.get_threshold()
import graphwidget
assert (gc.get_threshold() == before) is {kept}
(_, again, always), (_, was, all_of_them) = gc.get_threshold(), before
assert again * always == was * all_of_them  # a full collection is as rare as before
gc.set_threshold(800, 10, 10)
graphwidget.ones(2).sum()
assert gc.get_threshold() == (800, 10, 10)
"""
    subprocess.run([sys.executable, "-c", program], check=True)
