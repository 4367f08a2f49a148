"""Numbers that do not fit the type they are written or computed in: PyTorch's refusals."""

from __future__ import annotations

import pytest

from tests.core.both import both, source

HEAD = """
x = torch.ones(3, dtype=torch.uint8)
h, f, i, b = x.half(), x.float(), x.long(), x.bool()
first = torch.tensor([0])
"""

CALLS = """
torch.add(x, x, alpha={n})
torch.sub(f, f, alpha={n})
torch.rsub(x, 2, alpha={n})
torch.addcmul(x, x, x, value={n})
torch.addmm(x, x[None].expand(3, 3), x[None].expand(3, 3), alpha={n})
[each.clone().fill_({n}) for each in (x, i, b)]
h.clone().fill_({n})
f.clone().fill_({n})
x.masked_fill(b, {n})
h.masked_fill(b, {n})
f.masked_fill(b, {n})
x.index_fill(0, first, {n})
x.index_add(0, first, x[:1], alpha={n})
f.scatter(0, first, {n})
torch.where(b, {n}, x)
torch.where(b, {n}, h)
torch.where(b, {n}, f)
torch.clamp(f, max={n})
h.pow({n})
torch.nn.functional.pad(x, (1, 1), value={n})
torch.nn.functional.threshold(x, 0, {n})
torch.full((2,), {n})
torch.full((2,), {n}, dtype=torch.float16)
torch.full_like(x, {n})
torch.linspace(0, {n}, 3, dtype=torch.uint8)
torch.linspace(0, {n}, 3)
f + {n}
x.fmod({n})
x.remainder({n})
x.__setitem__(0, {n})
h.__setitem__(0, {n})
f.__setitem__(first, {n})
""".strip().splitlines()

NUMBERS = ["-3", "300", "-300", "70000.", "1e300", "float('inf')", "2**63", "2**64", "-2**64"]


@pytest.mark.parametrize("call", CALLS)
def test_numbers_beyond_a_type(call: str) -> None:
    for number in NUMBERS:
        if "fmod" in call or "remainder" in call:
            number = "300" if number == "-300" else "-3"
        both(source(f"{HEAD}result = [attempt(lambda: {call.format(n=number)}), x, h, f]"))


def test_factors_have_the_results_kind() -> None:
    for call in ("f.add(f, alpha=True)", "x.add(x, alpha=1.0)", "b.add(b, alpha=True)",
                 "f.sub(f, alpha=1.0)"):  # fmt: skip
        both(source(f"{HEAD}result = attempt(lambda: {call})"))


def test_ends_of_integer_lines_are_integers() -> None:
    for call in ("0.5, 3.5, 3, dtype=torch.int64", "-3, 3, 3, dtype=torch.uint8"):
        both(source(f"result = torch.linspace({call})"))
