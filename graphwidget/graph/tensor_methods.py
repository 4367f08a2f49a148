"""The methods of Tensor, for editors and type checkers.

At run time there is nothing here but the data model: ``dispatch/offer.py`` collects the functions
and ``functions/tensor/attach_methods.py`` gives them to Tensor. ``tensor_methods.pyi`` beside
this file, generated from both, tells their types.
"""

from .base import TensorBase as TensorMethods

__all__ = ["TensorMethods"]
