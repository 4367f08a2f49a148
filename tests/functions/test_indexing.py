"""Reading and writing by index: each program on PyTorch and here."""

import pytest

from tests.compare_engines import both, programs, source

SETUP = """
import numpy as np
x = torch.arange(6.).reshape(2, 3).requires_grad_()
y = x * 1
c = torch.arange(24.).reshape(2, 3, 4).requires_grad_()
s = torch.tensor(3., requires_grad=True)
i = torch.tensor([0, 1])
j = torch.tensor([[0, 1, 0], [1, 0, 1]])
m = torch.tensor([[True, False, True], [False, True, True]])
def show(tensor, *keys):
    return [attempt(lambda: read(tensor, key)) for key in keys]
def read(tensor, key):
    out = tensor[key]
    node = out.grad_fn
    kept = [name for name in ("dim", "index", "start", "end", "step", "indices", "self_sym_sizes")
            if node is not None and "_saved_" + name in dir(node)]
    return [out, out._base is tensor, {name: getattr(node, "_saved_" + name) for name in kept}]
def put(tensor, key, value):
    out = tensor.clone()
    out[key] = value
    return [out, attempt(lambda: graph(out.grad_fn))]
def self_write(tensor, key, value):
    tensor[key] = value
    return tensor
def writes(tensor, *pairs):
    return [attempt(lambda: put(tensor, key, value)) for key, value in pairs]
"""

