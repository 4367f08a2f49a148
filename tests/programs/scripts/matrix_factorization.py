# Matrix factorisation with sparse embeddings.
import torch
import torch.nn as nn


class MF(nn.Module):
    def __init__(self, n_users, n_items, k=8):
        super().__init__()
        self.user_factors = nn.Embedding(n_users, k, sparse=True)
        self.item_factors = nn.Embedding(n_items, k, sparse=True)

    def forward(self, user, item):
        return (self.user_factors(user) * self.item_factors(item)).sum(1)


torch.manual_seed(0)
users, items = torch.randint(0, 20, (64,)), torch.randint(0, 30, (64,))
ratings = torch.rand(64) * 4 + 1
model = MF(20, 30)
loss_fn = nn.MSELoss()
optimizer = torch.optim.SparseAdam(list(model.parameters()), lr=0.05)
for epoch in range(2):
    for k in range(0, 64, 32):
        prediction = model(users[k : k + 32], items[k : k + 32])
        loss = loss_fn(prediction, ratings[k : k + 32])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
