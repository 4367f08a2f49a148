"""Which values the node of a write through a view saved, by the op table: `CopySlices` hides them.

The node (``CopySlices``) runs that of the written op, into which nobody can look. The table knows
what each op saves.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...recording import events as ev
from ...recording.recorder import Ref
from . import ops
from .tape import Write


def saved_inside(name: str, given: Sequence[Ref | str], write: Write) -> list[ev.Saved]:
    """What the call ``name`` saved that wrote a view: ``given`` are its inputs as they were before.
    Of what it writes it keeps a copy, if it needs it."""
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
