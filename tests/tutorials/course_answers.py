"""The answers to the questions of the course, as programs for either engine.

``python -m tests.tutorials.course_answers`` writes the table of their hashes into the package.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import graphwidget
from graphwidget.tutorial import answers
from graphwidget.tutorial.compare import hashed, plain

FIXED: dict[str, Any] = {
    "00.1a": 2,
    "00.1b": "×",
    "00.1c": ["w", "x"],
    "00.1d": 1,
    "00.1e": 6,
    "00.2": 5.001,
    "01.1": [5, 3],
    "01.4": ["w", "x"],
    "01.8": "b",
    "01.E2": ["w1", "w2", "w3"],
    "01.E4": True,
    "02.1": [False, True],
    "02.2": [0, 1, 2, 0],
    "02.2b": [1, 1, 1, 0],
    "02.3": "×",
    "02.4": 2,
    "02.8": [1, 10, 10],
    "02.E1": False,
    "02.E2": [False, True],
    "02.E4": "backward",
    "03.1": False,
    "03.2": 6,
    "03.5": [20, 20],
    "03.5b": 1,
    "03.6": 1,
    "03.7": [5, 2],
    "03.8": 2,
    "03.8b": 1,
    "03.9": 6,
    "03.10": 1,
    "03.10b": False,
    "03.E1": [26, 23],
    "03.E2": "backward",
    "03.E3": "build",
    "03.E4": 4,
    "03.E5": 4,
    "04.1b": "up",
    "04.2b": "too far",
    "04.2d": False,
    "04.3": True,
    "04.4": 4,
    "04.5": 0.25,
    "04.6": "equal",
    "04.7": "sigmoid, relu, tanh",
    "04.8": [0.02, 0.1, 0.24],
    "04.10b": False,
    "04.E3": [0.25, 0.75],
    "04.E4": 0,
    "04.E5": 0,
    "05.1": [3, 12],
    "05.1b": [2, 8],
    "05.3": 2,
    "05.4": "Square",
    "05.5b": "z, y, x",
    "05.6": "0, 1, 2, 2', 1', 0'",
    "05.7": 3,
    "05.9": [3, 1],
    "05.10": 1,
    "05.E1": [0, 1, 0],
    "05.E4": 1,
    "06.1": [0, 2, 0, 1, 1, 3, 1, 0],
    "06.2": True,
    "06.2b": False,
    "06.3": [5, 9, 13, 17, 21],
    "06.4": [10, 16, 10, 16],
    "06.5": [1, 2, 2],
    "06.6": "Saves",
    "06.8": [[12000, 1], [4000, 2]],
    "06.9": 2,
    "06.9b": False,
    "06.E1": 120000,
    "06.E2": [3, 7, 4, 6, 5],
    "06.E3": 5,
    "06.E4": [12, 48000],
    "06.E5": False,
    "07.1": 8,
    "07.2": True,
    "07.3": 14,
    "07.4": "item",
    "07.5": 2,
    "07.6": False,
    "07.7": 2,
    "07.8": 2,
    "07.E1": 4,
    "07.E2": False,
    "07.E3": 3,
    "08.1": False,
    "08.1b": [False, True],
    "08.2": "target",
    "08.3": 3,
    "08.4b": True,
    "08.5": "c",
    "08.E1": [4, 3],
    "08.E2": True,
    "08.E3": "dynamic_axes",
}

PROGRAMS = """
# 00.1
answer = (2 + 1) * (1 + 1)

# 01.3
w, x = torch.tensor([1.], requires_grad=True), torch.tensor([2.], requires_grad=True)
((x + w) * (w + 1)).backward()
answer = [w.grad, x.grad]

# 01.6
a, b, c = (torch.tensor([v], requires_grad=True) for v in (2., 3., 4.))
((a + b) * (b + c)).backward()
answer = [a.grad, b.grad, c.grad]

