# Mixed precision with bfloat16.
import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 10)
)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
loss_fn = nn.CrossEntropyLoss()
for step in range(3):
    images, labels = torch.randn(8, 1, 8, 8), torch.randint(0, 10, (8,))
    with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
        logits = net(images)
        loss = loss_fn(logits, labels)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
