"""Values saved by the node of a write through a view, by the op table: ``CopySlices`` hides them.

The node (``CopySlices``) runs that of the written op, which cannot be inspected. The table says
what each op saves.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...recording import events as ev
from ...recording.recorder import Ref
from . import ops
from .tape import Write


def saved_inside(name: str, given: Sequence[Ref | str], write: Write) -> list[ev.Saved]:
    """Return what the call ``name``, which wrote a view, saved: ``given`` are its inputs before.
    It saves a copy of the tensor that it writes, if it needs it."""
    op = ops.op_of(name)
    if op is None or op.variadic:
        return []
    names = dict(zip(op.inputs, given, strict=False))
    targets = tuple(
        word
        for word, each in names.items()
        if isinstance(each, Ref)
        and word in op.derivatives
        and (write.grown if each is write.before else each.facts.requires_grad)
    )
    found = []
    for word in op.saved_by(targets):
        ref = names.get(word)
        if word in op.outputs:
            ref = write.after
        elif not isinstance(ref, Ref) or word == op.inputs[0]:
            continue
        found.append(ev.Saved(word, ref.id, ref.storage, ref.version, None))
    return found