# 01.7
w1, w2, w3 = (torch.tensor(v, requires_grad=True) for v in (2., 3., 4.))
l1 = torch.ones(2, 2) * w1
loss = ((l1 + w2) * (l1 * w3)).mean()
loss.backward()
answer = [loss, w1.grad]

# 01.7b
x = torch.tensor(1., requires_grad=True)
((x + 2) ** 2 / 4).backward()
answer = x.grad

# 01.9
q = torch.tensor(3., requires_grad=True)
((q * q).detach() * q).backward()
answer = q.grad

# 01.10
a = torch.tensor([3., 1.], requires_grad=True)
(a * a).mean().backward()
(a * a).mean().backward()
answer = a.grad

# 01.10b
x = torch.FloatTensor([[1, 2]]).requires_grad_()
loss = torch.mm(x, torch.FloatTensor([[3, 4], [5, 6]]))
answer = [torch.autograd.grad(loss, x, g.reshape(1, 2), retain_graph=True) for g in torch.eye(2)]

# 01.10c
x = torch.tensor(2., requires_grad=True)
torch.autograd.backward([x ** 2, x ** 3], [torch.tensor(1.), torch.tensor(10.)])
answer = x.grad

# 01.10d
x = torch.tensor(2., requires_grad=True)
(first,) = torch.autograd.grad(x ** 3, x, create_graph=True)
answer = [first, torch.autograd.grad(first, x)]

# 01.E1
w, x = torch.tensor(1., requires_grad=True), torch.tensor(2.)
((x + w) * (w + 1) * w).backward()
answer = [3, w.grad]

# 01.E3
l1 = torch.full((2, 2), 2.)
l2 = torch.full((2, 2), 5., requires_grad=True)
(l2 * (l1 * 4)).mean().backward()
answer = l2.grad[0, 0]

# 02.5
a = torch.tensor([1., 3.], requires_grad=True)
b = a + 2
b[0] = 1000.
(b * b).mean().backward()
answer = a.grad

# 02.7
a = torch.tensor([10., 10., 10., 10.], requires_grad=True)
(a * a).mean().backward()
answer = a.grad

# 02.E3
w = torch.tensor([1., 2.], requires_grad=True)
for _ in range(2):
    (w * w).sum().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
answer = w

# 00.E1
w, x = torch.tensor(1., requires_grad=True), torch.tensor(4., requires_grad=True)
((x + w) * (w + 1)).backward()
answer = [w.grad, x.grad]

# 04.1
w = torch.tensor(0., requires_grad=True)
((w * 2 - 6) ** 2).backward()
answer = w.grad

# 04.2
w = torch.tensor(0., requires_grad=True)
((w * 2 - 6) ** 2).backward()
answer = w - 0.05 * w.grad

# 04.2c
w = torch.tensor(0., requires_grad=True)
for _ in range(3):
    ((w * 2 - 6) ** 2).backward()
    with torch.no_grad():
        w -= 0.05 * w.grad
answer = w.grad

# 04.3b
net = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.zeros_(net.weight)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
net(torch.tensor([[2.]])).sum().backward()
optimizer.step()
answer = net.weight._version

# 04.9
answer = []
for scale in (1., 1000.):
    w = torch.tensor(0., requires_grad=True)
    optimizer = torch.optim.Adam([w], lr=0.05)
    ((w * scale - 6) ** 2).backward()
    optimizer.step()
    answer.append(w)

# 04.10
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
net[0].requires_grad_(False)
net(torch.ones(1, 2)).sum().backward()
answer = [p.grad is not None for p in net.parameters()]

# 04.11
kernel = torch.ones(1, 1, 2, 2, requires_grad=True)
torch.nn.functional.conv2d(torch.arange(9.).reshape(1, 1, 3, 3), kernel).sum().backward()
answer = kernel.grad.flatten()

# 04.E1
w = torch.tensor(0., requires_grad=True)
((w * 2 + 2) ** 2).backward()
answer = w.grad

