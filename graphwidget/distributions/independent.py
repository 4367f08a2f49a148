"""``Independent``: batch dims of a distribution taken as dims of one value."""

from __future__ import annotations

from typing import Any

from ..arrays.size import Size
from . import constraints
from .distribution import Distribution, forwarded_property


class Independent(Distribution):
    """A distribution whose last batch dims are one value, its parts independent of each other: the
    log probabilities are added up over them."""

    mean = forwarded_property("base_dist.mean")
    mode = forwarded_property("base_dist.mode")
    variance = forwarded_property("base_dist.variance")

    def __init__(
        self, base_distribution: Any, reinterpreted_batch_ndims: int,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        batch = base_distribution.batch_shape
        if reinterpreted_batch_ndims > len(batch):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual "
                f"{reinterpreted_batch_ndims} vs {len(batch)}"
            )
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        shape = batch + base_distribution.event_shape
        dims = reinterpreted_batch_ndims + len(base_distribution.event_shape)
        cut = len(shape) - dims
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether values have gradients."""
        return bool(self.base_dist.has_rsample)

    @constraints.dependent_property
    def support(self) -> Any:
        """The base's, for all parts."""
        found = self.base_dist.support
        if self.reinterpreted_batch_ndims:
            found = constraints.independent(found, self.reinterpreted_batch_ndims)
        return found

    def _expanded_attributes(self, batch_shape: Size) -> dict[str, Any]:
        dims = self.reinterpreted_batch_ndims
        base = self.base_dist.expand((*batch_shape, *self.event_shape[:dims]))
        return {"base_dist": base, "reinterpreted_batch_ndims": dims}

    def enumerate_support(self, expand: bool = True) -> Any:
        """All values, where none of the dims is part of one."""
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def sample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Any) -> Any:
        """The sum of the parts' log probabilities."""
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Any:
        """The sum of the parts' entropies."""
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"


def sum_rightmost(value: Any, dims: int) -> Any:
    """The sum over so many of the last dims."""
    if not dims:
        return value
    return value.reshape((*value.shape[: value.dim() - dims], -1)).sum(-1)
