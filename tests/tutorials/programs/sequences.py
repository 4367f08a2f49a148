"""Names classified by a recurrent network, a generator against a discriminator, and Q-learning."""

import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.nn.utils.rnn import pad_sequence

torch.manual_seed(7)
random.seed(7)
letters = "abcdefgh"
names = [("".join(random.choices(letters[:5], k=4)), 0) for _ in range(10)]
names += [("".join(random.choices(letters[3:], k=5)), 1) for _ in range(10)]


def line_to_tensor(line):
    tensor = torch.zeros(len(line), 1, len(letters))
    for i, letter in enumerate(line):
        tensor[i][0][letters.index(letter)] = 1
    return tensor


class CharRNN(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.rnn = kind(len(letters), 12)
        self.h2o = nn.Linear(12, 2)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, line):
        _, hidden = self.rnn(line)
        hidden = hidden[0] if isinstance(hidden, tuple) else hidden
        return self.softmax(self.h2o(hidden[0]))


for kind in (nn.RNN, nn.GRU, nn.LSTM):
    model = CharRNN(kind)
    criterion, optimizer = nn.NLLLoss(), optim.SGD(model.parameters(), lr=0.5)
    for _ in range(4):
        random.shuffle(names)
        total = 0.0
        for name, label in names:
            optimizer.zero_grad()
            loss = criterion(model(line_to_tensor(name)), torch.tensor([label]))
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 3)
            optimizer.step()
            total += loss.item()
    print(model, f"{total / len(names):.1f}")
padded = pad_sequence([line_to_tensor(n).squeeze(1) for n, _ in names], batch_first=True)
print(padded.shape, padded.sum())


def weights_init(m):
    if type(m).__name__.find("Conv") != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif type(m).__name__.find("BatchNorm") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.constant_(m.bias.data, 0)


netG = nn.Sequential(
    nn.ConvTranspose2d(4, 8, 4, 1, 0, bias=False), nn.BatchNorm2d(8), nn.ReLU(True),
    nn.ConvTranspose2d(8, 1, 4, 2, 1, bias=False), nn.Tanh(),
)  # fmt: skip
netD = nn.Sequential(
    nn.Conv2d(1, 4, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True),
    nn.Conv2d(4, 1, 4, 1, 0, bias=False), nn.Sigmoid(), nn.Flatten(),
)  # fmt: skip
netG.apply(weights_init)
netD.apply(weights_init)
criterion = nn.BCELoss()
optD = optim.Adam(netD.parameters(), lr=2e-3, betas=(0.5, 0.999))
optG = optim.Adam(netG.parameters(), lr=2e-3, betas=(0.5, 0.999))
for _ in range(5):
    netD.zero_grad()
    real = torch.rand(6, 1, 8, 8)
    label = torch.full((6,), 1.0)
    errD_real = criterion(netD(real).view(-1), label)
    errD_real.backward()
    fake = netG(torch.randn(6, 4, 1, 1))
    label.fill_(0.0)
    errD_fake = criterion(netD(fake.detach()).view(-1), label)
    errD_fake.backward()
    optD.step()
    netG.zero_grad()
    label.fill_(1.0)
    errG = criterion(netD(fake).view(-1), label)
    errG.backward()
    optG.step()
    print(f"D {(errD_real + errD_fake).item():.3f} G {errG.item():.3f}")

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))
memory = deque(maxlen=200)
policy, target = nn.Linear(2, 3), nn.Linear(2, 3)
target.load_state_dict(policy.state_dict())
optimizer = optim.AdamW(policy.parameters(), lr=1e-2, amsgrad=True)
for step in range(30):
    state = torch.randn(1, 2)
    action = policy(state).max(1).indices.view(1, 1)
    final = step % 5 == 4
    memory.append(Transition(state, action, None if final else state * 0.9, torch.tensor([1.0])))
    batch = Transition(*zip(*random.sample(memory, min(len(memory), 8)), strict=True))
    mask = torch.tensor([s is not None for s in batch.next_state], dtype=torch.bool)
    values = policy(torch.cat(batch.state)).gather(1, torch.cat(batch.action))
    following = torch.zeros(len(mask))
    with torch.no_grad():
        following[mask] = (
            target(torch.cat([s for s in batch.next_state if s is not None])).max(1).values
        )
    loss = nn.SmoothL1Loss()(values, (following * 0.99 + torch.cat(batch.reward)).unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(policy.parameters(), 100)
    optimizer.step()
    state_dict = target.state_dict()
    for key, value in policy.state_dict().items():
        state_dict[key] = value * 0.05 + state_dict[key] * 0.95
    target.load_state_dict(state_dict)
print(f"{loss.item():.3f}", [f"{p.norm().item():.3f}" for p in target.parameters()])
print(F.one_hot(torch.tensor([0, 2])), F.normalize(torch.ones(1, 4)))
