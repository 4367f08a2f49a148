"""Tensors with new ``.data`` of another form: backward gives right gradients, or says why not."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import graphwidget
from tests.both import attempt, is_tensor, source

USES = {
    "seed": "y.backward(torch.ones(shape))",
    "former seed": "y.backward(torch.ones(2, 3))",
    "sum": "y.sum().backward()",
    "product": "(y * 3).sum().backward()",
    "joined": "torch.cat([w.flatten(), y.flatten()]).sum().backward()",
    "both": "(z.sum() + (y * 7).sum()).backward()",
    "before": "z.sum().backward()",
    "gradient": "got += torch.autograd.grad((y ** 2).sum(), [y], create_graph=True)",
    "gradients": "got += torch.autograd.grad((y ** 2).sum(), [w, y], create_graph=True)",
    "itself": "got += torch.autograd.grad(y, y, torch.ones(shape))",
    "edge": "got += torch.autograd.grad(y.sum(), torch.autograd.graph.get_gradient_edge(y))",
    "only": "y.sum().backward(inputs=[y])",
    "hooks": "y.register_hook(lambda g: got.append(g.clone())); (y * 3).sum().backward()",
    "retained": "y.retain_grad(); (y * 3).sum().backward()",
    "written": "y.mul_(3); y.sum().backward()",
    "view": "v = y.view(-1)[:1]; v.mul_(2); (y * 2).sum().backward()",
    "with what it was": "(y * q).sum().backward()",
    "twice": "y.data = torch.ones(2, 3); y.sum().backward()",
    "roots": "torch.autograd.backward([w.sum(), y], [None, torch.ones(shape)])",
}
SHAPES = [(4, 2, 3), (1, 3), (6,), ()]
PLACES = {
    "leaf": "y = w",
    "result": "y = w * 2",
    "saved": "y = w.exp()",
    "part": "y = torch.stack([w, w]).unbind()[1]",
    "view": "y = (w * 2).view(2, 3)",
    "view of a leaf": "y = w[:, :]",
}
DTYPES = ("float64", "float32")


def outcome(engine: Any, use: str, place: str, shape: tuple[int, ...], dtype: str) -> Any:
    """What a use gives: gradients by name, and their tensors' shapes; or its error."""
    text = f"""
shape, got = {shape}, []
w = torch.arange(1., 7., dtype=torch.float64).reshape(2, 3).requires_grad_()
{PLACES[place]}
z, q = y * 5, y.detach() * 0 + 1
y.data = torch.ones(shape, dtype=torch.{dtype})
import warnings
warnings.simplefilter("ignore")
{USES[use]}
result = [y, w, got]
"""
    return attempt(lambda: source(text)(engine))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("use", USES)
def test_right_or_refused(use: str, place: str, shape: tuple[int, ...], dtype: str) -> None:
    ours = outcome(graphwidget, use, place, shape, dtype)
    if ours[0] == "raises":
        assert ours[1] == "RuntimeError", ours
        return
    for each in ours[:2]:
        assert each.grad is None or each.grad.shape == each.shape
    theirs = outcome(torch, use, place, shape, dtype)
    if theirs[0] != "raises":
        pairs = [(ours[0].grad, theirs[0].grad), (ours[1].grad, theirs[1].grad)]
        same = shape == (2, 3)
        for mine, their in (*pairs, *zip(ours[2], theirs[2], strict=True)):
            assert is_tensor(mine) == is_tensor(their)
            # PyTorch gives some by the shape, or the base, that the tensor had before.
            if (
                is_tensor(mine)
                and mine.shape == their.shape
                and (place not in ("leaf", "view") or same)
            ):
                assert mine.tolist() == their.tolist()


def test_values_and_shape() -> None:
    leaf = graphwidget.ones(2, 3, requires_grad=True)
    result = leaf * 2
    for each in (leaf, result, leaf[0], result.view(6)):
        each.data = graphwidget.arange(4.0)
        assert each.tolist() == [0, 1, 2, 3]
        assert each.shape == (4,)
        assert each.requires_grad
    (leaf * 3).sum().backward()
    assert leaf.grad.tolist() == [3, 3, 3, 3]
