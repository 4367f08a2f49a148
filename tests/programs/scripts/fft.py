# A spectral convolution, as in Fourier neural operators.
import torch
import torch.nn as nn


class SpectralConv1d(nn.Module):
    def __init__(self, channels, modes):
        super().__init__()
        self.modes = modes
        self.weight = nn.Parameter(torch.randn(channels, channels, modes, dtype=torch.cfloat) * 0.1)

    def forward(self, x):
        x_ft = torch.fft.rfft(x)
        out_ft = torch.zeros(x.size(0), x.size(1), x.size(-1) // 2 + 1, dtype=torch.cfloat)
        out_ft[:, :, : self.modes] = torch.einsum(
            "bix,iox->box", x_ft[:, :, : self.modes], self.weight
        )
        return torch.fft.irfft(out_ft, n=x.size(-1))


class FNO(nn.Module):
    def __init__(self):
        super().__init__()
        self.lift = nn.Conv1d(1, 4, 1)
        self.spectral = SpectralConv1d(4, 5)
        self.skip = nn.Conv1d(4, 4, 1)
        self.project = nn.Conv1d(4, 1, 1)

    def forward(self, u):
        u = self.lift(u)
        u = torch.relu(self.spectral(u) + self.skip(u))
        return self.project(u)


torch.manual_seed(0)
model = FNO()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
u0 = torch.randn(4, 1, 32)
u1 = torch.roll(u0, 3, dims=-1)
for it in range(3):
    optimizer.zero_grad()
    pred = model(u0)
    loss = torch.norm(pred - u1) / torch.norm(u1)
    loss.backward()
    optimizer.step()
