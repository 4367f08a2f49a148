"""Gradients that are clipped where there are none: before the backward that makes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ...recording.findings import Finding
from ...recording.fold import Model
from ...recording.sites import Site
from .lines import place_in, place_of, statement

CLIPS = "clip_grad_norm_("


def clips_in_vain(origins: Mapping[int, Site]) -> list[Site]:
    """The lines that clipped gradients more than once where there were none: then the norm is made
    of nothing. ``origins`` says where values were made."""
    sites = Counter(site for site in origins.values() if CLIPS in site.text)
    return [site for site, count in sites.items() if count > 1]


def clipped_too_early(model: Model, sites: list[Site]) -> Finding | None:
    """One of these lines, if it never met a gradient and the last backward comes after it."""
    met = {call["source"] for call in model.calls.values()}
    runs = [each for each in model.runs.values() if each["inputs"] is None]
    backward = place_in(model, runs[-1]["source"]) if runs else None
    for site in sites:
        place = place_of(site)
        if place is None or backward is None or site.id in met or backward.line < place.line:
            continue
        if (place.file, place.function) == (backward.file, backward.function):
            text = "No parameter has a gradient here, so nothing is clipped: backward comes after"
            text += f" this line. Move it to after line {backward.line}."
            fix = f"{statement(model, place)}  # after line {backward.line}"
            return Finding("unused", backward, place, fix, text)
    return None
