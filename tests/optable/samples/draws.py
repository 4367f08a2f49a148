"""Samples of random numbers: seeded, so that both engines draw the same."""

from __future__ import annotations

from .sample import FITTING, ONE, Sample

SEED = "torch.manual_seed(3)"


def seeded(text: str) -> list[Sample]:
    return [Sample(f"{SEED} and {text}", ONE, True, integers=False)]


SAMPLES: dict[str, list[Sample]] = {
    "normal.written": seeded("(x * 1).normal_()"),
    "uniform.written": seeded("(x * 1).uniform_()"),
    "exponential.written": seeded("(x * 1).exponential_()"),
    "bernoulli.written": seeded("(x * 1).bernoulli_()"),
    "random.range": seeded("(x * 1).random_(1, 9)"),
    "random.below": seeded("(x * 1).random_(9)"),
    "random.written": seeded("(x * 1).random_()"),
    "bernoulli.tensor": [Sample(f"{SEED} and (x * 1).bernoulli_(y / 9)", FITTING, True)],
    "bernoulli": seeded("torch.bernoulli(x / 9)"),
    "normal.mean": seeded("torch.normal(x, 2.0)"),
    "normal.std": seeded("torch.normal(1.0, x)"),
    "normal.both": [Sample(f"{SEED} and torch.normal(x, y)", FITTING, True, integers=False)],
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
