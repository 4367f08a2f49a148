"""Programs on top of libraries: the line that is named is one that the user can change."""

from __future__ import annotations

import linecache
import os
import sysconfig
import types
from typing import Any

import torch

from tests.adapters.apply_fix import mended
from tests.adapters.test_diagnosis import run

TRAINER = """
import torch

def fit(step, turns):
    for turn in range(turns):
        loss = step(turn)
        loss.backward()

def backward(loss, **how):
    loss.backward(**how)

class Stepper:
    def __init__(self, optimizer):
        self.optimizer = optimizer

    def step(self):
        return self.optimizer.step()

class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(3, 3)

    def forward(self, x):
        h = torch.sigmoid(self.inner(x))
        h += 1
        return h

class Pooled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.pool = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)

    def forward(self, x):
        h = self.inner(x)
        return h, self.pool(h)

class Cache:
    def __init__(self):
        self.keys = torch.zeros(0, 3)

    def update(self, keys):
        self.keys = torch.cat([self.keys, keys])
        return self.keys

class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(3, 3)

    def forward(self, x, cache):
        return cache.update(self.inner(x).tanh())

class Stack(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(3, 3)

    def forward(self, x):
        h = self.inner(x)
        for turn in range(2):
            h = torch.tanh(h)
        return {"last": h}

class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.stack = Stack()

    def forward(self, encoded):
        return self.stack(encoded["last"])
"""


def library() -> Any:
    """A module that stands, as far as can be reported, in the folder of installed packages."""
    file = os.path.join(sysconfig.get_path("purelib"), "trainer", "trainer.py")
    linecache.cache[file] = (len(TRAINER), None, TRAINER.splitlines(True), file)
    made = types.ModuleType("trainer")
    exec(compile(TRAINER, file, "exec"), made.__dict__)
    return made


GAN = """
D = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Linear(4, 1))
opt = trainer.Stepper(torch.optim.Adam(D.parameters()))
fake = torch.nn.Linear(2, 2)(torch.randn(4, 2))
score = D(fake)
d_loss = score.mean()
trainer.backward(d_loss, retain_graph=True)
opt.step()
g_loss = -score.mean()
trainer.backward(g_loss)
"""


def test_a_librarys_step_stands_on_the_line_that_asks_for_it() -> None:
    (finding,), error, _ = run(GAN, "gan of a library", trainer=library())
    assert error is not None
    assert finding.culprit is not None
    assert finding.culprit.text == "opt.step()"
    findings, error, _ = run(mended(GAN, finding), "gan of a library, mended", trainer=library())
    assert error is None
    assert findings == []


def test_the_line_of_a_librarys_module_is_named_if_it_is_wrong_itself() -> None:
    source = "trainer.Block()(torch.ones(2, 3)).sum().backward()\n"
    (finding,), error, _ = run(source, "a library's module", trainer=library())
    assert error is not None
    assert finding.culprit is not None
    assert finding.culprit.text == "h += 1"


def test_what_a_loop_writes_in_silence_is_reported_once() -> None:
    source = """
teacher = torch.nn.Sequential(*[torch.nn.Linear(3, 3) for _ in range(4)])
student = torch.nn.Linear(3, 3)
opt = torch.optim.SGD(student.parameters(), 0.1)
x = torch.randn(2, 3)
h = teacher[0](x)
h = teacher[1](h)
h = teacher[2](h)
loss = (student(x) - h).pow(2).sum()
for p in teacher.parameters():
    p.data.mul_(0.9)
loss.backward()
"""
    (finding,), error, names = run(source, "teacher")
    assert error is None
    assert isinstance(names["teacher"][0].weight.grad, torch.Tensor)
    assert finding.culprit is not None
    assert finding.culprit.text == "p.data.mul_(0.9)"


KEPT = """
net = torch.nn.Linear(3, 1)
history = []
for turn in range(30):
    pred = net(torch.ones(2, 3)).tanh()
    loss = pred.pow(2).mean()
    loss.backward()
    history.append({"loss": loss, "pred": pred, "turn": turn})
"""


def test_all_that_an_item_keeps_is_detached() -> None:
    (finding,), error, _ = run(KEPT, "kept")
    assert error is None
    assert finding.kind == "leak"
    findings, error, names = run(mended(KEPT, finding), "kept, mended")
    assert error is None
    assert findings == []
    assert names["history"][0]["pred"].grad_fn is None


def test_what_a_librarys_object_carries_on_stands_on_the_line_that_gives_it_again() -> None:
    source = """
net = trainer.Attention()
cache = trainer.Cache()
for turn in range(3):
    out = net(torch.ones(2, 3), cache)
    out.sum().backward()
"""
    (finding,), error, _ = run(source, "cache", trainer=library())
    assert error is not None
    assert finding.culprit is not None
    assert finding.culprit.text == "out = net(torch.ones(2, 3), cache)"
    assert finding.fix == ""
    assert "self.keys is used again" in finding.text
    anew = source.replace("    out =", "    cache = trainer.Cache()\n    out =")
    findings, error, _ = run(anew, "cache, anew", trainer=library())
    assert error is None
    assert findings == []


def test_a_teacher_that_is_written_through_its_state_needs_no_gradient() -> None:
    source = """
import torch
student, teacher = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
opt = torch.optim.SGD(student.parameters(), 0.1)
x = torch.ones(2, 3, requires_grad=True)
for turn in range(2):
    target = teacher(x)
    loss = (student(x) - target).pow(2).mean()
    with torch.no_grad():
        for new, old in zip(student.state_dict().values(), teacher.state_dict().values()):
            old.copy_(0.9 * old + 0.1 * new)
    loss.backward()
    opt.step()
"""
    (finding,), error, _ = run(source, "teacher")
    assert error is not None
    assert finding.culprit is not None
    assert finding.culprit.text == "old.copy_(0.9 * old + 0.1 * new)"
    assert finding.fix == "target = teacher(x).detach()  # line 7"
