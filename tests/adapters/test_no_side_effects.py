"""Watching changes nothing of the user's program: modes, traces, other threads, what is deleted."""

from __future__ import annotations

import os
import threading
import traceback
import warnings
import weakref
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import graphwidget
from graphwidget.graph import listeners

WATCHED: list[Callable[[], Any]] = [graphwidget.diagnose, graphwidget.watch]


def net() -> Any:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))


def modes() -> int:
    """Return how many function modes are on."""
    return torch._C._len_torch_function_stack()


@pytest.mark.parametrize("watched", WATCHED)
def test_a_device_chosen_around_a_step_ends_with_its_block(watched: Callable[[], Any]) -> None:
    model, before = net(), modes()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with watched():
        model(torch.ones(3, 4)).sum().backward()
        with torch.device("meta"):
            optimizer.step()
            assert torch.empty(1).device.type == "meta"
        assert torch.empty(1).device.type == "cpu"
    assert (torch.empty(1).device.type, modes()) == ("cpu", before)


@pytest.mark.parametrize("terms", [1, 2, 3])
@pytest.mark.parametrize("watched", WATCHED)
def test_gradients_are_added_in_place_where_they_are_without_us(
    watched: Callable[[], Any], terms: int
) -> None:
    def versions() -> list[int]:
        x, found = torch.ones(3, requires_grad=True), []
        for _ in range(2):
            sum((x * k).exp().sum() for k in range(terms)).backward()
            found.append(x.grad._version)
        return found

    plain = versions()
    with watched():
        assert versions() == plain


def test_gradients_that_are_zeroed_in_place_are_seen_to_be_written() -> None:
    weight = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.SGD([weight], 0.1)
    with graphwidget.diagnose():
        weight.sum().backward()
        assert weight.grad is not None
        scaled = (weight.grad * weight).sum()
        optimizer.zero_grad(set_to_none=False)
        with pytest.raises(RuntimeError, match="inplace") as raised:
            scaled.backward()
    assert any("optimizer.zero_grad(set_to_none=False)" in each for each in raised.value.__notes__)


@pytest.mark.parametrize("watched", WATCHED)
@pytest.mark.filterwarnings("ignore:.*jit.*:DeprecationWarning")
def test_a_traced_module_is_what_it_was(watched: Callable[[], Any]) -> None:
    model, x = net(), torch.ones(3, 4)

    def traced() -> list[str]:
        return [node.kind() for node in torch.jit.trace(model, x).inlined_graph.nodes()]

    plain = traced()
    with watched():
        assert traced() == plain


@pytest.mark.parametrize("watched", WATCHED)
def test_dynamo_sees_a_watched_model_as_it_is(watched: Callable[[], Any]) -> None:
    torch._dynamo.reset()  # it says each warning once
    model, x = net(), torch.ones(3, 4)
    with watched(), warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled = torch.compile(model, backend="eager")
        loss = compiled(x).sum()
    assert torch.equal(loss, model(x).sum())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.parametrize("watched", WATCHED)
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_that_is_forked_is_not_watched(watched: Callable[[], Any]) -> None:
    reading, writing = os.pipe()
    with watched():
        child = os.fork()
        if not child:
            own = listeners.get_observer() is not None
            os.write(writing, bytes([modes(), own]))
            os._exit(0)
        os.waitpid(child, 0)
        assert modes() == 1
        assert listeners.get_observer() is not None
    assert os.read(reading, 2) == bytes([0, False])


def test_a_mode_of_the_users_hears_the_programs_operations_alone() -> None:
    class Heard(TorchDispatchMode):
        def __init__(self) -> None:
            super().__init__()
            self.names: list[str] = []

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            self.names.append(str(func))
            return func(*args, **(kwargs or {}))

    def observed() -> list[str]:
        model = net()
        with Heard() as mode:
            (model(torch.ones(3, 4)) ** 2).mean().backward()
        return mode.names

    plain = observed()
    with graphwidget.diagnose():
        assert observed() == plain


