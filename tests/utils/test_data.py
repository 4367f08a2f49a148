"""Datasets, samplers and loaders against PyTorch's: batches, their order, and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import graphwidget
from tests.compare_engines import both, programs, source

SETUP = """
import importlib
import numpy as np
D = importlib.import_module(torch.__name__ + ".utils.data")
class Squares(D.Dataset):
    def __init__(self, n=10):
        self.n = n
    def __len__(self):
        return self.n
    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError
        return torch.tensor([i, i * i]), i
class Stream(D.IterableDataset):
    def __init__(self, n=7):
        self.n = n
    def __iter__(self):
        return iter(torch.arange(self.n))
class SizedStream(Stream):
    def __len__(self):
        return self.n
torch.manual_seed(5)
x, y = torch.arange(12.).reshape(6, 2), torch.arange(6)
"""

PROGRAMS = """
# datasets
t = D.TensorDataset(x, y)
c = t + D.TensorDataset(x, y + 10)
s = D.Subset(t, [4, 1, 0])
result = [len(t), t[2], t[-1], t[1:3], len(c), c[7], c[-1], c.cumulative_sizes,
    attempt(lambda: c[-20]), len(s), s[1], s.__getitems__([0, 2]),
    attempt(lambda: D.TensorDataset(x, y[:2])),
    attempt(lambda: D.ConcatDataset([])), attempt(lambda: D.Dataset()[0]),
    attempt(lambda: D.ConcatDataset([Stream()]))]

# random splits
g = torch.Generator().manual_seed(1)
a = D.random_split(range(10), [3, 7], generator=g)
b = D.random_split(range(10), [.25, .75])
c = D.random_split(range(3), [.5, .5, 0])
result = [[list(p) for p in ps] for ps in (a, b, c)] + [torch.rand(2),
    attempt(lambda: D.random_split(range(3), [1, 1])),
    attempt(lambda: D.random_split(range(3), [2., -1.]))]

# samplers
d = list(range(10))
g = torch.Generator().manual_seed(2)
result = [list(s) for s in (D.SequentialSampler(d), D.RandomSampler(d), D.RandomSampler(d,
    generator=g), D.RandomSampler(d, generator=g), D.RandomSampler(d, num_samples=25),
    D.RandomSampler(d, replacement=True, num_samples=70), D.RandomSampler(d, num_samples=4),
    D.SubsetRandomSampler([3, 5, 7]), D.BatchSampler(D.SequentialSampler(d), 3, False),
    D.BatchSampler(D.SequentialSampler(d), 3, True), D.BatchSampler([], 3, True))]
result += [len(D.RandomSampler(d, num_samples=4)), len(D.BatchSampler(d, 3, False)),
    len(D.BatchSampler(d, 3, True)), len(D.SubsetRandomSampler([1, 2])), torch.rand(1),
    attempt(lambda: D.RandomSampler(d, replacement=3)), attempt(lambda: D.RandomSampler(d,
    num_samples=-1)), attempt(lambda: D.BatchSampler(d, 0, False)),
    attempt(lambda: D.BatchSampler(d, 2, 1)), attempt(lambda: iter(D.Sampler()))]

# loaders in order
t = D.TensorDataset(x, y)
result = [list(D.DataLoader(d, **o)) for d, o in ((t, {}), (t, dict(batch_size=4)), (t,
    dict(batch_size=4, drop_last=True)), (t, dict(batch_size=None)), (Squares(),
    dict(batch_size=3)), (Stream(), dict(batch_size=3)), (Stream(), dict(batch_size=3,
    drop_last=True)), (Stream(),
    dict(batch_size=None)), (list(range(5)), dict(batch_size=2, collate_fn=lambda b: b)),
    (t, dict(sampler=[3, 1], batch_size=2)), (t, dict(batch_sampler=[[0, 5], [1]])))]

# loaders that shuffle
loader = D.DataLoader(D.TensorDataset(x, y), batch_size=4, shuffle=True)
result = [[b[1] for b in loader] for _ in range(3)] + [torch.rand(2)]
g = torch.Generator().manual_seed(3)
loader = D.DataLoader(Squares(), batch_size=4, shuffle=True, generator=g, drop_last=True)
result += [[b[1] for b in loader] for _ in range(3)] + [torch.rand(2), torch.rand(2, generator=g)]
it = iter(D.DataLoader(Squares(), shuffle=True))
result += [next(it), torch.rand(1), next(it)]

