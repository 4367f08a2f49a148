"""Tensors: making, indexing, joining, arithmetic, bridges to numpy."""

import numpy as np
import torch

data = [[1, 2], [3, 4]]
x_data = torch.tensor(data)
x_np = torch.from_numpy(np.array(data))
print(torch.ones_like(x_data), torch.rand_like(x_data, dtype=torch.float).shape, x_np)
torch.manual_seed(0)
shape = (2, 3)
print(torch.rand(shape), torch.ones(shape), torch.zeros(shape), sep="\n")
tensor = torch.ones(4, 4)
tensor[:, 1] = 0
print("First row:", tensor[0], "Last column:", tensor[..., -1])
print(torch.cat([tensor, tensor, tensor], dim=1))
y1 = tensor @ tensor.T
y2 = tensor.matmul(tensor.T)
z = tensor * tensor
print(torch.equal(y1, y2), z.sum(), z.sum().item(), type(z.sum().item()))
tensor.add_(5)
print(tensor, tensor.dtype, tensor.device, tensor.shape, tensor.size(0))
t = torch.ones(5)
n = t.numpy()
t.add_(1)
print(t, n)
np.add(n, 1, out=n)
print(t)
x = torch.arange(12).reshape(3, 4)
print(x[x > 5], x[1:, ::2], x[[0, 2]], x[:, None].shape, x.t().stride(), x.view(-1, 2).sum(1))
print(x.float().mean(), x.max(), x.argmax(), x.float().std(dim=0), x.unbind()[1])
print(torch.where(x % 2 == 0, x, -x), torch.stack([x, x]).shape, x.flip(0)[0], x.cumsum(1)[-1])
print(torch.linspace(0, 1, 5), torch.eye(2), torch.full((2,), 7), torch.arange(0, 1, 0.25))
print(torch.randn(2, 3), torch.randint(0, 10, (4,)), torch.randperm(5), torch.randn(20).sum())
print(f"{torch.tensor(3.14159):.2f}", torch.tensor([1e-5, 1.0]), torch.tensor([1e6, 1.0]))
