"""Devices, and the switches that choose between implementations, against PyTorch."""

import pytest

from tests.compare_engines import both, programs, source

PROGRAMS = """
# devices
import copy, pickle
d = torch.device
result = [attempt(f) for f in (lambda: str(d("cuda", 1)), lambda: d("cuda:1"), lambda: d("cpu"),
    lambda: d(d("cpu")), lambda: d("cpu").index, lambda: d("cuda:1").index, lambda: d("cpu").type,
    lambda: d("cpu") == d("cpu:0"), lambda: d("cpu") == "cpu", lambda: d(type="cpu"),
    lambda: {d("cpu"): 1}[d("cpu")], lambda: pickle.loads(pickle.dumps(d("cuda:1"))),
    lambda: copy.deepcopy(d("cpu")), lambda: d("foo"), lambda: d(""), lambda: d("cpu:x"),
    lambda: d("cpu", -1), lambda: d(0), lambda: d("cuda:1", 2), lambda: d(torch.ones(1).device))]

# tensors made elsewhere
result = [attempt(f) for f in (lambda: torch.zeros(1, device="cuda"),
    lambda: torch.ones(1, device=torch.device("cuda:0")), lambda: torch.tensor([1.],
    device="cuda"), lambda: torch.rand(1, device="xpu"), lambda: torch.zeros(2, device="cpu"),
    lambda: torch.zeros(1, device="cpu:0").device, lambda: torch.zeros(1).to("cuda"),
    lambda: torch.nn.Linear(1, 1, device="cuda"))]

# the usual choice of a device
device = torch.device("cuda" if torch.cuda.is_available() else "mps"
    if torch.backends.mps.is_available() else "cpu")
alike = (torch.accelerator.current_accelerator().type if torch.accelerator.is_available()
    else "cpu")
m = torch.nn.Linear(1, 1).to(device)
result = [device, alike, m.weight.device, m(torch.ones(1, 1, device=device)).device]

# the default device
first = torch.get_default_device()
torch.set_default_device("cuda")
seen = [attempt(lambda: torch.zeros(1)), torch.zeros(1, device="cpu")]
torch.set_default_device(None)
with torch.device("cpu") as d:
    seen += [torch.zeros(1), d]
def inside():
    with torch.device("cuda"):
        return torch.zeros(1)
result = [first, seen, attempt(inside), torch.zeros(1), torch.get_default_device()]

# there is no accelerator
c, m, a, x = torch.cuda, torch.mps, torch.accelerator, torch.xpu
result = [attempt(f) for f in (c.is_available, c.device_count, lambda: c.manual_seed(1),
    lambda: c.manual_seed_all(1), c.empty_cache, c.is_initialized, c.memory_allocated,
    c.max_memory_allocated, m.is_available, m.device_count, lambda: m.manual_seed(0),
    a.is_available, a.current_accelerator, a.device_count, x.is_available, x.device_count,
    torch.cpu.is_available, torch.cpu.device_count, torch.cuda.is_bf16_supported)]

# backends
b = torch.backends
b.cudnn.benchmark = True
b.cudnn.deterministic = False
result = [b.mps.is_available(), b.mps.is_built(), b.cuda.is_built(), b.cudnn.is_available(),
    b.cudnn.enabled, b.cudnn.version(), torch.version.cuda, torch.version.hip]
b.cudnn.benchmark = False

# switches
torch.set_num_threads(1)
torch.set_float32_matmul_precision("high")
torch.set_float32_matmul_precision("x")
torch.use_deterministic_algorithms(True, warn_only=True)
result = [torch.get_num_threads(), torch.get_float32_matmul_precision(),
    torch.are_deterministic_algorithms_enabled(),
    attempt(lambda: torch.use_deterministic_algorithms(3)), attempt(lambda: torch.
    set_num_threads(0)), attempt(lambda: torch.set_num_threads("a"))]
torch.use_deterministic_algorithms(False)
torch.set_float32_matmul_precision("highest")

# names of types
class Mine:
    pass
result = [torch.typename(torch.ones(1)), torch.typename(torch.ones(1, dtype=torch.int64)),
    torch.typename(3), torch.typename("x"), torch.typename(Mine()), torch.typename(len),
    torch.is_tensor(3), torch.ones(1).is_cpu]
"""


@pytest.mark.parametrize(("title", "text"), programs(PROGRAMS), ids=lambda part: part[:60])
def test_devices(title: str, text: str) -> None:
    both(source(text))


def test_compile_gives_what_computes_the_same() -> None:
    import graphwidget

    def function(x: float) -> float:
        return x

    assert graphwidget.compile(function)(2.0) == 2.0
    assert graphwidget.compile(fullgraph=True)(function)(3.0) == 3.0
