"""A convolutional network trained on synthetic images: bars, horizontal or vertical."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
n = 96
images = torch.randn(n, 1, 12, 12) * 0.3
labels = torch.randint(0, 2, (n,))
for i in range(n):
    place = int(torch.randint(2, 10, (1,)))
    if labels[i] == 0:
        images[i, 0, place, :] += 1.5
    else:
        images[i, 0, :, place] += 1.5


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(6)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 8, 3)
        self.drop = nn.Dropout(0.25)
        self.fc1 = nn.Linear(8 * 2 * 2, 16)
        self.fc2 = nn.Linear(16, 2)

    def forward(self, x):
        x = self.pool(F.relu(self.bn1(self.conv1(x))))
        x = self.pool(F.relu(self.conv2(x)))
        x = torch.flatten(x, 1)
        x = self.drop(F.relu(self.fc1(x)))
        return self.fc2(x)


net = Net()
print(net, sum(p.numel() for p in net.parameters() if p.requires_grad))
criterion = nn.CrossEntropyLoss()
optimizer = optim.Adam(net.parameters(), lr=3e-3, weight_decay=1e-4)
schedule = optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=24)
loader = DataLoader(TensorDataset(images, labels), batch_size=16, shuffle=True)
for epoch in range(4):
    running = 0.0
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss = criterion(net(inputs), targets)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        running += loss.item()
    print(f"[{epoch + 1}] loss: {running / len(loader):.2f} lr: {schedule.get_last_lr()[0]:.5f}")
net.eval()
with torch.no_grad():
    guess = net(images).argmax(1)
    print("accuracy", (guess == labels).float().mean() > 0.9)
print(net.bn1.num_batches_tracked, net.bn1.running_var.shape, list(net.state_dict())[:4])
