"""Recurrent layers in use: tagging, attention between sequences, states carried on, packing."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

torch.manual_seed(1)
lstm = nn.LSTM(3, 3)
inputs = [torch.randn(1, 3) for _ in range(5)]
hidden = (torch.randn(1, 1, 3), torch.randn(1, 1, 3))
for each in inputs:
    out, hidden = lstm(each.view(1, 1, -1), hidden)
print(out, hidden)


class Tagger(nn.Module):
    def __init__(self, words, tags, size=6):
        super().__init__()
        self.embeddings = nn.Embedding(words, size)
        self.lstm = nn.LSTM(size, size)
        self.hidden2tag = nn.Linear(size, tags)

    def forward(self, sentence):
        out, _ = self.lstm(self.embeddings(sentence).view(len(sentence), 1, -1))
        return F.log_softmax(self.hidden2tag(out.view(len(sentence), -1)), dim=1)


model = Tagger(9, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
pairs = [((0, 1, 2, 0, 3), (0, 1, 2, 0, 1)), ((4, 5, 6, 7), (1, 2, 0, 1))]
for _ in range(15):
    for sentence, tags in pairs:
        model.zero_grad()
        loss = F.nll_loss(model(torch.tensor(sentence)), torch.tensor(tags))
        loss.backward()
        optimizer.step()
print(round(loss.item(), 3), model)


class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.query, self.key = nn.Linear(size, size), nn.Linear(size, size)
        self.score = nn.Linear(size, 1)

    def forward(self, query, keys):
        scores = self.score(torch.tanh(self.query(query) + self.key(keys)))
        weights = F.softmax(scores.squeeze(2).unsqueeze(1), dim=-1)
        return torch.bmm(weights, keys), weights


class Decoder(nn.Module):
    def __init__(self, words, size):
        super().__init__()
        self.embedding = nn.Embedding(words, size)
        self.attention = Attention(size)
        self.gru = nn.GRU(2 * size, size, batch_first=True)
        self.out = nn.Linear(size, words)

    def forward(self, encoded, hidden, target=None, steps=4):
        word = torch.zeros(encoded.size(0), 1, dtype=torch.long)
        outputs = []
        for step in range(steps):
            context, _ = self.attention(hidden.permute(1, 0, 2), encoded)
            out, hidden = self.gru(torch.cat((self.embedding(word), context), 2), hidden)
            outputs.append(self.out(out))
            word = outputs[-1].topk(1)[1].squeeze(-1).detach() if target is None else target[
                :, step : step + 1
            ]  # fmt: skip
        return torch.cat(outputs, 1).log_softmax(-1)


embed, encoder, decoder = nn.Embedding(7, 8), nn.GRU(8, 8, batch_first=True), Decoder(7, 8)
source, target = torch.randint(1, 7, (5, 4)), torch.randint(1, 7, (5, 4))
weights = [*embed.parameters(), *encoder.parameters(), *decoder.parameters()]
optimizer = torch.optim.Adam(weights, lr=0.01)
for _ in range(4):
    optimizer.zero_grad()
    out = decoder(*encoder(embed(source)), target)
    loss = F.nll_loss(out.flatten(0, 1), target.flatten())
    loss.backward()
    norm = nn.utils.clip_grad_norm_(weights, 1.0)
    optimizer.step()
print(round(loss.item(), 3), round(norm.item(), 2))
with torch.no_grad():
    print(decoder(*encoder(embed(source))).shape)

# hidden states carried from one stretch to the next, without their history
text = torch.randint(0, 11, (16, 3))
names = {"encode": nn.Embedding(11, 6), "rnn": nn.LSTM(6, 8, 2), "decode": nn.Linear(8, 11)}
language = nn.ModuleDict(names)
states = tuple(torch.zeros(2, 3, 8) for _ in range(2))
for at in range(0, 15, 5):
    states = tuple(state.detach() for state in states)
    language.zero_grad()
    out, states = language["rnn"](language["encode"](text[at : at + 5]), states)
    loss = F.cross_entropy(language["decode"](out).view(-1, 11), text[at + 1 : at + 6].reshape(-1))
    loss.backward()
    for p in language.parameters():
        p.data.add_(p.grad, alpha=-0.5)
    print(round(loss.item(), 3), out.grad_fn.name())

# sequences of different lengths, in both directions, with projections
sequences = [torch.randn(length, 4) for length in (3, 5, 2)]
padded = pad_sequence(sequences, batch_first=True)
packed = pack_padded_sequence(padded, torch.tensor([3, 5, 2]), True, enforce_sorted=False)
both = nn.LSTM(4, 3, bidirectional=True, batch_first=True, proj_size=2)
out, (h, c) = both(packed)
out, lengths = pad_packed_sequence(out, batch_first=True)
out.sum().backward()
print(both, out.shape, lengths, h.shape, c.shape, out[2, 2:].abs().sum())
print([name for name, p in both.named_parameters() if p.grad.abs().sum() > 0])
(slope,) = torch.autograd.grad(lstm(torch.cat(inputs).view(5, 1, 3))[0].sum(), lstm.weight_hh_l0,
                               create_graph=True)  # fmt: skip
slope.square().sum().backward()
print(lstm.weight_hh_l0.grad.shape, lstm.weight_hh_l0.grad.abs().sum() > 0)
