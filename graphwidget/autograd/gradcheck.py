"""``torch.autograd.gradcheck``."""