READING = """
# integers
result = show(x, 0, -1, 2, -3, (0, 1), (1, -1), (0, 3), (0, 0, 0), np.int64(1), torch.tensor(1),
              torch.tensor(-1), np.array(1), (torch.tensor(0), 1), 10**12)

# slices
result = show(x, slice(None), slice(0, 2), slice(1, None), slice(-1, None), slice(None, -1),
              slice(0, 5, 2), slice(3, 1), slice(-100, 100), (slice(None), 0), (0, slice(None)),
              (slice(None), slice(1, None)), (slice(None, None, 2), slice(None, None, 2)),
              slice(None, None, -1), slice(None, None, 0), (slice(None), slice(-1, None)),
              slice(torch.tensor(0), torch.tensor(1)), slice(np.int64(1), None), (0, slice(5, 9)))

# None, Ellipsis and nothing
result = show(x, None, Ellipsis, (), (None, 0), (0, None), (Ellipsis, 0), (Ellipsis, -1),
              (0, Ellipsis), (None, Ellipsis, None), (Ellipsis, Ellipsis), (0, Ellipsis, 1),
              (slice(None, None, 2), None, 1), (None, None, Ellipsis, None), (0, 1, Ellipsis),
              (0, 1, Ellipsis, None))

# lists and integer tensors
result = show(x, [0], [0, 1, 0], [-1, 0], [2], [-3], [], [[]], i, j[:, :2], i.int(), i.short(),
              i.to(torch.uint8), (slice(None), [0, 2]), (slice(None), j), (j, 0), (0, [0, 1]),
              ([0, 1], [0, 1]), ([0, 1], [2]), ([0, 1], [0, 1, 2]), (j[:, :2], i),
              ([0], None, [1]), (None, [0]), (Ellipsis, [0, 1]), ([0, 1], slice(1, None)),
              ([0], [5]), range(2), np.array([0, 1]), np.array([[0], [1]]), [0.5], np.array([1.5]),
              [torch.tensor(1), torch.tensor(0)], [np.int64(1)], (0, [5]), torch.tensor([]),
              torch.tensor([1.]), x, ([], []), (slice(None), []))

# masks and bools
result = show(x, m, m[0], (slice(None), m[0]), m[:, 0], (m[:, 0], 1), (m[:, 0], [0, 1]),
              (slice(None), m), m.t(), x > 10, x > 2, [True, False], [True, False, True],
              (slice(None), [True, False, True]), np.array([True, False]), True, False,
              torch.tensor(True), torch.tensor(False), (True, 0), (torch.tensor(True), 0),
              (True, [0, 1]), np.bool_(True), np.array(True), m.byte(), [[True, False, True],
              [False, True, False]])

# three dims
result = show(c, (0, slice(None), [0, 1]), ([0, 1], slice(None), [0, 1]),
              (slice(None), [0, 1], [0, 1]), ([0], None, [1]), (Ellipsis, [0, 1]),
              ([0, 1], Ellipsis, [0, 1]), c > 3, (slice(None), (c > 3)[0]), (c > 3)[:, :, 0],
              ([0, 1], 0), ([0, 1], 0, [1, 2]), (0, [0, 1], [1, 2]), ([[0], [1]], [0, 2]),
              ([0, 1], slice(1, None), [0, 1]), (None, [0], slice(None), [1]), (1, Ellipsis, 2),
              ([1, 0], None, slice(None), 1))

# transposed sources
t, p = x.t(), c.permute(2, 0, 1)
result = [show(t, [0, 1], j[:, :2], (slice(None), [1, 0]), ([0, 2], [1, 0]), m.t(), 0, (0, 1)),
          show(p, [0, 1], (slice(None), [0, 1, 0]), (Ellipsis, [0, 1]), ([0, 1], slice(None), [1])),
          show(c.transpose(0, 2), [0, 1], ([0, 1], [1, 1]), (slice(None), 0))]

# lists that are taken for tuples
result = show(x, [[0, 1], [1, 0]], [[0, 1], 0], [slice(0, 1)], [None, 0], [[True, False], [0]],
              [torch.tensor(0), 1], [i], [0, [1, 2]], [(0, 1)], ((0, 1),), [range(2)],
              [np.array([0, 1]), 0], [Ellipsis], [[[0, 1]]])

# what is no index
result = show(x, 1.5, "a", {0}, object, (0, 1.5), ("a", 0), 1j)

# 0-d
result = show(s, 0, 1, -1, slice(None), slice(None, None, -1), [0], torch.tensor(0), i, (0, 0),
              (None, 0), None, (), Ellipsis, True, False, torch.tensor(True), (None, None),
              (Ellipsis, None), [True])

# empty
e = torch.zeros(0, 3)
result = [show(e, 0, [0], [], (slice(None), [5]), ([], [5]), (slice(None), 0), slice(0, 1),
               torch.zeros(0, dtype=torch.bool), (slice(None), [0, 1])), show(x, ([], [0]),
               (slice(0, 0), [7]), (slice(0, 0), 1))]

# where alone
result = [torch.where(m), torch.where(x > 1), x.nonzero(), x.nonzero(as_tuple=True),
    torch.argwhere(m)]

# iteration and unpacking
a, b = y
result = [list(y), a, b, [row for row in c[0]], attempt(lambda: list(s)), len(x),
          attempt(lambda: len(s)), 1. in x, x.tolist()]

# gradients
def of(key, tensor):
    out = tensor[key]
    first, = torch.autograd.grad((out * out).sum(), tensor, create_graph=True)
    return plain([first, *torch.autograd.grad((first ** 2).sum(), tensor)])
result = [[of(key, x) for key in (0, -1, slice(1, None), [0, 0], m, (j, j), (0, [1, 1]), True, None,
           (slice(None), [2, 0]), m[:, 0])],
          [of(key, c) for key in (([0, 1], slice(None), [0, 0]), (0, slice(1), [1, 1]), c > 5,
           (Ellipsis, -1), (None, 1))]]
"""

