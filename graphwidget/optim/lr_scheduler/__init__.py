"""Learning rates that change from epoch to epoch, as in `torch.optim.lr_scheduler`."""

from ...absent import refuse_others
from .base import LRScheduler, _LRScheduler
from .one_cycle import OneCycleLR
from .plateau import ReduceLROnPlateau
from .schedules import (
    CosineAnnealingLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiStepLR,
    SequentialLR,
    StepLR,
)

__all__ = [
    "CosineAnnealingLR", "ExponentialLR", "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR",
    "OneCycleLR", "ReduceLROnPlateau", "SequentialLR", "StepLR", "_LRScheduler",
]  # fmt: skip

refuse_others(__name__)
