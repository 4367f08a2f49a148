"""``torch.autograd.functional``."""
