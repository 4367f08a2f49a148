"""Layers, losses and hooks that are rarely met."""

import pytest

from tests.both import both, programs, source

SETUP = """
import warnings
nn, F = torch.nn, torch.nn.functional
torch.manual_seed(0)
x = torch.randn(4, 6, requires_grad=True)
b = torch.randn(5)
"""

PROGRAMS = """
# gradients of convolutions as functions
G = F.grad
images, kernel = torch.randn(2, 4, 7, 7), torch.randn(6, 2, 3, 3)
out = F.conv2d(images, kernel, stride=2, padding=1, groups=2)
result = [G.conv2d_input(images.shape, kernel, out, 2, 1, 1, 2), G.conv2d_weight(images,
    kernel.shape, out, 2, 1, 1, 2), G.conv1d_input((1, 2, 5), torch.ones(3, 2, 2),
    torch.ones(1, 3, 4))]

# what layers of one's own take from PyTorch's
import importlib
place = "torch.nn.modules.utils" if torch.__name__ == "torch" else "graphwidget.nn.module_utils"
u = importlib.import_module(place)
d = torch.nn.DataParallel(nn.Sequential(nn.Linear(1, 1))).state_dict()
u.consume_prefix_in_state_dict_if_present(d, "module.")
result = [u._single(5), u._pair(2), u._pair([1, 2, 3]), u._triple("ab"), u._quadruple(None),
    u._ntuple(5)(0), u._pair.__name__, dict(d), list(d._metadata), *(attempt(lambda:
    nn.init._calculate_correct_fan(*a)) for a in ((x, "FAN_IN"), (x, "fan_out"), (x, "y"),
    (b, "fan_in")))]

# hooks of all modules
M, log = nn.modules.module, []
def note(word):
    return lambda m, *rest: log.append((word, type(m).__name__))
net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
net[0].register_forward_hook(note("own"))
net[0].register_full_backward_hook(note("own backward"))
handles = [M.register_module_forward_pre_hook(note("before")),
    M.register_module_forward_hook(note("after")),
    M.register_module_full_backward_pre_hook(note("before backward")),
    M.register_module_full_backward_hook(note("backward"))]
out = net(torch.ones(1, 2, requires_grad=True))
out.sum().backward()
for handle in handles:
    handle.remove()
net(torch.ones(1, 2))
result = [log, out.grad_fn.name()]

# LSTM with projections
m = nn.LSTM(2, 5, 2, proj_size=3, bidirectional=True, batch_first=True)
out, (h, c) = m(torch.randn(3, 4, 2))
(out.sum() + c.sum()).backward()
result = [repr(m), list(m.state_dict()), out.detach(), h.detach(), c.detach(),
    plain([p.grad for p in m.parameters()]), [attempt(f) for f in (lambda: nn.LSTM(3, 4,
    proj_size=4), lambda: nn.GRU(3, 4, proj_size=2), lambda: nn.LSTM(3, 4, proj_size=-1),
    lambda: nn.LSTM(3., 4), lambda: nn.GRU(3, 4)(torch.ones(0, 1, 3)), lambda: nn.GRU(3,
    4)(torch.ones(1, 1, 3).double()))]]

# an LSTM's node
m = nn.LSTM(2, 3, bidirectional=True)
out, (h, c) = m(torch.randn(4, 1, 2, requires_grad=True))
node = out.grad_fn.next_functions[0][0]
result = [graph(out.grad_fn), graph(h.grad_fn), [getattr(node, "_saved_" + name) for name in
    ("reverse", "mode", "num_layers", "hx_", "result0", "batch_sizes", "has_biases")],
    h.grad_fn.next_functions[1][1], c.grad_fn.next_functions[1][1]]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_program(title: str, text: str) -> None:
    both(source(SETUP + text))
