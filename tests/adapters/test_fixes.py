"""A fix that is typed in runs, from the first iteration on, and computes what was meant."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tests.adapters.apply_fix import mended
from tests.adapters.faulty_programs import MEANT
from tests.adapters.test_diagnosis import run


def plainly(source: str) -> dict[str, Any]:
    """The names of a program that runs to its end."""
    names: dict[str, Any] = {"torch": torch, "__name__": "__main__"}
    torch.manual_seed(0)
    exec(compile(source, "<plain>", "exec"), names)
    return names


def values(names: dict[str, Any], wanted: str) -> list[Any]:
    return [eval(each, names) for each in wanted.split(", ")]


@pytest.mark.parametrize("name", MEANT)
def test_what_is_typed_in_computes_what_was_meant(name: str) -> None:
    wanted = MEANT[name]
    findings, _, _ = run(wanted.source, name)
    assert [each.kind for each in findings] == [wanted.kind]
    (finding,) = findings
    assert finding.fix
    fixed = mended(wanted.source, finding)
    found, error, names = run(fixed, f"{name}, fixed")
    assert (error, found) == (None, []), fixed
    for one, other in zip(
        values(names, wanted.same), values(plainly(wanted.intended), wanted.same), strict=True
    ):
        assert (one is None) == (other is None), fixed
        if one is not None:
            torch.testing.assert_close(one, other)


CALLS = {
    "a linear layer": (
        "net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(2 * 4, 3))\n"
        "y = net(torch.ones(5, 3, 4))", "have 12 items, those of net[1].weight have 8.", (5, 3),
    ),
    "a convolution": (
        "net = torch.nn.Conv2d(3, 4, 2)\nx = torch.ones(5, 1, 3, 3)\ny = net(x)",
        "x has 1, net.weight takes 3.", (5, 4, 2, 2),
    ),
    "a product": (
        "x, w = torch.ones(3, 4), torch.ones(2, 4)\ny = x @ w",
        "the rows of x have 4 items, the columns of w have 2.", (3, 2),
    ),
    "a sum": (
        "a, b = torch.ones(3, 4), torch.ones(3)\ny = a * b", "a has 4 and b has 3.", (3, 4),
    ),
    "a loss": (
        "loss = torch.nn.functional.cross_entropy\nx, t = torch.ones(3, 2), torch.ones(4).long()\n"
        "y = loss(x, t)", "cross_entropy was given x (3, 2) and t (4,).", None,
    ),
    "other types": (
        "net = torch.nn.Linear(3, 2)\nx = torch.ones(2, 3).double()\ny = net(x)",
        "Their types are float64, float32, float32.", None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_failed_is_explained(name: str) -> None:
    source, said, shape = CALLS[name]
    (finding,), error, _ = run(source, name)
    assert finding.kind == "call"
    assert finding.text.endswith(said)
    assert error.__notes__ == [*finding.lines()]
    assert bool(finding.fix) == (shape is not None)
    if shape is not None:
        assert plainly(mended(source, finding))["y"].shape == shape


CHECKPOINTED = """
from torch.utils.checkpoint import checkpoint
class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.calls = torch.nn.Linear(3, 3), 0
    def forward(self, x, kept):
        {line}
        if {test}:
            x = torch.cat([x, x])
        return torch.tanh(self.a(x))
net, x = Block(), torch.ones(2, 3, requires_grad=True)
y = checkpoint(net, x, [], use_reentrant=False)
y.sum().backward()
"""


@pytest.mark.parametrize(
    ("line", "test"),
    [("kept.append(x)", "len(kept) > 1"), ("self.calls += 1", "self.calls > 1")],
)
def test_what_a_checkpoint_computes_otherwise_the_second_time(line: str, test: str) -> None:
    (finding,), error, _ = run(CHECKPOINTED.format(line=line, test=test), line)
    assert error is not None
    assert finding.kind == "refused"
    assert (finding.culprit.text, finding.fix) == (line, "")
    assert finding.reader.text == "y = checkpoint(net, x, [], use_reentrant=False)"


LEAKING = """
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
losses, seen, total = [], [], 0.0
{hook}
for step in range(40):
    loss = net(torch.ones(4, 3)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    {more}
"""
HOOK = "net[1].register_forward_hook(lambda module, given, out: seen.append(out))"


@pytest.mark.parametrize(
    ("hook", "more", "culprits"),
    [
        (HOOK, "", {HOOK}),
        (
            "", "total = total + loss; losses.append(loss)".replace("; ", "\n    "),
            {"total = total + loss", "losses.append(loss)"},
        ),
    ],
)  # fmt: skip
def test_all_that_keeps_graphs_is_found_and_mended(
    hook: str, more: str, culprits: set[str]
) -> None:
    source = LEAKING.format(hook=hook, more=more)
    findings, _, _ = run(source, "leaking")
    assert {each.culprit.text for each in findings} == culprits
    for each in findings:
        source = mended(source, each)
    assert run(source, "leaking, fixed")[:2] == ([], None)
