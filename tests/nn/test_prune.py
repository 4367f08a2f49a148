"""Pruning: masks, what modules hold meanwhile, several methods on one parameter, refusals."""

from __future__ import annotations

from tests.semantics.compare import same

START = """
prune = __import__(torch.__name__ + ".nn.utils.prune", fromlist=["prune"])
torch.manual_seed(0)
"""


def test_a_module_is_pruned() -> None:
    same(
        START
        + """
m = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Conv2d(1, 3, 2))
prune.random_unstructured(m[0], "weight", 0.3)
prune.l1_unstructured(m[0], "bias", 2)
prune.ln_structured(m[2], "weight", 0.34, n=2, dim=0)
prune.random_structured(m[0], "weight", 1, dim=1)
show(m[0].weight_mask, m[0].bias, m[2].weight_mask, m[0].weight, list(m.state_dict()))
m[0](torch.ones(2, 4)).sum().backward()
show(m[0].weight_orig.grad)
with torch.no_grad(): m[0].weight_orig.add_(1)
m[0](torch.ones(1, 4))
show(m[0].weight, prune.is_pruned(m))
prune.remove(m[0], "weight")
show(m[0].weight, list(dict(m[0].named_parameters())), prune.is_pruned(nn.Linear(1, 1)))
"""
    )


def test_several_parameters_and_own_methods() -> None:
    same(
        START
        + """
n = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
pairs = [(n[0], "weight"), (n[1], "weight")]
for amount in (0.4, 0.5):
    prune.global_unstructured(pairs, pruning_method=prune.L1Unstructured, amount=amount)
    show(n[0].weight, n[1].weight)
class Every(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"
    def compute_mask(self, t, default_mask):
        mask = default_mask.clone(); mask.view(-1)[::2] = 0
        return mask
f = nn.Linear(3, 2)
Every.apply(f, "bias")
prune.custom_from_mask(f, "weight", torch.tensor([[1., 0, 1], [0, 1, 1]]))
Every.apply(f, "weight")
show(f.bias_mask, f.weight_mask, f.weight)
show(prune.L1Unstructured(0.5).prune(torch.tensor([1., -3, 2, 0.5])))
show(prune.LnStructured(1, 1, 0).prune(torch.arange(4.).view(2, 2)))
"""
    )


def test_refusals() -> None:
    same(
        START
        + """
m = nn.Linear(3, 2)
for attempt in (lambda: prune.remove(m, "weight"), lambda: prune.random_unstructured(m, "bias", 7),
                lambda: prune.random_structured(m, "bias", 1, 0),
                lambda: prune.CustomFromMask(torch.ones(2)).prune(torch.ones(3))): fails(attempt)
for amount in (1.5, -1, "a"): fails(lambda: prune.L1Unstructured(amount))
"""
    )
