"""Anomaly mode, on both engines."""

from __future__ import annotations

import re
import warnings
from types import ModuleType
from typing import Any

import pytest
import torch

import graphwidget
from tests.compare_engines import both, programs, source

PROGRAMS = """
# nan
x = torch.tensor([0., 1.], requires_grad=True)
def tried(f):
    with torch.autograd.set_detect_anomaly(True):
        return attempt(lambda: f().backward())
result = [tried(lambda: ((x * 0).sqrt() * 0).sum()), tried(lambda: (x * x).sum()),
          tried(lambda: (x / 0 * 0).sum()),
          tried(lambda: (torch.ones(2) ** (x * float("nan"))).sum()), x.grad]

# nan that is let pass
x = torch.tensor([0., 1.], requires_grad=True)
with torch.autograd.set_detect_anomaly(True, check_nan=False):
    reported = [torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()]
    ((x * 0).sqrt() * 0).sum().backward()
result = [reported, torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled(), x.grad]

# switching
reported = []
note = lambda: reported.append((torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()))
torch.autograd.set_detect_anomaly(True)
note()
with torch.autograd.set_detect_anomaly(False):
    note()
note()
torch.autograd.set_detect_anomaly(False)
note()
with torch.autograd.detect_anomaly(check_nan=False):
    note()
    with torch.autograd.set_detect_anomaly(True):
        note()
    note()
note()
result = [reported, attempt(lambda: torch.autograd.set_detect_anomaly("a")),
          attempt(lambda: torch.autograd.set_detect_anomaly(True, 5))]

# the hint of a version error
x = torch.tensor([1., 2.], requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    y = x.exp()
    y.add_(1)
    found = attempt(lambda: y.sum().backward())
result = [found, attempt(lambda: y.grad_fn.next_functions[0][0]._saved_result)]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS))
def test_same(title: str, text: str) -> None:
    def without_tracebacks(engine: Any) -> Any:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Error detected in")
            return source(text)(engine)

    both(without_tracebacks)


def forward_lines(engine: ModuleType, known: bool) -> tuple[str, list[str]]:
    """The warning about a failing backward: its first sentence, and the lines of this file."""
    x = engine.tensor([0.0, 1.0], requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if known:
            with engine.autograd.detect_anomaly():
                y = (x * 0).sqrt()
                with pytest.raises(RuntimeError):
                    (y * 0).sum().backward()
        else:
            y = (x * 0).sqrt()
            with engine.autograd.detect_anomaly(), pytest.raises(RuntimeError):
                (y * 0).sum().backward()
    texts = [str(each.message) for each in caught if issubclass(each.category, UserWarning)]
    enabled, failed = texts
    assert enabled.startswith("Anomaly Detection has been enabled.")
    text = failed.partition(" (Triggered internally")[0]
    lines = text.split("\n")
    mine = [line for line in lines if re.search(rf"{re.escape(__file__)}\"", line)]
    after = [lines[lines.index(each) + 1] for each in mine]
    return lines[0], [*mine, *after]


@pytest.mark.parametrize("known", [True, False])
def test_the_warning_shows_the_forward_call(known: bool) -> None:
    ours, theirs = forward_lines(graphwidget, known), forward_lines(torch, known)
    assert ours[0] == theirs[0]
    # the test calls forward_lines from two places of one line
    assert ours[1] == theirs[1]
    assert any("sqrt" in line for line in ours[1]) == known


def test_the_warning_shows_what_induced_a_backward() -> None:
    texts = []
    for engine in (graphwidget, torch):
        x = engine.tensor([1.0, 4.0], requires_grad=True)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with engine.autograd.set_detect_anomaly(True):
                y = (x**1.5).sum()
                (first,) = engine.autograd.grad(y, x, create_graph=True)
                first.register_hook(lambda grad: 1 / 0)
                with pytest.raises(ZeroDivisionError):
                    first.sum().backward()
        text = "".join(str(each.message) for each in caught)
        texts.append(re.findall(r"(?:Error detected in|calculation was induced by) \w+", text))
        assert text.count("engine.autograd.grad(y, x, create_graph=True)") == 1
        assert "y = (x**1.5).sum()" in text
    assert texts[0] == texts[1]


def failing(engine: ModuleType) -> Any:
    """Return what a failing backward raises where warnings are errors."""
    x = engine.tensor([-1.0], requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with engine.autograd.set_detect_anomaly(True), pytest.raises(Exception) as reported:
            x.sqrt().sum().backward()
    return (
        type(reported.value),
        str(reported.value),
        reported.value.__context__,
        engine.is_anomaly_enabled(),
    )


def test_a_warning_made_an_error_does_not_hide_the_error_it_tells_of(
    capsys: pytest.CaptureFixture[str],
) -> None:
    outcomes, printed = [], []
    for engine in (graphwidget, torch):
        outcomes.append(failing(engine))
        lines = capsys.readouterr().err.partition(" (Triggered")[0].strip().split("\n")
        printed.append([lines[0], *lines[-2:]])
    assert outcomes[0] == outcomes[1]
    assert printed[0] == printed[1]
    assert printed[0][0].startswith("UserWarning: Error detected in SqrtBackward0.")
