"""Faults are found, with both lines and a fix; correct programs are never accused."""

from __future__ import annotations

import ast
import copy
import linecache
from typing import Any

import pytest
import torch
from torch import nn

import graphwidget
from tests.adapters.apply_fix import mended
from tests.adapters.faulty_programs import BROKEN, RIGHT


def run(source: str, name: str, **more: Any) -> tuple[Any, Exception | None, dict[str, Any]]:
    file = f"<broken {name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names: dict[str, Any] = {"torch": torch, "__name__": "__main__", **more}
    error = None
    torch.manual_seed(0)
    try:
        with graphwidget.diagnose() as found:
            exec(compile(source, file, "exec"), names)
    except Exception as raised:
        error = raised
    finally:
        torch.set_grad_enabled(True)
    return found.findings, error, names


@pytest.mark.parametrize("name", BROKEN)
def test_the_guilty_line_is_named_and_the_fix_mends_the_program(name: str) -> None:
    wanted = BROKEN[name]
    (finding,), error, _ = run(wanted.source, name)
    assert finding.kind == wanted.kind
    assert finding.culprit is not None
    assert finding.culprit.text == wanted.culprit
    if wanted.reader is not None:
        assert finding.reader is not None
        assert finding.reader.text == wanted.reader
    ast.parse(finding.fix)
    if error is not None:
        assert any(wanted.culprit in note for note in error.__notes__)
    if wanted.fix is None:
        assert finding.fix
        assert run(mended(wanted.source, finding), f"{name}, mended")[:2] == ([], None)


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_is_not_accused(name: str) -> None:
    assert run(RIGHT[name], name)[:2] == ([], None)


def test_a_sum_of_losses_becomes_one_of_numbers() -> None:
    source = BROKEN["summed"].source
    (finding,), _, _ = run(source, "summed")
    findings, error, names = run(mended(source, finding), "summed, mended")
    assert error is None
    assert findings == []
    assert names["total"].grad_fn is None


@pytest.mark.parametrize("name", ["item", "log probabilities beside rewards"])
def test_numbers_that_a_loss_is_made_of_are_kept_as_tensors(name: str) -> None:
    source = BROKEN[name].source
    (finding,), _, _ = run(source, name)
    _, error, names = run(mended(source, finding), f"{name}, mended")
    assert error is None
    assert names["net"].weight.grad is not None


def test_explain_gives_what_was_found_last() -> None:
    _, error, _ = run(BROKEN["slice"].source, "slice")
    assert error is not None
    findings = graphwidget.explain()
    assert [each.kind for each in findings] == ["stale"]
    assert "b[0] = 5." in findings._repr_html_()
    assert "b[0] = 5." in repr(findings)


def test_a_block_without_an_error_prints_what_it_found(capsys: pytest.CaptureFixture[str]) -> None:
    with graphwidget.diagnose():
        a = torch.ones(3, requires_grad=True)
        b = a.exp()
        b.data.mul_(2)
        b.sum().backward()
    assert "b.data.mul_(2)" in capsys.readouterr().err


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(4, 8)
        self.out = nn.Linear(8, 2)

    def forward(self, x: Any) -> Any:
        h = x.new_zeros(len(x), 8)
        for step in x.unsqueeze(1).expand(-1, 3, -1).unbind(1):
            h = self.cell(step, h)
        return self.out(h)


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(inplace=True), nn.Dropout(0.1), nn.Linear(8, 2))


def transformer() -> nn.Module:
    layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
    return nn.Sequential(nn.Unflatten(1, (1, 4)), layer, nn.Flatten(), nn.Linear(4, 2))


OPTIMIZERS = {
    "SGD": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9),
    "Adam": lambda p: torch.optim.Adam(p),
    "AdamW foreach": lambda p: torch.optim.AdamW(p, foreach=True),
    "Adam fused": lambda p: torch.optim.Adam(p, fused=True),
}
TRAINING = """
for step in range(12):
    optimizer.zero_grad()
    out = net(x)
    loss = ((out - y) ** 2).mean()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    with torch.no_grad():
        for old, new in zip(target.parameters(), net.parameters()):
            old.mul_(0.9).add_(new, alpha=0.1)
    total = total + loss.item()
"""


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("model", [mlp, transformer, Recurrent])
def test_a_correct_training_is_not_accused(model: Any, optimizer: str) -> None:
    net = model()
    names = {
        "torch": torch, "net": net, "optimizer": OPTIMIZERS[optimizer](net.parameters()),
        "x": torch.randn(6, 4), "y": torch.randn(6, 2), "total": 0.0, "__name__": "__main__",
        "target": copy.deepcopy(net),
    }  # fmt: skip
    with graphwidget.diagnose() as found:
        exec(compile(TRAINING, "<training>", "exec"), names)
    assert found.findings == []


