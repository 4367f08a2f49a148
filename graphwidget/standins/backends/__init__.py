"""`torch.backends`: which libraries there are."""

from graphwidget.absent import refuse_others

from . import cuda, cudnn, mkl, mkldnn, mps, openmp

__all__ = ["cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp"]

refuse_others(__name__)
