"""``torch.utils.deterministic``: a switch that changes nothing, as empty memory is not filled."""

__all__ = ["fill_uninitialized_memory"]

fill_uninitialized_memory: bool = True
