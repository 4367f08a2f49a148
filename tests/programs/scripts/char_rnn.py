# A character-level GRU whose state goes on from chunk to chunk.
import torch
import torch.nn as nn

text = "the quick brown fox jumps over the lazy dog. "
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text * 2])


class CharRNN(nn.Module):
    def __init__(self, vocab, hidden=24):
        super().__init__()
        self.embed = nn.Embedding(vocab, hidden)
        self.gru = nn.GRU(hidden, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, vocab)

    def forward(self, x, hidden=None):
        out, hidden = self.gru(self.embed(x), hidden)
        return self.fc(out), hidden


torch.manual_seed(0)
rnn = CharRNN(len(chars))
optimizer = torch.optim.Adam(rnn.parameters(), lr=5e-3)
hidden = None
for i in range(0, 64, 16):
    x = data[i : i + 16].unsqueeze(0)
    y = data[i + 1 : i + 17].unsqueeze(0)
    if hidden is not None:
        hidden = hidden.detach()
    output, hidden = rnn(x, hidden)
    loss = nn.functional.cross_entropy(output.squeeze(0), y.squeeze(0))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