GAN = """
for step in range(12):
    z = torch.randn(6, 3)
    fake = G(z)
    d_loss = (D(real) - 1).pow(2).mean() + D(fake.detach()).pow(2).mean()
    d_opt.zero_grad()
    d_loss.backward()
    d_opt.step()
    g_loss = (D(fake) - 1).pow(2).mean()
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
"""


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_correct_gan_is_not_accused(optimizer: str) -> None:
    d, g = nn.Sequential(nn.Linear(4, 5), nn.LeakyReLU(), nn.Linear(5, 1)), nn.Linear(3, 4)
    make = OPTIMIZERS[optimizer]
    names = {
        "torch": torch, "D": d, "G": g, "d_opt": make(d.parameters()), "real": torch.randn(6, 4),
        "g_opt": make(g.parameters()), "__name__": "__main__",
    }  # fmt: skip
    with graphwidget.diagnose() as found:
        exec(compile(GAN, "<gan>", "exec"), names)
    assert found.findings == []


FAILS = """
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))
y = net[0](torch.randn(4, 2)).exp()
y += 1
net[1](y).mean().backward()
"""


def test_of_a_backward_that_failed_no_parameter_is_blamed() -> None:
    findings, error, _ = run(FAILS, "failed half way")
    assert error is not None
    assert [each.kind for each in findings] == ["stale"]
    notes = list(findings[0].lines())
    assert error.__notes__ == notes
    assert "y += 1" in notes[1]


def test_the_parameters_of_every_network_are_named() -> None:
    source = BROKEN["gan"].source.replace("torch.nn.Linear(2,2)", "torch.nn.Linear(2,2).eval()")
    (finding,), _, _ = run(source, "two networks")
    assert finding.text.startswith("D[1].weight was overwritten")


STEPPED = """
critic, actor = torch.nn.Linear(3, 1), torch.nn.Linear(2, 3)
critic_opt = torch.optim.SGD(critic.parameters(), lr=0.1)
def learn(loss):
    loss.backward()
    critic_opt.step()
state = torch.randn(4, 2)
critic_loss = critic(torch.randn(4, 3)).pow(2).mean()
actor_loss = -critic(actor(state)).mean()
learn(critic_loss)
actor_loss.backward()
"""


def test_a_line_that_only_has_to_stand_later_is_to_be_moved() -> None:
    (finding,), _, _ = run(STEPPED, "computed too early")
    assert finding.text.endswith("Move line 9 to after line 10.")
    lines = STEPPED.splitlines()
    lines[8:10] = reversed(lines[8:10])
    assert run("\n".join(lines), "computed later")[:2] == ([], None)
    assert finding.fix == f"{lines[9]}  # after line 10"


def test_no_line_is_to_be_moved_past_what_reads_its_result() -> None:
    printed = STEPPED.replace("learn(critic_loss)", "print(actor_loss.shape)\nlearn(critic_loss)")
    (finding,), _, _ = run(printed, "computed too early, and printed")
    assert finding.text.endswith("Compute again, after line 11, what backward needs.")


def test_an_error_in_a_hook_is_explained_where_it_was_raised_and_not_again_outside() -> None:
    source = """
z = torch.ones(3, requires_grad=True)
def hook(grad):
    return torch.autograd.grad(grad.detach().sum(), z)[0]
y = torch.ones(3, requires_grad=True) * 2
y.register_hook(hook)
y.sum().backward()
"""
    (finding,), error, _ = run(source, "hook")
    assert error is not None
    assert finding.reader is not None
    assert finding.reader.text == "return torch.autograd.grad(grad.detach().sum(), z)[0]"
    assert run(BROKEN["slice"].source, "after it")[0][0].culprit.text == "b[0] = 5."


def test_explain_says_of_what_it_speaks() -> None:
    with graphwidget.watch():
        a = graphwidget.ones(2, requires_grad=True)
        b = a.exp()
        b.add_(1)
        with pytest.raises(RuntimeError, match="inplace operation"):
            b.sum().backward()
    assert "explain() is about watched programs on the real PyTorch" in repr(graphwidget.explain())
    with graphwidget.watch():
        with pytest.raises(RuntimeError, match="must match the size"):
            torch.ones(2) + torch.ones(3)
        torch.ones(2, requires_grad=True).sum().backward()
    assert repr(graphwidget.explain()) == "Nothing was found."
