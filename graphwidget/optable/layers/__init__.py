"""Ops of neural networks: activations, convolutions, normalization, losses, attention."""

from . import (  # noqa: F401  (each declares its ops when it is imported)
    activations,
    attention,
    convolution,
    ctc,
    embedding,
    grid_sample,
    losses,
    lstm,
    normalization,
    packed_sequences,
    pooling,
    resampling,
    softmax,
)
