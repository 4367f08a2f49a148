"""Gives the names that ``graph/runtime.py`` declares their values, all in one place.

They are functions of higher packages, which lower ones call and may not import. To give them last
is early enough: nothing is computed while the package is imported.
"""

from __future__ import annotations

from ..autograd.accumulate_grad import accumulate
from ..autograd.engine import current_run
from ..dispatch.delegates import explain
from ..dispatch.overriding import ask, enable_overrides, has_undeclared_override, not_implemented
from ..eager.node_classes import TENSORS, edgeless
from ..eager.op_functions import alias_as
from ..eager.promote import (
    ABSENT,
    QUIET,
    Constant,
    as_tensors,
    checked_fit,
    fit_to,
    ignore_errors,
    not_a_tensor_error,
    promote,
    restore_errors,
)
from ..graph import runtime
from ..graph.errors import not_differentiable
from ..graph.node import accumulator, edge_of
from ..graph.tensor import Tensor
from ..graph.views import as_view, refresh_for_op
from .creation.factories import legacy_tensor
from .random.generator import uniform
from .shape.select_diagonal import as_strided

runtime.provide(
    # graph
    Tensor=Tensor,
    wrap=Tensor._wrap,
    edge_of=edge_of,
    accumulator=accumulator,
    as_view=as_view,
    refresh_for_op=refresh_for_op,
    not_differentiable=not_differentiable,
    # eager
    tensors=TENSORS,
    alias_as=alias_as,
    edgeless=edgeless,
    Constant=Constant,
    ABSENT=ABSENT,
    as_tensors=as_tensors,
    promote=promote,
    fit_to=fit_to,
    checked_fit=checked_fit,
    not_a_tensor_error=not_a_tensor_error,
    QUIET=QUIET,
    ignore_errors=ignore_errors,
    restore_errors=restore_errors,
    # autograd
    accumulate=accumulate,
    current_run=current_run,
    # dispatch
    ask=ask,
    enable_overrides=enable_overrides,
    explain=explain,
    has_undeclared_override=has_undeclared_override,
    operator_not_implemented=not_implemented,
    # functions
    as_strided=as_strided,
    legacy_tensor=legacy_tensor,
    uniform=uniform,
)
