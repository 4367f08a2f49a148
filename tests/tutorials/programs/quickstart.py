"""The quickstart: a data set, loaders, a model, training, testing, saving and loading."""

import io
import os
import tempfile

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split

torch.manual_seed(42)


class Blobs(Dataset):
    def __init__(self, n, transform=None):
        self.labels = torch.randint(0, 3, (n,))
        self.points = torch.randn(n, 2) * 0.4 + F.one_hot(self.labels, 3)[:, :2] * 2.0
        self.transform = transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, idx):
        point = self.points[idx]
        return (self.transform(point) if self.transform else point), self.labels[idx]


data = Blobs(300, transform=lambda p: p - 1)
training_data, test_data = random_split(data, [0.8, 0.2])
train_dataloader = DataLoader(training_data, batch_size=16, shuffle=True)
test_dataloader = DataLoader(test_data, batch_size=16)
for X, y in test_dataloader:
    print(f"Shape of X: {X.shape}", f"Shape of y: {y.shape} {y.dtype}")
    break
device = torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else "cpu"
print(f"Using {device} device")


class NeuralNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear_relu_stack = nn.Sequential(
            nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 3)
        )

    def forward(self, x):
        return self.linear_relu_stack(x)


model = NeuralNetwork().to(device)
print(model)
for name, param in model.named_parameters():
    print(f"Layer: {name} | Size: {param.size()} | Values : {param[:1]}")
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)


def train(dataloader, model, loss_fn, optimizer):
    size = len(dataloader.dataset)
    model.train()
    for batch, (X, y) in enumerate(dataloader):
        X, y = X.to(device), y.to(device)
        loss = loss_fn(model(X), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if batch % 5 == 0:
            loss, current = loss.item(), (batch + 1) * len(X)
            print(f"loss: {loss:>7.3f}  [{current:>5d}/{size:>5d}]")


def test(dataloader, model, loss_fn):
    size, num_batches = len(dataloader.dataset), len(dataloader)
    model.eval()
    test_loss, correct = 0, 0
    with torch.no_grad():
        for X, y in dataloader:
            pred = model(X.to(device))
            test_loss += loss_fn(pred, y).item()
            correct += (pred.argmax(1) == y).type(torch.float).sum().item()
    test_loss /= num_batches
    print(f"Accuracy: {100 * correct / size:>0.1f}%, Avg loss: {test_loss:>8.3f}\n")


for t in range(3):
    print(f"Epoch {t + 1}\n-------------------------------")
    train(train_dataloader, model, loss_fn, optimizer)
    test(test_dataloader, model, loss_fn)
    scheduler.step()
    print(scheduler.get_last_lr())

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.pth")
    torch.save(model.state_dict(), path)
    again = NeuralNetwork()
    print(again.load_state_dict(torch.load(path, weights_only=True)))
    torch.save({"epoch": 3, "optimizer": optimizer.state_dict(), "loss": 0.5}, path)
    checkpoint = torch.load(path)
    optimizer.load_state_dict(checkpoint["optimizer"])
    print(checkpoint["epoch"], checkpoint["loss"], sorted(checkpoint))
buffer = io.BytesIO()
torch.save(torch.arange(3), buffer)
buffer.seek(0)
print(torch.load(buffer))
again.eval()
with torch.no_grad():
    x, y = test_data[0]
    pred = again(x)
    print(f"Predicted: {pred.argmax(0)}, Actual: {y}", torch.softmax(pred, 0).sum())
