# An encoder and a decoder of LSTMs over packed sequences.
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence


class Encoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, dim, batch_first=True)

    def forward(self, src, lengths):
        packed = pack_padded_sequence(
            self.embedding(src), lengths, batch_first=True, enforce_sorted=False
        )
        out, (h, c) = self.lstm(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        return out, (h, c)


class Decoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, dim, batch_first=True)
        self.fc = nn.Linear(dim, vocab)

    def forward(self, tgt, state):
        out, state = self.lstm(self.embedding(tgt), state)
        return self.fc(out), state


torch.manual_seed(0)
encoder, decoder = Encoder(20, 16), Decoder(20, 16)
criterion = nn.CrossEntropyLoss(ignore_index=0)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
for epoch in range(3):
    lengths = torch.tensor([5, 3, 4])
    src = pad_sequence([torch.randint(1, 20, (int(n),)) for n in lengths], batch_first=True)
    tgt = torch.randint(1, 20, (3, 6))
    enc_out, state = encoder(src, lengths)
    logits, state = decoder(tgt[:, :-1], state)
    loss = criterion(logits.reshape(-1, 20), tgt[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
    optimizer.step()