# 04.E2
w = torch.tensor(2., requires_grad=True)
(w * w * 3).backward()
answer = w.grad

# 04.E6
w = torch.tensor(0., requires_grad=True)
for _ in range(3):
    ((w * 2 - 6) ** 2).backward()
    with torch.no_grad():
        w.grad += 0.1 * w
        w -= 0.05 * w.grad
    w.grad = None
answer = w

# 05.2
x = torch.tensor([0.4, 1.6], requires_grad=True)
x.round().sum().backward()
answer = x.grad

# 05.2b
class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()
    @staticmethod
    def backward(ctx, grad):
        return grad
x = torch.tensor([0.4, 1.6], requires_grad=True)
Round.apply(x).sum().backward()
answer = x.grad

# 05.4b
class Careless(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x ** 2
    @staticmethod
    def backward(ctx, grad):
        return 2 * grad * ctx.x
a = torch.tensor([3.], requires_grad=True)
b = a * 1
y = Careless.apply(b)
with torch.no_grad():
    b.mul_(100.)
y.backward()
answer = a.grad

# 05.5
w, x = torch.tensor([1.], requires_grad=True), torch.tensor([2.], requires_grad=True)
a, b = w + x, w + 1
a.register_hook(lambda grad: grad * 10)
(a * b).backward()
answer = [w.grad, x.grad]

# 05.8
x, w = torch.tensor(3., requires_grad=True), torch.tensor(2., requires_grad=True)
(s,) = torch.autograd.grad(w * x ** 2, x, create_graph=True)
(s ** 2).backward()
answer = [s, w.grad, x.grad]

# 05.E2
w, x = torch.tensor([1.], requires_grad=True), torch.tensor([2.], requires_grad=True)
a, b = w + x, w + 1
a.register_hook(lambda grad: -grad)
(a * b).backward()
answer = w.grad

# 05.E3
x = torch.tensor(2., requires_grad=True)
y = x ** 4
for _ in range(3):
    (y,) = torch.autograd.grad(y, x, create_graph=True)
answer = y

# 05.E5
A, b = torch.tensor([[3., 1.], [1., 2.]]), torch.tensor([1., 1.])
x = torch.tensor([5., -7.], requires_grad=True)
(g,) = torch.autograd.grad(0.5 * (x @ A @ x) - b @ x, x, create_graph=True)
answer = torch.autograd.grad(g @ torch.tensor([1., 0.]), x)[0]

# 06.7
part = torch.zeros(1000, 1000)[:1]
answer = [part.untyped_storage().nbytes(), part.clone().untyped_storage().nbytes()]

# 08.2b
def wasteful(x):
    unused = x * 2
    return x + 1
import importlib
traced = importlib.import_module(torch.__name__ + ".fx").symbolic_trace(wasteful)
traced.graph.eliminate_dead_code()
answer = len(traced.graph.nodes)

# 08.4
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
answer = sum(p.numel() for p in net.parameters())

# 08.E4
parameters = list(torch.nn.Linear(3, 4).parameters())
answer = [len(parameters), sum(p.numel() for p in parameters)]
"""


def computed(engine: ModuleType) -> dict[str, Any]:
    """Return the answer of each question, computed by this engine where there is a program."""
    found = dict(FIXED)
    for part in PROGRAMS.split("\n# ")[1:]:
        question, _, program = part.partition("\n")
        space = {"torch": engine}
        exec(compile(program, question, "exec"), space)
        found[question] = plain(space["answer"])
    return dict(sorted(found.items()))


def main() -> None:
    """Write the table of hashes."""
    path = Path(answers.__file__)
    head, _, _ = path.read_text("utf-8").partition("ANSWERS")
    lines = [
        f'    "{question}": {json.dumps(hashed(question, answer))},\n'
        for question, answer in computed(graphwidget).items()
    ]
    path.write_text(f"{head}ANSWERS: dict[str, Expected] = {{\n{''.join(lines)}}}\n", "utf-8")


if __name__ == "__main__":
    main()
