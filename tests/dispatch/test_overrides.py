"""`__torch_function__`, call by call: who is asked, of what, and what becomes of the result."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import graphwidget
from graphwidget.dispatch.torch_function import OVERRIDES, enable_overrides
from graphwidget.eager.lazy import is_generated
from tests.both import both, source

SETUP = """
import copy, pickle
import numpy as np
torch.manual_seed(0)
nn, F, o, log = torch.nn, torch.nn.functional, torch.overrides, []
def told(value):
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *map(told, value)]
    if isinstance(value, torch.Tensor):
        return type(value).__name__
    return type(value).__name__ if callable(value) or "object at" in repr(value) else repr(value)
def note(func, types, args, kwargs):
    named = kwargs and sorted((name, told(value)) for name, value in kwargs.items())
    log.append([o.resolve_name(func), func.__name__, [each.__name__ for each in types],
                told(args), named or None if under_a_mode else named])
class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        note(func, types, args, kwargs)
        return super().__torch_function__(func, types, args, kwargs)
L = Logged
class T(torch.Tensor): pass
class T2(T): pass
class NT(torch.Tensor): __torch_function__ = torch._C._disabled_torch_function_impl
class TN(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented
class D:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        note(func, types, args, kwargs)
        return 5
class N:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented
class S(D):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        note(func, types, args, kwargs)
        return NotImplemented
class Instance:
    def __torch_function__(self, func, types, args=(), kwargs=None):
        note(func, types, args, kwargs)
        return 6
class M(o.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        note(func, types, args, kwargs)
        return func(*args, **(kwargs or {}))
p = torch.rand(2, 2)
x, i = p.clone().as_subclass(L), torch.tensor([1, 2]).as_subclass(L)
z = torch.tensor(1).as_subclass(L)
v, lv = torch.rand(2, 2, requires_grad=True), torch.rand(2, 2).as_subclass(L)
t, t2, nt = p.clone().as_subclass(T), p.clone().as_subclass(T2), p.clone().as_subclass(NT)
tn, tr = p.clone().as_subclass(TN), v.as_subclass(T)
lv.requires_grad_()
d, n, s, I = D(), N(), S(), Instance()
log.clear()
def plainly(value):
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *map(plainly, value)]
    if isinstance(value, torch.Tensor):
        shown = value.as_subclass(torch.Tensor) if value.dim() else value.item()
        return [type(value).__name__, shown,
                type(value.grad_fn).__name__, value.requires_grad, value._is_view()]
    if isinstance(value, (bool, int, float, str, type(None))):
        return value
    return type(value).__name__
"""
LINES = Path(__file__).with_name("overrides.txt").read_text().split("\n")
APART = LINES.index("")
CALLS = [line for line in LINES if line and not line.startswith("#")]
UNDER = [line for line in LINES[:APART] if not line.startswith("#")]


def program(call: str, mode: str = "") -> str:
    """A call, or a statement, and what it noted. The errors' addresses are left out."""
    try:
        compile(call, "", "eval")
        call = f"done = {call}"
    except SyntaxError:
        call = f"done = None; {call}"
    return f"""under_a_mode = {bool(mode)}
{SETUP}
import re
failed = done = None
try:
    with {mode or "torch.enable_grad()"}:
        {call}
except Exception as error:
    failed = [type(error).__name__, re.sub("0x[0-9a-f]+", "", str(error))]
noted = list(log)
with torch._C.DisableTorchFunction():
    result = [noted, failed, plainly(done)]
"""


@pytest.mark.parametrize("call", CALLS)
def test_call(call: str) -> None:
    both(source(program(call)))


@pytest.mark.parametrize("call", UNDER)
def test_call_under_a_mode(call: str) -> None:
    both(source(program(call, "M()")))


FIRST = """
import os, sys
torch = __import__(sys.argv[1])
F, x = torch.nn.functional, torch.ones(2, 2)
class D:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func.__name__, [each.__name__ for each in types], len(args), sorted(kwargs or {})
d = D()
for call in sys.stdin.read().splitlines():
    if os.fork():
        os.wait()
    else:
        try:
            print(call, eval(call), flush=True)
        except Exception as error:
            print(call, type(error).__name__, str(error).splitlines()[0], flush=True)
        os._exit(0)
"""
NEWCOMERS = """\
torch.add(d, 1)
torch.sum(x, dim=d)
torch.add(d)
torch.cat([x, d])
torch.zeros(d)
torch.einsum("i", d)
torch.tensordot(d, d, 1)
torch.add(x, x, out=d)
torch.nn.init.normal_(d)
torch.nn.Linear(2, 2)(d)
torch.is_tensor(d)
F.relu(d)
F.mse_loss(d, x)
F.softmax(d, dim=0)
F.linear(x, d)
x + d
d + x
d - x
d ** x
x == d
d < x
d @ x
x[d]
x[0, d]
x.__iadd__(d)
x.add_(d)
x.__contains__(d)
d + 1
"""


def test_first_of_its_kind() -> None:
    """Objects that nobody knew of are asked by the function that comes upon the first."""
    told = [
        subprocess.run(
            [sys.executable, "-c", FIRST, engine],
            input=NEWCOMERS, capture_output=True, text=True, check=True,
        ).stdout.splitlines()
        for engine in ("graphwidget", "torch")
    ]  # fmt: skip
    assert told[0] == told[1]


EARLY = """
import sys
torch = __import__(sys.argv[1])
class Told(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print(func.__name__)
        return super().__torch_function__(func, types, args, kwargs)
x = torch.ones(1, 3, 4).as_subclass(Told)
torch.conv1d(x, x)
torch.nn.functional.softplus(x)
torch.nn.functional.layer_norm(x, (4,))
torch.nn.init.normal_(x)
torch.nn.utils.rnn.pad_sequence([x, x])
torch.gru_cell(x[0], x[0], torch.ones(12, 4), torch.ones(12, 4))
"""


def test_functions_of_layers_ask_who_was_there_before_them() -> None:
    """``nn`` loads when it is first used: later, maybe, than a class that overrides."""
    told = [
        subprocess.run(
            [sys.executable, "-c", EARLY, engine], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        for engine in ("graphwidget", "torch")
    ]
    assert told[0] == told[1]


def test_functions_that_ask() -> None:
    """What PyTorch says can be overridden can be here, as far as it is here."""

    def names(engine: Any) -> set[str]:
        overrides = engine.overrides
        lists = overrides.get_overridable_functions().values()
        return {overrides.resolve_name(function) for functions in lists for function in functions}

    def is_here(name: str) -> bool:
        inner = name.removesuffix(".__get__").replace("torch.functional.", "torch.").split(".")[1:]
        found: Any = graphwidget
        for part in inner:
            found = getattr(found, part, None)
        return found is not None

    missing = {name for name in names(torch) - names(graphwidget) if is_here(name)}
    assert missing == {
        "torch.Tensor._grad.__get__", "torch.Tensor._post_accumulate_grad_hooks.__get__",
        "torch.autocast", "torch.is_inference",
    }  # fmt: skip


REFUSED = (
    lambda x: x.backward(),
    lambda x: graphwidget.nn.functional.relu(None),
    lambda x: x[7],
    lambda x: graphwidget.cat([x, 1]),
)


@pytest.mark.parametrize("call", REFUSED)
def test_tracebacks_name_the_lines_that_ran(call: Any) -> None:
    """Functions that are compiled again, to ask newcomers, keep their lines."""
    x = graphwidget.ones(3, requires_grad=True)
    with pytest.raises((RuntimeError, TypeError, IndexError)) as caught:
        call(x * 1)
    frames = [(each.frame.code.raw, each.lineno + 1) for each in caught.traceback]
    assert all(line >= code.co_firstlineno for code, line in frames)


def test_every_function_that_is_asked_about_asks() -> None:
    """What may be overridden is generated, and begins with the line that asks whether it is."""
    enable_overrides()
    assert len(OVERRIDES) > 1000
    assert [call.title for each, call in OVERRIDES.items() if not is_generated(each)] == []


ASLEEP = """
import graphwidget as torch
from graphwidget.graph import runtime
x = torch.ones(2, requires_grad=True)
(x * 2).sum().backward()
assert torch.nn.functional.relu(x).shape == x.shape and not runtime.overridden
class Own(torch.Tensor): pass
assert runtime.overridden
assert type(x.as_subclass(Own) * 2) is Own
"""


def test_nobody_is_looked_for_before_somebody_is_there() -> None:
    subprocess.run([sys.executable, "-c", ASLEEP], check=True)
