"""The methods of Tensor, for editors and type checkers.

At run time there is nothing here but the data model: ``public`` collects the functions and
``methods`` gives them to Tensor. ``offered.pyi`` beside this file, generated from both, tells their
types.
"""

from .base import TensorBase as Offered

__all__ = ["Offered"]
