"""Whatever a PyTorch function or method may be called with, by position or by name, ours takes."""

from __future__ import annotations

from pathlib import Path

import graphwidget as torch
from graphwidget.dispatch import signatures
from tests.structure import parsers
from tests.structure.signatures import all_complaints


def test_the_table_is_pytorchs() -> None:
    made = Path(signatures.PATH).read_text() == parsers.table()
    assert made, "python -m tests.structure.parsers writes it anew"
    assert parsers.in_library() == set()
    for section in parsers.SECTIONS:
        for name in parsers.names(section):
            known = parsers.known(section, name)
            assert signatures.inner_signatures(section, name) == known, name
            assert signatures.is_known(section, name) == bool(known), name


def test_arguments_are_those_of_the_schemas() -> None:
    assert all_complaints() == []


def test_by_name() -> None:
    x = torch.arange(6.0).reshape(2, 3)
    assert torch.relu(input=-x).sum() == 0
    assert torch.linalg.norm(input=x) == x.norm()
    assert torch.exp_(input=torch.zeros(2)).tolist() == [1, 1]
    assert torch.max(x, other=x + 1).equal(x + 1)
    assert [part.shape for part in torch.tensor_split(x, sections=3, dim=1)] == [(2, 1)] * 3
    assert x.split(split_size=1)[1].tolist() == [[3, 4, 5]]
    assert x.flip(dims=(0,)).equal(torch.flip(x, (0,)))
    assert x.repeat(repeats=(2, 1)).shape == torch.tile(x, dims=(2, 1)).shape == (4, 3)
    assert torch.randint(3, size=(2,)).shape == (2,)
    assert x.clone().addmm_(mat1=torch.ones(2, 1), mat2=torch.ones(1, 3)).equal(x + 1)