WRITING = """
# numbers
result = writes(y, (0, 1.), (-1, 2), ((0, 1), 3.), (slice(None), 4.), (slice(1, None), 5.), (None,
    6.),
                (Ellipsis, 7.), ((Ellipsis, 0), 8.), ((0, None), 9.), ([0], 1.), ([0, 1], 2),
                (([0, 1], [0, 1]), 3.), (m, 4.), (m[:, 0], 5.), (True, 6.), (False, 7.), ([], 8.),
                (torch.tensor(True), 9.), ((slice(None), [0, 1]), 1.), (x > 100, 2.), (0, True),
                (np.array([0, 1]), 2.), ((0, [1]), 3.), (i, np.float64(2)), (0, np.float32(2)),
                ((slice(None), i.int()), 4.), (m.byte(), 5.), ((False, 0), 6.), ((True, 0), 7.),
                (torch.tensor(False), 8.), (slice(0, 0), 9.), ([True, False], 1.))

# tensors
result = writes(y, (0, torch.ones(3)), (0, torch.tensor(5.)), (slice(None), torch.ones(2, 3)),
                (slice(None), torch.ones(3)), (slice(0, 1), torch.ones(1, 1, 3)),
                ([0], torch.ones(1, 1, 3)), ([0, 1], torch.ones(2, 1)), (m, torch.ones(4)),
                (m, torch.tensor(2.)), (([0, 1], [0, 1]), torch.tensor([5., 6.])),
                (([0], slice(0, 2)), torch.ones(2)), ((slice(None), [0, 1]), torch.ones(2, 2)),
                (Ellipsis, torch.ones(3)), (None, torch.ones(2, 3)), ((0, 1), torch.ones(1)),
                ([0, 0], torch.tensor([[1., 1, 1], [2, 2, 2]])), (0, torch.ones(3).double()),
                (0, torch.ones(3, dtype=torch.long)), (m, torch.tensor(1)), ([], torch.ones(0, 3)))

# tensors that require grad
w = torch.tensor([5., 6., 7.], requires_grad=True)
def trained(key, value):
    b = x * 2
    b[key] = value
    return [b, graph(b.grad_fn), plain(torch.autograd.grad((b * b).sum(), (x, w)))]
result = [trained(key, value) for key, value in (
    (0, w), ([0], w), ([1, 0], w), (slice(None), w), (m, w[0]), (m[:, 0], w), ((slice(None), 0),
    w[:2]),
    (([0, 1], [1, 2]), w[:2]), (Ellipsis, w), (None, w), ((0, 1), w[2]), ([0, 0], w), (True, w))]

# plain tensors that come to require grad
w = torch.tensor([5., 6., 7.], requires_grad=True)
def changed(key, value):
    b = torch.zeros(2, 3)
    v = b[0]
    b[key] = value
    return [b, v, graph(b.grad_fn), graph(v.grad_fn)]
result = [changed(key, value) for key, value in ((0, w), ([0], w), (slice(None), w), (m, w[0]))]

# errors
result = writes(y, ([5], 1.), (m, torch.ones(2)), (0, torch.ones(4)), (0, torch.ones(2, 3)),
                ((0, 0, 0), 1.), (slice(None, None, -1), 1.), (1.5, 1.), ([0, 1], torch.ones(4)),
                ([0], torch.tensor([1])), ([0], torch.ones(3).double()), (0, [1, 2, 3]), (0, "a"),
                (0, None), (0, np.ones(3)), (m.t(), 1.), ((slice(None), m), 1.), (5, 1.), ({0}, 1.),
                (([0, 1], [0, 1, 2]), 1.), (torch.tensor([0.]), 1.), ("a", 1.), (m[0], 1.))

# errors of numbers in a leaf come first
result = [attempt(lambda: x.__setitem__(key, 1.)) for key in (0, [5], m, 5, (0, 0, 0), [0], m.t())]

# integers
n = torch.arange(4)
result = writes(n, (0, 1.7), ([0], 1.7), (slice(0, 2), torch.tensor([1.5, 2.5])),
                (0, torch.tensor(2.7)), (n > 1, 2.9), (n > 1, torch.tensor(2.9)), (0, True))

# 0-d
result = writes(s, ((), 1.), (Ellipsis, 1.), (None, 1.), (True, 1.), (0, 1.), (-1, 1.),
                (-1, torch.tensor(1.)), (0, torch.tensor(1.)), (slice(None), 1.), ([0], 1.),
                (torch.tensor(True), 2.), (False, 2.), (torch.tensor(0), 1.), ((), torch.ones(1)))

# overlap of the value and what is written
def q(): return torch.arange(4.).reshape(2, 2)
def over(key, pick):
    a = q()
    return attempt(lambda: self_write(a, key, pick(a)))
result = [over([[0], [1]], lambda a: a), over([0], lambda a: a), over([0], lambda a: a[0]),
          over(0, lambda a: a[0]), over(0, lambda a: a[1]), over(slice(None), lambda a: a),
          over(slice(None), lambda a: a.t()), over(m[:, :2], lambda a: a[0, 0]),
          over(slice(1, None), lambda a: a[:1]), over([0, 1], lambda a: a.t()),
          over((0, 0), lambda a: a[0, 0]), over((slice(None), 0), lambda a: a[:, 0]),
          over((slice(None), 0), lambda a: a[0])]

# expanded tensors
def e(): return torch.ones(2, 1).expand(2, 3)
def wide(f):
    a = e()
    return attempt(lambda: f(a))
result = [wide(f) for f in (lambda a: self_write(a, 0, 1.), lambda a: self_write(a, 0,
    torch.ones(3)),
    lambda a: self_write(a, [0], 1.), lambda a: self_write(a, m, 1.), lambda a: self_write(a, m,
    torch.ones(4)),
    lambda a: self_write(a, (0, 0), 5.), lambda a: self_write(a, (slice(None), 0), torch.ones(2)))]

# versions
b = x * 1
seen = [b._version]
for key, value in ((0, 1.), ([0], 1.), (m, 1.), (slice(None), 1.), (False, 1.), ([], 1.), ((0, 1),
    2.),
                   (torch.tensor(False), 1.)):
    b[key] = value
    seen.append(b._version)
b[0] += 1
seen.append(b._version)
b[[0]] += 1
seen.append(b._version)
b[m] *= 2
seen.append(b._version)
attempt(lambda: b.__setitem__([9], 1.))
seen.append(b._version)
result = [seen, b]

# indices are saved
def late(f, index):
    out = f(index)
    if index.dtype == torch.bool:
        index.logical_not_()
    else:
        index.add_(0)
    return attempt(lambda: out.sum().backward())
def assigned(index):
    b = x * 1
    b[index] = 5.
    return b
result = [late(f, index.clone()) for f in (lambda k: x[k], assigned) for index in (i, j[:, :2], m)]

# index_put
def by(f):
    b = x * 1
    return attempt(lambda: [f(b), graph(b.grad_fn), b._version])
v = torch.tensor([1., 2.], requires_grad=True)
result = [by(f) for f in (lambda b: b.index_put_((i, i), v), lambda b: b.index_put_((i, i), v,
    True),
    lambda b: b.index_put((i, i), v), lambda b: b.index_put((i * 0, i * 0), v, accumulate=True),
    lambda b: torch.index_put(b, (i,), v[0]), lambda b: b.index_put_((m,), v[0]),
    lambda b: b.index_put_((m,), torch.ones(4)), lambda b: b.index_put_((i, i, i), v),
    lambda b: b.index_put_([i, i], v), lambda b: b.index_put_((i + 5, i), v),
    lambda b: b.index_put_((i,), torch.ones(4)), lambda b: b.index_put_((i, i), v.double()),
    lambda b: b.index_put_((None, i), v), lambda b: b.index_put_((m,), v[0], True),
    lambda b: b.index_put_(i, v))]
"""


@pytest.mark.parametrize(("title", "text"), programs(READING), ids=lambda part: part[:60])
def test_reading(title: str, text: str) -> None:
    both(source(SETUP + text))


@pytest.mark.parametrize(("title", "text"), programs(WRITING), ids=lambda part: part[:60])
def test_writing(title: str, text: str) -> None:
    both(source(SETUP + text))
