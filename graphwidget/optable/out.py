"""``Out``: which tensors the ``out=`` of a function may be, a fact of its op's declaration.

An op says where it is not as usual, ``op("cumsum(...)", ..., out=Out("own", "whole"))``; a function
that is no op, where it is offered: ``@offer(out=Out("cast"))``. ``dispatch/out.py`` goes by it.
"""

from __future__ import annotations

from typing import NamedTuple


class Out(NamedTuple):
    """Kinds of ``out=`` that a function takes. The default is ``Out()``, for pointwise ops
    ``POINTWISE``."""

    dtype: str = "result"
    """Its type: that of the ``result``, as of all functions with several results; ``cast``, any to
    which the result can be cast, and ``joined``, the same with the words of ``cat``; ``own``, any,
    and it is computed in; ``plain``: as ``result`` where all tensors are the op's own inputs, not
    those of another form, else as ``cast``; ``truth``, bool or uint8. If ``dtype=`` is given, it is
    that."""
    memory: str = "any"
    """The memory of operands that it may have: ``any``; ``whole``, that of one of them, but not a
    part of it; ``first``, that of the first, but no part of any; ``none``."""
    history: str = "refused"
    """Effect of a wanted gradient: the call is ``refused``; or ``ended``, by a node that refuses
    backward; or ``resized``: the tensor may not even require grad where none is wanted."""
    keeps_shape: bool = False
    """It keeps its shape where it has as many items as the result."""


POINTWISE = Out("cast", "whole")
PLAIN = Out("plain", "whole")
JOINED = Out("joined", "none")


def declared_out(out: Out | bool, pointwise: bool) -> Out | None:
    """Return the meaning of a declaration: True is the usual, False is no ``out=``."""
    if isinstance(out, Out):
        return out
    return (POINTWISE if pointwise else Out()) if out else None
