"""``torch.autograd.gradcheck``."""
class GradcheckError(RuntimeError):
    """x"""
def gradcheck(): 
    """x"""
def gradgradcheck(): 
    """x"""
