# Text classification with nn.TransformerEncoder and a padding mask.
import math

import torch
import torch.nn as nn


class TextClassifier(nn.Module):
    def __init__(self, vocab=50, dim=16, classes=2):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.pos = nn.Parameter(torch.randn(1, 12, dim) * 0.02)
        layer = nn.TransformerEncoderLayer(dim, nhead=2, dim_feedforward=32, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2)
        self.head = nn.Linear(dim, classes)
        self.scale = math.sqrt(dim)

    def forward(self, tokens):
        padding = tokens == 0
        h = self.embed(tokens) * self.scale + self.pos[:, : tokens.size(1)]
        h = self.encoder(h, src_key_padding_mask=padding)
        h = h.masked_fill(padding.unsqueeze(-1), 0).sum(1) / (~padding).sum(1, keepdim=True)
        return self.head(h)


torch.manual_seed(0)
model = TextClassifier()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
tokens = torch.randint(1, 50, (4, 10))
tokens[0, 6:] = 0
labels = torch.tensor([0, 1, 1, 0])
for epoch in range(2):
    logits = model(tokens)
    loss = nn.functional.cross_entropy(logits, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
