"""What a write through a view saves: its node runs another one, into which nobody can look.

It is taken from the op table, which knows of every op what it saves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ...recording import events as ev
from ...recording.recorder import Ref
from . import ops
from .identity import Identity
from .tensor_facts import asked, base_of, grad_fn_of


def saved_inside(
    name: str,
    given: Sequence[Any],
    refs: Mapping[int, Ref],
    written: torch.Tensor,
    identity: Identity,
) -> list[ev.Saved]:
    """What the call ``name`` saved that wrote a view: ``given`` are its inputs, ``refs`` who they
    were before. Of what it writes it keeps a copy, if it needs it."""
    op = ops.op_of(name)
    if op is None or op.variadic:
        return []
    names = dict(zip(op.inputs, given, strict=False))
    base = base_of(written)
    history = None if base is None else grad_fn_of(base)
    own = history is not None and history.next_functions[0][0] is not None
    targets = tuple(
        word
        for word, each in names.items()
        if isinstance(each, torch.Tensor)
        and word in op.derivatives
        and (own if each is written else asked(each, "requires_grad"))
    )
    found = []
    for word in op.saved_by(targets):
        tensor = names.get(word)
        if word in op.outputs:
            ref = identity.current(written)
        elif isinstance(tensor, torch.Tensor) and word != op.inputs[0]:
            ref = refs[id(tensor)]
        else:
            continue
        found.append(ev.Saved(word, ref.id, ref.storage, ref.version, None))
    return found
