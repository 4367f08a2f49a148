"""Ops of neural networks: activations, convolutions, normalization, losses, attention."""

from . import (  # noqa: F401  (each declares its ops when it is imported)
    activations,
    adaptive_pooling,
    attention,
    bilinear,
    convolution,
    embedding,
    fold,
    interpolation,
    losses,
    lstm,
    normalization,
    packed_sequences,
    pixel_shuffle,
    pooling,
    softmax,
)
