"""Samples of choices and bounds."""

from __future__ import annotations

from .sample import FITTING, Sample, each, one, two

SAMPLES: dict[str, list[Sample]] = {
    "clamp": [*one("x.clamp(-1, 1)"), *one("x.clamp(min=0.5)"), *one("x.clamp(max=0.5)")],
    "within": one("torch.autograd.grad((x.clamp(-1, 1) ** 2).sum(), x, create_graph=True)[0]"),
    "maximum": two("torch.maximum(x, y)", "torch.maximum(x, x)"),
    "minimum": two("torch.minimum(x, y)"),
    "fmax": two("torch.fmax(x, y)", "torch.fmax(x, x)", "torch.fmax(x.log(), y)"),
    "fmin": two("torch.fmin(x, y)", "torch.fmin(x, x)", "torch.fmin(x, y.log())"),
    "heaviside": two("torch.heaviside(x, y).detach()", "torch.heaviside(x * 0, y).detach()"),
    "heaviside.written": each(FITTING, "(x * 1).heaviside_(y).detach()"),
    "clamp.tensor": [*two("x.clamp(y, y + 1)", "x.clamp(y)", "x.clamp(max=y)"),
                     *each(FITTING, "x.clamp(x, y)")],
    "clamp_min": [*one("x.clamp_min(0.5)"), *one("torch.clamp_min(x, 1)")],
    "clamp_min.tensor": two("x.clamp_min(y)", "x.clamp_min(x)"),
    "clamp_max": [*one("x.clamp_max(0.5)"), *one("torch.clamp_max(x, 1)")],
    "clamp_max.tensor": two("x.clamp_max(y)", "x.clamp_max(x)"),
    "nan_to_num": [*one("x.nan_to_num()"), *one("torch.nan_to_num(x.log(), 2.0)"),
                   *one("torch.nan_to_num(x / 0, posinf=3.0, neginf=-4.0).detach()")],
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = [
    ("x.clamp(0.3, 1)", "z.clamp_(0.3, 1)"),
    ("x.clamp(y, y + 1)", "z.clamp_(y, y + 1)"),
    ("x.clamp(max=y)", "z.clamp_(max=y)"),
    ("x.clamp_min(y)", "z.clamp_min_(y)"),
    ("x.clamp_max(1)", "z.clip_(max=1)"),
    ("x.nan_to_num()", "z.nan_to_num_()"),
]