def test_a_backward_of_another_thread_during_a_step_is_left_alone() -> None:
    begun, over = threading.Event(), threading.Event()
    found: list[int] = []

    class Slow(torch.optim.SGD):
        def step(self, closure: Any = None) -> Any:
            begun.set()
            over.wait(120)
            return super().step(closure)

    def other() -> None:
        begun.wait(120)
        (torch.ones(2, requires_grad=True) * 2).sum().backward()
        found.append(modes())
        over.set()

    before, model = modes(), net()
    thread = threading.Thread(target=other)
    with graphwidget.diagnose():
        thread.start()
        model(torch.ones(3, 4)).sum().backward()
        Slow(model.parameters(), 0.1).step()
        thread.join()
        watched = modes()
    assert (found, watched, modes()) == ([0], before + 1, before)


@pytest.mark.parametrize("library", [torch, graphwidget])
def test_what_a_turn_of_a_loop_within_a_loop_deletes_is_gone_with_it(library: Any) -> None:
    def train() -> list[bool]:
        x, gone = library.ones(3, requires_grad=True), []
        for _epoch in range(2):
            for _batch in range(3):
                y = x * 2
                loss = y.sum()
                loss.backward()
                kept = [weakref.ref(y), weakref.ref(loss)]
                del y, loss
                gone += [each() is None for each in kept]
        return gone

    with graphwidget.watch():
        assert all(train())


def test_gradients_that_are_too_large_for_half_precision_accuse_no_line() -> None:
    model = net().half()
    with graphwidget.diagnose() as found:
        loss = torch.nn.functional.mse_loss(
            model(torch.ones(3, 4).half()).float(), torch.zeros(3, 2)
        )
        (loss * 2.0**24).backward()  # a scaler skips such a step
    assert any(each.grad.isnan().any() for each in model.parameters())
    assert found.findings == []


WARNED = """
x = torch.ones(2, 3, requires_grad=True)
y = x * 2
for turn in range(2):
    y.grad
y.grad
torch.nn.functional.mse_loss(y, torch.ones(2, 1))
torch.nn.MSELoss()(y, torch.ones(1, 3))
"""


@pytest.mark.parametrize("action", ["default", "always", "ignore"])
def test_warnings_name_the_lines_that_they_name_without_us(action: Any) -> None:
    def warned(around: Any) -> list[tuple[str, int, str]]:
        with warnings.catch_warnings(record=True) as observed:
            warnings.simplefilter(action)
            before = warnings.showwarning
            with around():
                exec(compile(WARNED, "<warned>", "exec"), {"torch": torch})
            assert warnings.showwarning is before
            assert "graphwidget" not in str(warnings.filters)
        return [(each.filename, each.lineno, str(each.message)) for each in observed]

    without = warned(nullcontext)
    for watched in WATCHED:
        assert warned(watched) == without
    assert len(without) == {"default": 4, "always": 5, "ignore": 0}[action]


@pytest.mark.parametrize("watched", WATCHED)
def test_gradcheck_accuses_nobody(watched: Any) -> None:
    x = torch.linspace(1, 2, 3, dtype=torch.double, requires_grad=True)
    with watched():
        assert torch.autograd.gradcheck(lambda x: (x**2).sum(), x)
        assert torch.autograd.gradgradcheck(lambda x: (x**3).sum(), x)
    assert list(graphwidget.explain()) == []


@pytest.mark.parametrize("watched", WATCHED)
def test_the_traceback_of_an_error_is_what_it_is_without_us(watched: Callable[[], Any]) -> None:
    def lines(around: Callable[[], Any]) -> list[tuple[str, str]]:
        with pytest.raises(RuntimeError) as raised, around():
            net()(torch.ones(3, 5))
        return [
            (frame.filename, frame.name)
            for frame in traceback.extract_tb(raised.value.__traceback__)
            if not frame.filename.endswith("contextlib.py")
        ]

    assert lines(watched) == lines(nullcontext)
