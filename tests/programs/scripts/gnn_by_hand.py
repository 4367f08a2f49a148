# Message passing by hand with index_add_.
import torch
from torch import nn

torch.manual_seed(0)


class Layer(nn.Module):
    def __init__(self, dim_in, dim_out):
        super().__init__()
        self.message = nn.Linear(dim_in, dim_out)
        self.update = nn.Linear(dim_in + dim_out, dim_out)

    def forward(self, h, src, dst):
        m = torch.relu(self.message(h[src]))
        agg = torch.zeros(h.size(0), m.size(1)).index_add_(0, dst, m)
        deg = torch.zeros(h.size(0)).index_add_(0, dst, torch.ones(dst.size(0))).clamp(min=1)
        return torch.relu(self.update(torch.cat([h, agg / deg.unsqueeze(1)], dim=1)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Layer(4, 16), Layer(16, 16)])
        self.readout = nn.Linear(16, 1)

    def forward(self, h, src, dst):
        for layer in self.layers:
            h = layer(h, src, dst)
        return self.readout(h.mean(dim=0))


h = torch.randn(10, 4)
src, dst = torch.randint(0, 10, (2, 30))
target = torch.tensor([0.5])
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(3):
    opt.zero_grad()
    pred = net(h, src, dst)
    loss = nn.functional.mse_loss(pred, target)
    loss.backward()
    opt.step()
