"""Tensors with new ``.data`` of another form: their places in the graph know the former one."""

from __future__ import annotations

import pytest

from tests.both import both, programs, source

USES = {
    "seed": "y.backward(torch.ones(shape))",
    "former seed": "y.backward(torch.ones(2, 3))",
    "sum": "y.sum().backward()",
    "product": "(y * 3).sum().backward()",
    "joined": "torch.cat([w.flatten(), y.flatten()]).sum().backward()",
    "both": "(z.sum() + (y * 7).sum()).backward()",
    "gradient": "got = torch.autograd.grad((y ** 2).sum(), [w, y], create_graph=True)",
    "itself": "got = torch.autograd.grad(y, y, torch.ones(shape))",
    "edge": "got = torch.autograd.grad(y.sum(), torch.autograd.graph.get_gradient_edge(y))",
    "only": "y.sum().backward(inputs=[y])",
    "hooks": "y.register_hook(lambda g: got.append(g.clone())); y.retain_grad(); (y * 3).sum()"
    ".backward()",
    "written": "y.mul_(3); y.sum().backward()",
    "view": "v = y[:1]; v.mul_(2); (y * 2).sum().backward()",
    "twice": "y.data = torch.ones(2, 3); y.sum().backward()",
    "roots": "torch.autograd.backward([w.sum(), y], [None, torch.ones(shape)])",
}
SHAPES = [(4, 2, 3), (1, 3), (4,)]
PLACES = {"result": "y = w * 2", "part": "y = torch.stack([w, w]).unbind()[1]"}


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("use", USES)
def test_results(use: str, place: str, shape: tuple[int, ...]) -> None:
    both(
        source(f"""
shape, got = {shape}, []
w = torch.arange(1., 7., dtype=torch.float64).reshape(2, 3).requires_grad_()
{PLACES[place]}
z = y * 5
y.data = torch.ones(shape)
def use():
    global got
    {USES[use]}
node = y.grad_fn
try:
    use()
    told = None
except RuntimeError as error:
    told = str(error)
import warnings
warnings.simplefilter("ignore")
result = [told, *got, y.grad, w.grad, type(node).__name__, z.grad_fn.next_functions[0][0] is node]
""")
    )


LEAVES = """
# a leaf in use keeps its end of the graph, unless the type changes
result = []
for shape in ((4, 2, 3), (3,), (1, 3), (2, 3), (4,)):
    for dtype in (torch.float64, torch.float32):
        for new, old in ((True, False), (True, True), (False, True)):
            x = torch.arange(1., 7., dtype=torch.float64).reshape(2, 3).requires_grad_()
            y = x * 2
            end = y.grad_fn.next_functions[0][0]
            x.data = torch.ones(shape, dtype=dtype)
            z = x * 3
            result.append(z.grad_fn.next_functions[0][0] is end)
            if old and dtype is torch.float32:  # what it gets then is of the former type
                continue
            result += [attempt(lambda: (new * z.sum() + old * y.sum()).backward()), x.grad]

# its hooks see the gradient in the former form
x, got = torch.ones(3, requires_grad=True), []
y = x * 2
x.data = torch.ones(2, 3)
x.register_hook(lambda g: got.append(g.clone()))
x.register_post_accumulate_grad_hook(lambda each: got.append(each.grad.clone()))
(x * 3).sum().backward()
result = [got, x.grad]

# and without a graph that refers to it, nobody knows
x = torch.ones(3, requires_grad=True)
(x * 2).sum().backward()
x.data = torch.ones(2, 3)
result = [attempt(lambda: (x * 3).sum().backward()), x.grad]
x.grad = None
(x * 3).sum().backward()
result.append(x.grad)

# nor once that graph is gone
x = torch.ones(3, requires_grad=True)
y = x * 2
x.data = torch.ones(2, 3)
del y
result = [attempt(lambda: (x * 3).sum().backward()), x.grad]
"""
CASES = programs(LEAVES)


@pytest.mark.parametrize("text", [text for _, text in CASES], ids=[title for title, _ in CASES])
def test_leaves(text: str) -> None:
    both(source(text))
