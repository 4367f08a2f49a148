"""Between a user's call and the op: PyTorch's signatures, ``out=`` and ``__torch_function__``."""
