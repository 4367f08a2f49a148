"""Samples of convolution and pooling."""

from __future__ import annotations

from .sample import Sample

SAMPLES: dict[str, list[Sample]] = {}

IN_PLACE: list[tuple[str, str]] = []
