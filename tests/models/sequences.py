"""Models of sequences: recurrent nets, and embeddings."""

from __future__ import annotations

from typing import Any

from .register import Made, model


@model
def lstm_classifier(torch: Any) -> Made:
    nn = torch.nn

    class Classifier(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(11, 6, padding_idx=0)
            self.lstm = nn.LSTM(6, 5, num_layers=2, batch_first=True, bidirectional=True)
            self.fc = nn.Linear(10, 2)

        def forward(self, tokens: Any) -> Any:
            _, (hidden, _) = self.lstm(self.embedding(tokens))
            return self.fc(torch.cat((hidden[-2], hidden[-1]), dim=1))

    return Classifier(), (torch.randint(0, 11, (3, 7)),)


@model
def lstm_states(torch: Any) -> Made:
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lstm = nn.LSTM(4, 5, batch_first=True)
            self.fc = nn.Linear(5, 1)

        def forward(self, x: Any) -> Any:
            h0 = torch.zeros(1, x.size(0), 5)
            c0 = torch.zeros(1, x.size(0), 5).to(x.device)
            out, _ = self.lstm(x, (h0, c0))
            return self.fc(out[:, -1, :])

    return Net(), (torch.randn(3, 6, 4),)


@model
def gru(torch: Any) -> Made:
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gru = nn.GRU(4, 5, 2)
            self.head = nn.Linear(5, 2)

        def forward(self, x: Any, h: Any = None) -> Any:
            out, h = self.gru(x, h)
            return self.head(out), h

    return Net(), (torch.randn(6, 3, 4),)


@model
def rnn_cells(torch: Any) -> Made:
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.LSTMCell(3, 4), nn.GRUCell(4, 4)

        def forward(self, x: Any) -> Any:
            h = c = x.new_zeros(x.shape[1], 4)
            g = torch.zeros_like(h)
            outputs = []
            for step in x:
                h, c = self.first(step, (h, c))
                g = self.second(h, g)
                outputs.append(g)
            return torch.stack(outputs)

    return Net(), (torch.randn(4, 2, 3),)


@model
def seq2seq(torch: Any) -> Made:
    nn, F = torch.nn, torch.nn.functional

    class Encoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.gru = nn.Embedding(9, 6), nn.GRU(6, 6, batch_first=True)

        def forward(self, tokens: Any) -> Any:
            return self.gru(self.embedding(tokens))

    class Decoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.gru = nn.Embedding(9, 6), nn.GRU(12, 6, batch_first=True)
            self.query, self.out = nn.Linear(6, 6), nn.Linear(6, 9)

        def forward(self, token: Any, hidden: Any, memory: Any) -> Any:
            query = self.query(hidden).permute(1, 0, 2)
            weights = F.softmax(torch.bmm(query, memory.transpose(1, 2)), dim=-1)
            context = torch.bmm(weights, memory)
            mixed = torch.cat((self.embedding(token), context), dim=2)
            out, hidden = self.gru(mixed, hidden)
            return self.out(out), hidden

    class Seq2Seq(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder, self.decoder = Encoder(), Decoder()

        def forward(self, source: Any, target: Any) -> Any:
            memory, hidden = self.encoder(source)
            outputs = []
            for i in range(target.size(1)):
                out, hidden = self.decoder(target[:, i].unsqueeze(1), hidden, memory)
                outputs.append(out)
            return F.log_softmax(torch.cat(outputs, dim=1), dim=-1)

    return Seq2Seq(), (torch.randint(0, 9, (2, 5)), torch.randint(0, 9, (2, 4)))


@model
def embedding_mean(torch: Any) -> Made:
    nn = torch.nn

    class Bag(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.fc = nn.Embedding(10, 4), nn.Linear(4, 2)

        def forward(self, tokens: Any) -> Any:
            present = (tokens != 0).unsqueeze(-1)
            total = (self.embedding(tokens) * present).sum(dim=1)
            return self.fc(total / present.sum(dim=1).clamp(min=1))

    return Bag(), (torch.randint(0, 10, (3, 6)),)