# wrong options
t = D.TensorDataset(x, y)
def change():
    D.DataLoader(t).batch_size = 3
result = [attempt(f) for f in (lambda: D.DataLoader(t, sampler=[1], shuffle=True),
    lambda: D.DataLoader(t, batch_sampler=[[1]], batch_size=2),
    lambda: D.DataLoader(t, batch_size=None, drop_last=True), lambda: D.DataLoader(t,
    num_workers=-1), lambda: D.DataLoader(t, timeout=-1), lambda: D.DataLoader(t,
    prefetch_factor=2), lambda: D.DataLoader(t, persistent_workers=True),
    lambda: D.DataLoader(Stream(), shuffle=True), lambda: D.DataLoader(Stream(), sampler=[1]),
    lambda: D.DataLoader(Stream(), batch_sampler=[[1]]), lambda: D.DataLoader(t, batch_size=0),
    change)]

# collating
import collections
Pair = collections.namedtuple("Pair", "a b")
one = torch.ones(2)
result = [attempt(lambda: D.default_collate(b)) for b in ([one, one], [1, 2], [1.5, 2.5],
    [True, False], ["a", "b"], [{"x": 1, "y": one}, {"x": 2, "y": one}], [(1, one), (2, one)],
    [[1, 2], [3, 4]], [Pair(1, 2.), Pair(3, 4.)], [np.ones(2), np.zeros(2)], [np.float32(1),
    np.float32(2)], [np.int64(1)], [(1, 2), (3,)], [None, None], [np.array(["a"])],
    [torch.ones(1), torch.ones(2)], [{"n": {"m": [1]}}])]
kept = D.default_collate([Pair(1, 2.)])
result += [type(kept).__name__, D.default_convert(np.ones(2)), D.default_convert({"a": (1,
    np.float32(2))}), D.default_convert("x"), D.default_convert([one]), D.get_worker_info()]

# the state of a generator
g = torch.Generator()
g.manual_seed(7)
torch.randn(3, generator=g)
state = g.get_state()
a = torch.randn(20, generator=g)
g.set_state(state)
b = torch.randn(20, generator=g)
h = g.clone_state()
outer = torch.get_rng_state()
with torch.random.fork_rng():
    torch.manual_seed(0)
    c = torch.rand(2)
d = torch.rand(2)
torch.set_rng_state(outer)
result = [state, a, b, torch.rand(3, generator=g), torch.rand(3, generator=h), c, d, torch.rand(2),
    g.initial_seed(), outer.dtype, attempt(lambda: g.set_state(torch.ones(3))),
    attempt(lambda: g.set_state(torch.ones(3, dtype=torch.uint8))),
    torch.default_generator.initial_seed(), torch.initial_seed()]

# lengths
t = D.TensorDataset(x, y)
result = [len(D.DataLoader(t, batch_size=4)), len(D.DataLoader(t, batch_size=4, drop_last=True)),
    len(D.DataLoader(t, batch_size=None)), len(D.DataLoader(SizedStream(), batch_size=3)),
    len(D.DataLoader(SizedStream(), batch_size=3, drop_last=True)),
    attempt(lambda: len(D.DataLoader(Stream()))), D.DataLoader(t, batch_size=4).dataset is t,
    D.DataLoader(t, batch_size=4).batch_size]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_data(title: str, text: str) -> None:
    both(source(SETUP + text))


def test_states_are_exchanged() -> None:
    """A generator goes on with the other engine's state."""
    for draws in (0, 1, 623, 624, 700):
        theirs, ours = torch.Generator().manual_seed(3), graphwidget.Generator().manual_seed(4)
        if draws:
            torch.rand(draws, generator=theirs)
        torch.randn(3, generator=theirs)
        ours.set_state(graphwidget.from_numpy(theirs.get_state().numpy()))
        assert np.array_equal(
            graphwidget.randn(5, generator=ours).numpy(), torch.randn(5, generator=theirs).numpy()
        )
        again = torch.Generator()
        again.set_state(torch.from_numpy(ours.get_state().numpy()))
        assert torch.equal(torch.rand(3, generator=again), torch.rand(3, generator=theirs))


def test_workers_are_taken_as_none() -> None:
    data: Any = list(range(4))
    with pytest.warns(UserWarning, match="num_workers=2 is taken as 0"):
        loader = graphwidget.utils.data.DataLoader(data, batch_size=2, num_workers=2)
    assert [batch.tolist() for batch in loader] == [[0, 1], [2, 3]]
