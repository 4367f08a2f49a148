"""Functions of PyTorch's API to observe: those that make or write tensors."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import torch

from .ops import plain_name
from .replaced import accessor

PLAIN_TYPES = (), (torch.Tensor,)
"""``types`` that PyTorch gives a mode if no class of a call's tensors has functions of its own:
then looking at them calls no code of the program."""

LEAKS = frozenset({"item", "numpy", "tolist", "__float__", "__array__", "__int__"})

SWITCH = "_set_grad_enabled"

QUIET = frozenset(
    {
        "__repr__", "__str__", "__format__", "__len__", "__bool__", "__float__", "__int__",
        "__index__", "__contains__", "__iter__", "__hash__", "__reduce_ex__", "__dir__",
        "__setstate__", "__deepcopy__", "item", "tolist", "numpy", "size", "dim", "numel",
        "stride", "is_floating_point", "is_complex", "storage_offset", "data_ptr", "get_device",
        "untyped_storage", "element_size", "ndimension", "is_contiguous", "backward",
        "register_hook", "register_post_accumulate_grad_hook", "equal", "allclose",
        "result_type", "is_tensor", "is_same_size", "share_memory_", "nelement", "is_nonzero",
        "_record_function_enter_new", "_record_function_exit._RecordFunction",
        SWITCH,
    }
)  # fmt: skip
"""Calls that neither make nor write tensors of the program's."""

HOOKING = frozenset({"register_hook", "register_post_accumulate_grad_hook"})
RECORDED = LEAKS | HOOKING | {SWITCH}
"""Calls recorded for the findings: those that make a number or an array of a tensor, and others."""

PROPERTIES = frozenset({"T", "mT", "H", "mH", "real", "imag", "data"})
"""Attributes that are calls: reading them makes a tensor."""

FLAGS = frozenset({"requires_grad_", "requires_grad", "retain_grad", "detach_"})


@lru_cache(maxsize=4_096)
def looked_at(func: Callable[..., Any]) -> tuple[Callable[..., Any], str, bool, bool]:
    """The function that runs; its name; whether it neither makes nor writes tensors of the
    program's, as what reads an attribute that is none; and whether it is in ``RECORDED``."""
    func = accessor(func)
    name, attribute = plain_name(func), getattr(func, "__name__", "")
    quiet = attribute == "__get__" and name not in PROPERTIES
    assigns = attribute == "__set__" and name == "grad"
    return func, name, quiet or assigns or name in QUIET, assigns or name in RECORDED
