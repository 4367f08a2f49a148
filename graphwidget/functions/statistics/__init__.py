"""Statistics: quantiles, covariances, histograms, sampled functions."""

from . import (  # noqa: F401  (each offers its functions when it is imported)
    quantile_cov,
    sampled_functions,
    unique_histogram,
)
