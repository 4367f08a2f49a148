"""``torch.distributions.transforms``: the list of all transforms."""

from .elementary_transforms import (
    AbsTransform,
    AffineTransform,
    ExpTransform,
    LowerCholeskyTransform,
    PowerTransform,
    ReshapeTransform,
    SigmoidTransform,
    SoftmaxTransform,
    SoftplusTransform,
    StickBreakingTransform,
    TanhTransform,
)
from .structured_transforms import (
    CatTransform,
    CorrCholeskyTransform,
    CumulativeDistributionTransform,
    PositiveDefiniteTransform,
    StackTransform,
)
from .transform import ComposeTransform, IndependentTransform, Transform, identity_transform

__all__ = [
    "AbsTransform", "AffineTransform", "CatTransform", "ComposeTransform", "CorrCholeskyTransform",
    "CumulativeDistributionTransform", "ExpTransform", "IndependentTransform",
    "LowerCholeskyTransform", "PositiveDefiniteTransform", "PowerTransform", "ReshapeTransform",
    "SigmoidTransform", "SoftmaxTransform", "SoftplusTransform", "StackTransform",
    "StickBreakingTransform", "TanhTransform", "Transform", "identity_transform",
]  # fmt: skip
