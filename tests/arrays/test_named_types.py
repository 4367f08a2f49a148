"""`types`, `return_types` and `newaxis` against PyTorch's."""

import pytest
import torch
import torch.types

import graphwidget
from tests.compare_engines import both, source

RESULTS = [name for name in dir(graphwidget.return_types) if not name.startswith("_")]


@pytest.mark.parametrize("name", RESULTS)
def test_named_results_have_pytorchs_names(name: str) -> None:
    ours, theirs = getattr(graphwidget.return_types, name), getattr(torch.return_types, name)
    values = range(theirs.n_fields)
    assert repr(ours(values)) == repr(theirs(values))
    assert (ours.__name__, ours.__module__) == (theirs.__name__, theirs.__module__)


@pytest.mark.parametrize("name", sorted(set(torch.types.__all__) - {"Storage"}))
def test_types(name: str) -> None:
    shown = str(getattr(graphwidget.types, name)).replace("graphwidget.arrays.devices", "torch")
    assert shown == str(getattr(torch.types, name))


def test_programs_ask_for_types() -> None:
    both(
        source("""
R, T = torch.return_types, torch.types
x = torch.arange(6.).view(2, 3)
out = torch.empty(2), torch.empty(2, dtype=torch.int64)
result = [isinstance(x.max(0), R.max), isinstance(x.max(0), R.min), type(x.sort()) is R.sort,
    isinstance(torch.linalg.svd(x), R.linalg_svd),
    type(torch.max(x, 1, out=out)) is R.max_out, R.topk((x, 2)).indices,
    attempt(lambda: R.no_such_thing)[1], torch.newaxis is None, x[:, torch.newaxis].shape,
    isinstance(3, T.Number), isinstance(x, T.Number), isinstance(x.shape, T._size),
    isinstance(x.dtype, T._dtype), isinstance(x.device, T._device),
    isinstance([x], T._Number), T._int is int]
""")
    )
