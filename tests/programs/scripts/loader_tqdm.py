# The commonest loop: epochs, a shuffled loader, a progress bar, a validation at the end of each.
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split
from tqdm import tqdm

torch.manual_seed(0)
X = torch.randn(64, 5)
Y = X @ torch.randn(5, 1) + 0.1 * torch.randn(64, 1)
train_set, val_set = random_split(TensorDataset(X, Y), [48, 16])
train_loader = DataLoader(train_set, batch_size=16, shuffle=True)
val_loader = DataLoader(val_set, batch_size=16)

model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

for epoch in range(2):
    model.train()
    for inputs, targets in tqdm(train_loader, disable=None):
        optimizer.zero_grad()
        outputs = model(inputs)
        loss = criterion(outputs, targets)
        loss.backward()
        optimizer.step()
    model.eval()
    val_loss = 0.0
    with torch.no_grad():
        for inputs, targets in val_loader:
            val_loss += criterion(model(inputs), targets).item()
    print(epoch, loss.item(), val_loss)
