"""Between the call of a user and the op: signatures of PyTorch and their errors, ``out=``, and
``__torch_function__``.
"""
