"""What the op table and the modules of functions offer, for the editor and for type checkers.

At run time there is nothing here: ``core.public`` collects the functions, ``core.methods`` gives
Tensor its methods. ``offered.pyi`` beside this file, generated from both, tells their types.
"""


class Offered:
    """The methods that Tensor is given."""

    __slots__ = ()
