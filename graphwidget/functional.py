"""``torch.functional``: functions that PyTorch writes in Python."""

from .absent import refuse_others
from .dispatch.offer import FUNCTIONS

NAMES = (
    "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes", "broadcast_tensors",
    "cdist", "einsum", "meshgrid", "norm",
    "split", "tensordot", "unique",
)  # fmt: skip
globals().update({name: FUNCTIONS[name] for name in NAMES})
refuse_others(__name__)
