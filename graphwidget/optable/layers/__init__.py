"""Ops of neural networks: activations, convolutions, normalization, losses, attention."""

from . import (  # noqa: F401  (each declares its ops when it is imported)
    activations,
    attention,
    convolution,
    embedding,
    interpolation,
    losses,
    normalization,
    pooling,
    recurrent,
    softmax,
)
