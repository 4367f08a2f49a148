"""Statistics: quantiles, covariances, histograms, numerical gradients."""

from . import (  # noqa: F401  (each offers its functions when it is imported)
    gradient,
    quantile_cov,
    unique_histogram,
)
