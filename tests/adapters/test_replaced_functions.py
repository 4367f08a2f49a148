"""Functions of PyTorch's that the program has replaced run as often as without a watcher."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest
import torch

import graphwidget

X = torch.tensor([[1.0, 2.0], [3.0, -4.0]])
WATCHED = [graphwidget.watch, graphwidget.diagnose]


def plain(calls: list[int], before: Callable[..., Any]) -> Callable[..., Any]:
    def mine(*args: Any, **kwargs: Any) -> Any:
        calls.append(1)
        result = before(*args, **kwargs)
        return torch.add(result, 1) if isinstance(result, torch.Tensor) else result

    return mine


def wrapped(calls: list[int], before: Callable[..., Any]) -> Callable[..., Any]:
    return functools.wraps(before)(plain(calls, before))


class Unhashable:
    """A replacement that is no function, and has no hash."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, calls: list[int], before: Callable[..., Any]) -> None:
        self.mine = plain(calls, before)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.mine(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)


F, T = torch.nn.functional, torch.Tensor
REPLACED: dict[str, tuple[Any, str, Callable[[], Any]]] = {
    "relu": (F, "relu", lambda: F.relu(X)),
    "relu in a module": (F, "relu", lambda: torch.nn.ReLU()(X)),
    "softmax": (F, "softmax", lambda: F.softmax(X, -1)),
    "dropout": (F, "dropout", lambda: torch.nn.Dropout(0.0)(X)),
    "loss": (F, "cross_entropy", lambda: torch.nn.CrossEntropyLoss()(X, torch.tensor([0, 1]))),
    "dispatched by a flag": (F, "max_pool1d", lambda: F.max_pool1d(X, 2)),
    "compiled": (torch, "relu", lambda: torch.relu(X)),
    "in Python": (torch, "einsum", lambda: torch.einsum("ij,jk", X, X)),
    "factory": (torch, "ones", lambda: torch.ones(2)),
    "method": (T, "mul", lambda: X.mul(3)),
    "method in Python": (T, "norm", lambda: X.norm()),
    "operator": (T, "__matmul__", lambda: X @ X),
    "reflected operator": (T, "__rsub__", lambda: 1 - X),
}


@contextmanager
def replaced(owner: Any, name: str, by: Any) -> Iterator[None]:
    own = vars(owner).get(name)
    setattr(owner, name, by)
    try:
        yield
    finally:
        if own is None:
            delattr(owner, name)
        else:
            setattr(owner, name, own)


@pytest.mark.parametrize("replacement", [plain, wrapped, Unhashable])
@pytest.mark.parametrize("case", REPLACED)
def test_a_replaced_function_runs_once(case: str, replacement: Any) -> None:
    owner, name, use = REPLACED[case]
    calls: list[int] = []
    with replaced(owner, name, replacement(calls, getattr(owner, name))):
        results = []
        for watched in (nullcontext, *WATCHED):
            calls.clear()
            with watched():
                result = use()
            results.append((result, len(calls)))
    [(expected, count), *others] = results
    assert count == 1
    for result, again in others:
        assert again == 1
        torch.testing.assert_close(result, expected, rtol=0, atol=0)


@pytest.mark.parametrize("watched", WATCHED)
def test_a_replaced_backward_and_a_replaced_attribute(watched: Any) -> None:
    backward, transposed = T.backward, torch._C.TensorBase.T

    def doubled(self: Any, *args: Any, **kwargs: Any) -> Any:
        return backward(self * 2, *args, **kwargs)

    w = torch.ones(2, requires_grad=True)
    with replaced(T, "backward", doubled), watched():
        (w * 3).sum().backward()
    assert w.grad is not None
    assert w.grad.tolist() == [6.0, 6.0]
    with replaced(T, "T", property(lambda self: transposed.__get__(self) * 2)), watched():
        assert torch.equal(X.T, X.t() * 2)


@pytest.mark.parametrize("watched", WATCHED)
def test_what_a_replacement_calls_is_in_the_picture(watched: Any) -> None:
    relu = F.relu
    w = torch.tensor([-1.0, 2.0], requires_grad=True)
    with replaced(F, "relu", lambda x: relu(x) * 2), graphwidget.watch() as graph:
        F.relu(w).sum().backward()
    assert [call["op"] for call in graph.model.calls.values()] == ["relu", "mul", "sum"]
