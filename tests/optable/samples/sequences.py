"""Samples of packed sequences."""

from __future__ import annotations

from .convolution import grads
from .sample import Sample, Shapes, each

R = "torch.nn.utils.rnn"
PADDED: list[Shapes] = [((4, 3, 2),), ((4, 3),)]
TIMES: list[Shapes] = [((3, 2, 2), (4, 4)), ((1, 2, 3), (8, 2))]
LSTM = (
    "torch.lstm(x, (y[:2, :2].sin().expand(DIRS, 2, -1)[..., :y.shape[0] // 4], "
    "y[2:4, :2].expand(DIRS, 2, -1)[..., :y.shape[0] // 4]), [x.sum((0, 1)) * y[:, :1], "
    "y[:, :1].cos().repeat(1, y.shape[0] // 4)BIAS] * DIRS, HAS, 1, 0.0, True, TWO, FIRST)"
)


def lstm(directions: int, biases: bool, first: bool) -> str:
    """A layer in one or two directions."""
    text = LSTM.replace("BIAS", ", y[:, 1], y[:, 0]" if biases else "")
    for word, value in (
        ("DIRS", directions),
        ("HAS", biases),
        ("TWO", directions == 2),
        ("FIRST", first),
    ):
        text = text.replace(word, str(value))
    return text


PACKED = f"{R}.pack_padded_sequence(x, [4, 2, 1]).data"

SAMPLES: dict[str, list[Sample]] = {
    "mkldnn_rnn_layer": each(TIMES, lstm(1, True, False), lstm(2, False, False),
                             lstm(1, False, False) + "[0][0]", lstm(1, True, False) + "[2]",
                             integers=False),
    "pack_padded_sequence": [
        *each(PADDED, PACKED, f"{R}.pack_padded_sequence(x, [1, 3, 2, 1], True, False).data",
              f"{R}.pad_packed_sequence({R}.pack_padded_sequence(x, [4, 2, 2]))[0]"),
        *each(PADDED, grads(PACKED, "x") + "[0]",
              grads(f"{R}.pack_padded_sequence(x, [2, 2, 2, 1], True).data", "x") + "[0]",
              integers=False),
    ],
}  # fmt: skip

IN_PLACE: list[tuple[str, str]] = []
