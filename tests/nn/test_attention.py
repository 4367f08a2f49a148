"""Attention and transformers against PyTorch: values, gradients, masks and errors."""

from pathlib import Path

import pytest

from tests.compare_engines import both, programs, source

SETUP = """
nn, F = torch.nn, torch.nn.functional
inf = float("inf")
torch.manual_seed(0)
def show(out, *leaves):
    out.sum().backward() if out.ndim == 0 else (out * out.detach().cos()).sum().backward()
    return [out.detach(), plain([x.grad for x in leaves if x.grad is not None])]
def rand(*shape):
    return torch.randn(*shape, requires_grad=True)
"""

PROGRAMS = Path(__file__).with_name("attention.txt").read_text("utf-8")


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_attention(title: str, text: str) -> None:
    both(source(SETUP + text))
