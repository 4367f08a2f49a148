"""PyTorch's own engine, held between its nodes, gives the bits that a plain backward gives."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import torch

import graphwidget
from tests.adapters.stepped_models import PROGRAMS, Program, mlp


def dense(grad: Any) -> Any:
    return grad.to_dense() if grad is not None and grad.layout != torch.strided else grad


def plain(program: Program) -> list[Any]:
    torch.manual_seed(0)
    loss, leaves = program()
    loss.backward()
    return [dense(leaf.grad) for leaf in leaves]


def equal(grads: list[Any], others: list[Any]) -> bool:
    pairs = zip(map(dense, grads), others, strict=True)
    return all(a is b if b is None else torch.equal(a, b) for a, b in pairs)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_model_runs_up_to_a_node_and_stops_there(program: Program) -> None:
    wanted = plain(program)
    torch.manual_seed(0)
    with graphwidget.watch() as graph:
        loss, leaves = program()
        nodes = [loss.grad_fn]
        while following := [node for node, _nr in nodes[-1].next_functions if node is not None]:
            nodes.append(following[0])
        ran: list[int] = []
        for number, node in enumerate(nodes):
            node.register_hook(lambda *_grads, number=number: ran.append(number))
        run = graph.step(loss)
        for number, node in enumerate(nodes[:-1]):
            run.until(node)
            assert number in ran
            assert number + 1 not in ran
        run.finish()
    assert run.status == "ok"
    assert equal([leaf.grad for leaf in leaves], wanted)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_model_that_is_given_up_midway_can_be_run_again(program: Program) -> None:
    wanted = plain(program)
    torch.manual_seed(0)
    with graphwidget.watch() as graph:
        loss, _leaves = program()
        run = graph.step(loss).next(2)
        if not run.over:
            run.abandon()
            assert run.status == "abandoned"
    assert threading.active_count() < 50
    assert equal(plain(program), wanted)


def test_a_gradient_asked_for_midway_is_kept() -> None:
    x = torch.randn(3, requires_grad=True)
    y = x.exp()
    z = y.sin()
    with graphwidget.watch() as graph:
        run = graph.step(z.sum()).next()
        y.retain_grad()
        run.finish()
    assert torch.equal(y.grad, z.detach() * 0 + y.detach().cos())
    assert torch.equal(x.grad, y.grad * y.detach())


def test_an_interrupt_between_nodes_leaves_pytorch_usable() -> None:
    wanted = plain(mlp)
    x = torch.randn(3, requires_grad=True)
    y = x * 2

    def interrupt(_grad: Any) -> None:
        raise KeyboardInterrupt

    y.register_hook(interrupt)
    with graphwidget.watch() as graph:
        run = graph.step(y.exp().sum())
        with pytest.raises(KeyboardInterrupt):
            run.finish()
    assert run.over
    assert equal(plain(mlp), wanted)


def test_two_runs_at_once_do_not_mix() -> None:
    a, b = torch.ones(2, requires_grad=True), torch.full((2,), 2.0, requires_grad=True)
    with graphwidget.watch() as graph:
        first, second = graph.step((a * a * 3).sum()), graph.step((b * b * 5).sum())
        while not (first.over and second.over):
            for run in (first, second):
                if not run.over:
                    run.next()
    assert a.grad.tolist() == [6.0, 6.0]
    assert b.grad.tolist() == [20.0, 20.0]
