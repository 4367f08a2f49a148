"""The worked examples of the introductory texts, as a reader types them, on both engines."""

import pytest

from tests.compare_engines import both, programs, source

EXAMPLES = """
# A: a graph with two paths
w = torch.tensor([1.], requires_grad=True)
x = torch.tensor([2.], requires_grad=True)
a = torch.add(w, x)
b = torch.add(w, 1)
y = torch.mul(a, b)
shown = repr(y)
a.retain_grad()
y.backward()
result = [shown, [t.is_leaf for t in (w, x, a, b, y)], [t.grad for t in (w, x, a, b, y)],
    [t.grad_fn for t in (w, x, a, b, y)], graph(y.grad_fn), y]

# A without retain_grad
w = torch.tensor([1.], requires_grad=True)
x = torch.tensor([2.], requires_grad=True)
a = torch.add(w, x)
b = torch.add(w, 1)
y = torch.mul(a, b)
y.backward()
result = [w.grad, x.grad, a.grad, b.grad, y.grad]

# A with operators
w = torch.tensor([1.], requires_grad=True)
x = torch.tensor([2.], requires_grad=True)
y = (x + w) * (w + 1)
y.backward()
result = [y, w, x, graph(y.grad_fn)]

# A with a gradient for a vector
w = torch.tensor([1.], requires_grad=True)
x = torch.tensor([2.], requires_grad=True)
a = torch.add(w, x)
b = torch.add(w, 1)
y0 = torch.mul(a, b)
y1 = torch.add(a, b)
loss = torch.cat([y0, y1], dim=0)
grad_tensors = torch.tensor([1., 2.])
loss.backward(gradient=grad_tensors)
result = [loss, w, x]

# B: three leaves
a = torch.tensor(1., requires_grad=True)
b = torch.tensor(2., requires_grad=True)
c = torch.tensor(3., requires_grad=True)
y = (a + b) * (b + c)
y.backward()
result = [a, b, c, y, graph(y.grad_fn)]

# C: a loss in four steps
input = torch.ones([2, 2], requires_grad=False)
w1 = torch.tensor(2.0, requires_grad=True)
w2 = torch.tensor(3.0, requires_grad=True)
w3 = torch.tensor(4.0, requires_grad=True)
l1 = input * w1
l2 = l1 + w2
l3 = l1 * w3
l4 = l2 * l3
loss = l4.mean()
before = [w1.data, w1.grad, w1.grad_fn, l1.data, l1.grad, l1.grad_fn, loss.data, loss.grad,
    loss.grad_fn]
loss.backward()
result = [before, w1.grad, w2.grad, w3.grad, l1.grad, l2.grad, l3.grad, l4.grad, loss.grad, loss,
    graph(loss.grad_fn)]

# D: a mean of squares
x = torch.ones(2, 2, requires_grad=True)
y = x + 2
z = y * y
out = z.mean()
out.backward()
result = [x, y, z, out, x.grad_fn, y.grad_fn, x.is_leaf, y.is_leaf, repr(x), repr(y), repr(out)]

# a Function by itself
a = torch.tensor(2.0, requires_grad=True)
b = a.exp()
result = [repr(b), b.grad_fn]

# E: a product of matrices, row by row
x = torch.FloatTensor([[1, 2]]).requires_grad_()
y = torch.FloatTensor([[3, 4], [5, 6]])
loss = torch.mm(x, y)
loss.backward(torch.FloatTensor([[1, 0]]), retain_graph=True)
first = x.grad.clone()
x.grad.data.zero_()
loss.backward(torch.FloatTensor([[0, 1]]))
result = [loss, first, x.grad]

# E as the text has it, without requires_grad
x = torch.FloatTensor([[1, 2]])
y = torch.FloatTensor([[3, 4], [5, 6]])
loss = torch.mm(x, y)
loss.backward(torch.FloatTensor([[1, 0]]), retain_graph=True)

# F: buffers are freed
torch.manual_seed(0)
net = torch.nn.Linear(3, 4)
input = torch.randn(2, 3)
output = net(input)
loss = torch.sum(output)
loss.backward()
result = [attempt(lambda: loss.backward()), net.weight.grad, net.bias.grad, output]

# F with retain_graph
torch.manual_seed(0)
net = torch.nn.Linear(3, 4)
loss = torch.sum(net(torch.randn(2, 3)))
loss.backward(retain_graph=True)
loss.backward()
result = [net.weight.grad, net.bias.grad]

# F2: the same without a module
a = torch.tensor([3., 1.], requires_grad=True)
b = a * a
loss = b.mean()
loss.backward()
second = attempt(lambda: loss.backward())
loss = (a * a).mean()
loss.backward()
result = [second, a]

# G: a saved value is written
a = torch.tensor([1., 3.], requires_grad=True)
b = a + 2
first = b._version
loss = (b * b).mean()
b[0] = 1000.
result = [first, b._version, attempt(lambda: loss.backward())]

# G where nothing is saved
x = torch.tensor([1., 3.], requires_grad=True)
y = x + 1
z = y + 2
y[0] = 1000.
z.sum().backward()
result = x

# leaves may not be written
a = torch.tensor([10., 5., 2., 3.], requires_grad=True)
def slice_(): a[:] = 0
def item(): a[0] = 0
def augmented():
    global a
    a += 10.
result = [attempt(lambda: a.add_(10.)), attempt(slice_), attempt(item),
    attempt(lambda: a.__iadd__(10.)), a]

# H: the way out
a = torch.tensor([10., 5., 2., 3.], requires_grad=True)
with torch.no_grad():
    a[:] = 10.
loss = (a * a).mean()
loss.backward()
result = [a.is_leaf, a.grad, a]

# in place or not
a = torch.tensor([1., 2.])
before = id(a)
a = a.exp()
moved = id(a) != before
before = id(a)
a[0] = 10
result = [moved, id(a) == before, a]

# i = i + 1 against i += 1
i = torch.tensor([1])
j = i
i = i + 1
k = i
i += 1
result = [j is i, k is i, i, j, k]

# I: the dynamic loop
first_counter = torch.Tensor([0])
second_counter = torch.Tensor([10])
while (first_counter < second_counter)[0]:
    first_counter += 2
    second_counter += 1
result = [repr(first_counter), repr(second_counter)]

# gradients accumulate until they are cleared
w = torch.tensor([1.], requires_grad=True)
seen = []
for i in range(4):
    a = torch.add(w, 1)
    y = a * a
    y.backward()
    seen.append(w.grad.clone())
    if i == 2:
        w.grad.zero_()
result = seen

# higher orders
x = torch.tensor([3.], requires_grad=True)
y = torch.pow(x, 2)
grad_1 = torch.autograd.grad(y, x, create_graph=True)
grad_2 = torch.autograd.grad(grad_1[0], x)
result = [grad_1, grad_2, repr(grad_1), repr(grad_2)]

# a training loop
torch.manual_seed(1)
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, target = torch.randn(5, 2), torch.randn(5, 1)
losses = []
for _ in range(5):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(net(x), target)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
result = [losses, list(net.parameters()), repr(net), repr(optimizer)]
"""


@pytest.mark.parametrize(("title", "text"), programs(EXAMPLES), ids=lambda part: part[:60])
def test_examples(title: str, text: str) -> None:
    both(source(text))
