"""`torch.tensor` of nested sequences, numbers and arrays, and numpy functions of tensors."""

from __future__ import annotations

import itertools

import pytest

from tests.compare_engines import both, source

QUIET = "import warnings\nimport numpy as np\nwarnings.simplefilter('ignore')\n"
"""PyTorch's ``__array_wrap__`` is deprecated by numpy, and of slow lists it warns once."""


def same(calls: list[str], before: str = "") -> None:
    """Assert that each of the calls shows the same on both engines."""
    attempts = ", ".join(f"attempt(lambda: {call})" for call in calls)
    both(source(f"{QUIET}{before}\nresult = [{attempts}]"))


ATOMS = [
    "True", "2", "2.5", "np.bool_(True)", "np.int8(1)", "np.int32(1)", "np.float16(1)",
    "np.float32(1)", "np.float64(1)", "np.array(1, np.int8)", "np.array(1., np.float32)",
    "torch.tensor(1., dtype=torch.float64)", "torch.tensor(1)", "torch.tensor(True)",
    "torch.tensor([1.])", "torch.tensor(1., dtype=torch.half)",
]  # fmt: skip


@pytest.mark.parametrize("atom", ATOMS)
def test_types_of_two(atom: str) -> None:
    """Each kind of number with each: one type holds both, or PyTorch's error."""
    same([f"torch.tensor([{atom}])", *(f"torch.tensor([{atom}, {other}])" for other in ATOMS)])


DATA = [
    "[1, 'a']", "['ab', 1]", "[['a']]", "(b'a',)", "b'ab'", "'a'", "[[1], 2]", "[[[1]], [2]]",
    "[[1, 2], torch.tensor(3)]", "[[1, 2], torch.tensor([3, 4])]", "[[1, 2], np.array(3)]",
    "[[1], 'a']", "[1, [2]]", "[1., [2]]", "[1, None]", "[None, 1]", "None", "[[1], None]",
    "[1, {}]", "{}", "{1, 2}", "[[], 1]", "[[], []]", "[[], [1]]", "[[1], []]", "[[[]], [[1]]]",
    "[np.array([1]), [2]]", "[[2], np.array([1])]", "[torch.ones(1), [2]]",
    "[torch.ones(2), torch.ones(2)]", "[torch.ones(1), torch.ones(1)]", "[torch.ones(1, 1)]",
    "[[torch.ones(1)]]", "[1, torch.ones(2)]", "[torch.ones(2), 1]", "[np.ones(2), 1]",
    "[1, np.ones(2)]", "[np.ones((2, 2)), np.ones((2, 3))]", "[np.ones(2), np.zeros(2)]",
    "(1, (2, 3))", "[(1, 2), [3, 4]]", "[range(2), [1, 2]]", "[range(0)]", "[2**63]",
    "[1.5, 2**70]", "[2**63 - 1]", "[True, 2**70]", "[1e400]", "[1, 2.5, True]",
    "[[1, 2.5], [True, 3]]", "[[1, 2], [3]]", "[[[1, 2]], [[1]]]", "np.ones(3)[::-1]",
    "[np.ones(3)[::-1]]", "np.ones(2, '>f4')", "[torch.ones(1, requires_grad=True), 2]",
    "np.float32(2)", "np.float64(2)", "memoryview(b'ab')", "[True, None]", "[float, 1]",
]  # fmt: skip


@pytest.mark.parametrize("data", DATA)
def test_data(data: str) -> None:
    """As they are, and where a type is given."""
    calls = [f"torch.tensor({data})"]
    calls += [f"torch.tensor({data}, dtype=torch.{kind})" for kind in ("float64", "int32", "bool")]
    if "np.ones" in data:
        calls += [f"torch.as_tensor({data})", f"torch.asarray({data})"]
    same(calls)


ARRAYS = ["np.ones(3)", "np.array([1, 2, 3])", "np.ones((3, 1))", "np.array(2.)", "np.ones(4)",
          "np.array(['a', 'b', 'c'])", "np.ones(3)[::-1]"]  # fmt: skip
TENSORS = ["torch.tensor([1., 2., 3.])", "torch.tensor([1, 2, 3])", "torch.tensor(2.)",
           "torch.tensor([1., 2., 3.], requires_grad=True)"]  # fmt: skip


@pytest.mark.parametrize(("array", "tensor"), list(itertools.product(ARRAYS, TENSORS)))
def test_operators_with_arrays(array: str, tensor: str) -> None:
    """Of an array's operators with a tensor, == and / give tensors; numpy computes the tensor's."""
    signs = ["+", "-", "*", "/", "//", "**", "==", "!=", "<", ">=", "@"]
    calls = [f"a {sign} x" for sign in signs] + [f"x {sign} a" for sign in signs]
    same(calls, f"a, x = {array}, {tensor}")


def test_protocols() -> None:
    """Numpy's functions of tensors, what typed constructors take."""
    calls = [
        "np.isnan(x)", "np.sin(x)", "np.add(x, x)", "np.sqrt(x)", "reversed(x)", "reversed(x[0])",
        "torch.from_numpy(np.float32(3))", "torch.from_numpy([1])",
        "torch.LongTensor(x)", "torch.BoolTensor(x.half())", "torch.FloatTensor(x).tolist()",
        "torch.Tensor(x.long())",
    ]  # fmt: skip
    same(calls, "x = torch.tensor([1., 2., 3.])")
