"""Every op of the table against PyTorch: values, flags, nodes, gradients of both orders, in
float32, float64 and int64, broadcast, transposed, empty and 0-d; and against finite differences."""

from __future__ import annotations

import ast
import re
import warnings
import zlib
from typing import Any

import numpy as np
import pytest
import torch

import graphwidget
from graphwidget.graph.listeners import switch_listener
from graphwidget.optable import TABLE, Op
from tests.compare_engines import attempt, describe, differences, is_tensor, numbers
from tests.extent import FULL
from tests.optable.samples import IN_PLACE, SAMPLES, Sample

CASES = [(key, sample) for key, samples in SAMPLES.items() for sample in samples]
SOME = CASES if FULL else [(key, samples[0]) for key, samples in SAMPLES.items()]
"""Tried in other types and layouts: one sample of each op, with ``--full`` all."""


def each_of(cases: list[tuple[str, Sample]]) -> pytest.MarkDecorator:
    """Parametrize a test by samples."""
    ids = [f"{key}: {sample.text}"[:70] for key, sample in cases]
    return pytest.mark.parametrize(("key", "sample"), cases, ids=ids)


def data(sample: Sample, shapes: Any, dtype: str) -> list[Any]:
    """Arrays for x and y: reproducible, with a few equal and a few special numbers."""
    rng = np.random.default_rng(zlib.crc32(sample.text.encode()))
    arrays = []
    for shape in shapes:
        values = rng.uniform(0.3, 2.5, shape) if sample.positive else rng.uniform(-2, 2, shape)
        if dtype == "int64":
            values = np.round(values * 2) + (2 if sample.positive else 0)
        arrays.append(np.asarray(values).astype(dtype))
    return arrays


def leaves(engine: Any, arrays: list[Any], transposed: bool) -> list[Any]:
    made = []
    for array in arrays:
        if transposed and array.ndim > 1:
            tensor = engine.from_numpy(np.ascontiguousarray(array.T)).permute(
                *reversed(range(array.ndim))
            ).detach()  # fmt: skip
        else:
            tensor = engine.from_numpy(array.copy())
        made.append(tensor.requires_grad_() if array.dtype.kind == "f" else tensor)
    return made


def put(target: Any, index: Any, value: Any) -> Any:
    target[index] = value
    return target


def names(engine: Any, inputs: list[Any]) -> dict[str, Any]:
    return {
        "torch": engine,
        "F": engine.nn.functional,
        "put": put,
        **dict(zip("xy", inputs, strict=False)),
    }


def weighted(outputs: list[Any], engine: Any) -> Any:
    """One number that depends differently on every item of the outputs."""
    total = None
    for number, output in enumerate(outputs):
        if output.requires_grad:
            count = output.numel()
            weights = engine.arange(1.0, count + 1.0).reshape(output.shape) / max(count, 1)
            part = (output * weights.to(output.dtype)).sum() * (number + 1)
            total = part if total is None else total + part
    return total


def flat(result: Any) -> list[Any]:
    if is_tensor(result):
        return [result]
    return [each for each in result if is_tensor(each)]


def gradients(total: Any, inputs: list[Any], engine: Any, **options: Any) -> list[Any]:
    return list(engine.autograd.grad(total, inputs, allow_unused=True, **options))


def bare(grads: list[Any]) -> list[Any]:
    """Gradients by number, shape and type only."""
    return [
        None if grad is None else {
            "dtype": repr(grad.dtype), "shape": tuple(grad.shape), "numbers": numbers(grad)
        }
        for grad in grads
    ]  # fmt: skip


NO_SECOND = ("half", "x.digamma", "0.05).digamma")
"""Half precision, and functions whose second derivative is not here."""


def evaluate(engine: Any, sample: Sample, arrays: list[Any], transposed: bool) -> Any:
    """Everything that a sample shows on one engine."""
    inputs = leaves(engine, arrays, transposed)
    with np.errstate(all="ignore"):
        outputs = flat(eval(sample.text, names(engine, inputs)))
        # The graphs of derivatives are made as it suits the formulas; their numbers must agree.
        inner = "autograd.grad" in sample.text
        reported = bare(outputs) if inner else [describe(output, False) for output in outputs]
        shown: dict[str, Any] = {"outputs": reported}
        total = weighted(outputs, engine)
        if total is None:
            return shown
        first = gradients(total, inputs, engine, create_graph=True)
        shown["first"] = bare(first)
        again = weighted([grad for grad in first if grad is not None], engine)
        if again is not None and not any(word in sample.text for word in NO_SECOND):
            shown["second"] = bare(gradients(again, inputs, engine))
    return shown


def compare(sample: Sample, dtype: str, transposed: bool = False) -> None:
    for shapes in sample.shapes:
        arrays = data(sample, shapes, dtype)
        theirs = attempt(lambda arrays=arrays: evaluate(torch, sample, arrays, transposed))
        ours = attempt(lambda arrays=arrays: evaluate(graphwidget, sample, arrays, transposed))
        found = differences(ours, theirs)
        # An unused second gradient is None there and zeros here, or the other way round.
        found = [line for line in found if not (line.startswith(".second") and none_or_zero(line))]
        assert not found, f"{shapes}: " + "\n".join(found)


def none_or_zero(line: str) -> bool:
    return "None" in line or line == ".second: only in theirs"


def test_every_op_has_samples() -> None:
    assert set(TABLE) == set(SAMPLES)


@each_of(SOME)
def test_float32(key: str, sample: Sample) -> None:
    compare(sample, "float32")


def unrecorded(engine: Any, mode: str, sample: Sample, arrays: list[Any]) -> Any:
    """Return what a sample gives where nothing is recorded."""
    engine.manual_seed(0)
    inputs = leaves(engine, arrays, False)
    with np.errstate(all="ignore"), getattr(engine, mode)():
        outputs = flat(eval(sample.text, names(engine, inputs)))
    return [describe(output, False) for output in outputs]


MODES = ("no_grad", "inference_mode")


@each_of(SOME)
def test_without_recording(key: str, sample: Sample) -> None:
    arrays = data(sample, sample.shapes[0], "float32")
    # In inference mode PyTorch takes the parts of unsafe_split for views, ours are none.
    for mode in MODES[:1] if key.startswith("unsafe_split") else MODES:
        theirs = attempt(lambda mode=mode: unrecorded(torch, mode, sample, arrays))
        ours = attempt(lambda mode=mode: unrecorded(graphwidget, mode, sample, arrays))
        found = differences(ours, theirs)
        assert not found, f"{mode}: " + "\n".join(found)


@each_of(CASES)
def test_float64(key: str, sample: Sample) -> None:
    compare(sample, "float64")


@each_of(SOME)
def test_transposed(key: str, sample: Sample) -> None:
    compare(sample, "float64", transposed=True)


# How results lie in memory -----------------------------------------------------------------------
def arranged(engine: Any, array: Any, how: str) -> Any:
    """A tensor whose items lie in memory in one of several ways."""
    ndim = array.ndim
    order = list(range(ndim))
    if "turned" in how:
        order.reverse()
    elif how == "channels last" and ndim > 2:
        order = [0, *range(2, ndim), 1]
    elif how == "repeated" and 0 not in array.shape and ndim:
        return engine.from_numpy(array[:1].copy()).expand(array.shape)
    memory = np.ascontiguousarray(array.transpose(order)).reshape(array.transpose(order).shape)
    back = np.argsort(order).tolist()
    if how == "turned, with gaps" and ndim:
        return engine.from_numpy(np.repeat(memory, 2, 0))[::2].permute(back)
    return engine.from_numpy(memory.copy()).permute(back) if ndim else engine.from_numpy(memory)


ARRANGEMENTS = (
    ("turned", "plain"), ("plain", "turned"), ("repeated", "turned"), ("plain", "repeated"),
    ("turned, with gaps", "repeated"), ("channels last", "plain"), ("plain", "channels last"),
    ("repeated", "plain"),
)  # fmt: skip
UNARRANGED = (
    "permute",  # PyTorch asks size-1 dims how repeated ones lie
)  # fmt: skip


@each_of([(key, sample) for key, sample in SOME if key not in UNARRANGED])
def test_memory(key: str, sample: Sample) -> None:
    """Strides, offset and views: what an op gives lies in memory as PyTorch's result does."""

    def show(engine: Any, arrays: list[Any], hows: Any) -> Any:
        pairs = zip(arrays, hows, strict=False)
        inputs = [arranged(engine, array, how) for array, how in pairs]
        with np.errstate(all="ignore"):
            outputs = flat(eval(sample.text, names(engine, inputs)))
        return [
            {name: reported[name] for name in ("shape", "strides", "contiguous", "offset", "view")}
            for reported in (describe(output, False) for output in outputs)
        ]

    for shapes in sample.shapes:
        arrays = data(sample, shapes, "float32")
        for hows in dict.fromkeys(each[: len(arrays)] for each in ARRANGEMENTS):
            theirs = attempt(lambda a=arrays, h=hows: show(torch, a, h))
            if isinstance(theirs, list):  # PyTorch does not write into repeated items
                found = differences(show(graphwidget, arrays, hows), theirs)
                assert not found, f"{shapes} {hows}: " + "\n".join(found)


@each_of([(key, s) for key, s in SOME if s.integers and "autograd" not in s.text])
def test_integers(key: str, sample: Sample) -> None:
    compare(sample, "int64")


SMOOTH = [  # the cases that are differentiable in double precision
    (key, sample)
    for key, sample in CASES
    if "float" not in sample.text
    and "half" not in sample.text
    and "manual_seed" not in sample.text
    and key not in ("sign", "detach", "to_copy")
    and not re.search(r"\* (0|400)\b(?!\.)", sample.text)  # at kinks, or far from where it bends
]


DERIVED_ONCE = ("flash_attention", "digamma")
"""Ops of which there is no second derivative: in PyTorch, or here."""


def total_of(sample: Sample, arrays: list[Any]) -> tuple[Any, list[Any]]:
    """The weighted sum of a sample's outputs, and the leaves it was computed from."""
    inputs = leaves(graphwidget, arrays, False)
    with np.errstate(all="ignore"):
        outputs = flat(eval(sample.text, names(graphwidget, inputs)))
    return weighted(outputs, graphwidget), inputs


def total_of_slopes(sample: Sample, arrays: list[Any]) -> tuple[Any, list[Any]]:
    """The same of a sample's first derivatives."""
    total, inputs = total_of(sample, arrays)
    if total is None:
        return None, inputs
    first = gradients(total, inputs, graphwidget, create_graph=True)
    return weighted([grad for grad in first if grad is not None], graphwidget), inputs


@each_of(SMOOTH)
def test_first_derivatives_are_slopes(key: str, sample: Sample) -> None:
    compare_with_slopes(total_of, key, sample)


@each_of([(key, sample) for key, sample in SMOOTH if FULL or sample is SAMPLES[key][0]])
def test_second_derivatives_are_slopes(key: str, sample: Sample) -> None:
    compare_with_slopes(total_of_slopes, key, sample)


def compare_with_slopes(function: Any, key: str, sample: Sample) -> None:
    """Analytic derivatives are the slopes of what they derive, whatever PyTorch says: along a
    random direction of every input."""
    if "autograd.grad" in sample.text:
        return  # derivatives of derivatives come with the op itself
    if function is total_of_slopes and key.removesuffix("_backward") in DERIVED_ONCE:
        total, inputs = function(sample, data(sample, sample.shapes[0], "float64"))
        if total is None:
            return
        with pytest.raises(RuntimeError, match="is not implemented"):
            gradients(total, inputs, graphwidget)
        return
    for shapes in sample.shapes:
        arrays = data(sample, shapes, "float64")
        total, inputs = function(sample, arrays)
        if total is None:
            continue
        rng = np.random.default_rng(zlib.crc32(sample.text.encode()))
        found = gradients(total, inputs, graphwidget)
        for place, grad in enumerate(found):
            if not arrays[place].size:
                continue
            way = rng.uniform(0.5, 1.5, arrays[place].shape)
            mine = 0.0 if grad is None else float((grad.numpy(force=True) * way).sum())
            slope = slope_along(function, sample, arrays, place, way)
            assert np.isclose(mine, slope, rtol=1e-4, atol=1e-5), (shapes, place, mine, slope)


def slope_along(
    function: Any, sample: Sample, arrays: list[Any], place: int, way: Any, step: float = 1e-6
) -> float:
    """The central difference of a function of one input along a direction."""
    ends = []
    for sign in (1, -1):
        moved = list(arrays)
        moved[place] = np.asarray(arrays[place] + sign * step * way)
        ends.append(function(sample, moved)[0].item())
    return float((ends[0] - ends[1]) / (2 * step))


@pytest.mark.parametrize(("plain", "written"), IN_PLACE, ids=[pair[1] for pair in IN_PLACE])
def test_in_place_equals_out_of_place(plain: str, written: str) -> None:
    shown = []
    for text in (plain, written):
        sample = Sample(text, [], positive=True)
        arrays = data(Sample("in place", [], positive=True), ((2, 3), (2, 3)), "float64")
        inputs = leaves(graphwidget, arrays, False)
        scope = names(graphwidget, inputs)
        scope["z"] = inputs[0] * 1
        output = eval(sample.text, scope)
        grads = gradients(weighted([output], graphwidget), inputs, graphwidget)
        shown.append(bare([output, *(inputs[0] * 0 if g is None else g for g in grads)]))
    assert not differences(shown[1], shown[0])


def with_out(text: str) -> str | None:
    """The same call as a function with ``out=out``, where the expression is a single call."""
    call = ast.parse(text, mode="eval").body
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
        return None
    owner = ast.unparse(call.func.value)
    if owner not in ("x", "torch", "torch.special", "torch.linalg") or call.func.attr[-1] == "_":
        return None
    if owner == "x":
        call.args.insert(0, ast.Name("x"))
        call.func.value = ast.Name("torch")
    call.keywords.append(ast.keyword("out", ast.Name("out")))
    return ast.unparse(call)


def takes_out(text: str, inputs: list[Any]) -> bool:
    """Return whether PyTorch's function has an ``out=`` that one floating tensor satisfies."""
    try:
        eval(text, {**names(torch, inputs), "out": torch.empty(0)})
    except (AttributeError, TypeError, RuntimeError):
        return False
    return True


class Memory:
    """Hears every op that is called, and notes of whose results its declaration does not speak the
    truth."""

    def __init__(self) -> None:
        self.borrowing: set[str] = set()
        self.changing: set[str] = set()

    def called(self, op: Op, inputs: Any, params: Any, outputs: Any, node: Any) -> None:
        read = [each._data for each in inputs if each is not None]
        for array in [each._data for each in outputs if each._data.size]:
            shared = any(np.may_share_memory(array, other) for other in read)
            whole = array.flags.writeable and 0 not in array.strides
            if shared or not (whole or 1 in array.shape):
                self.borrowing.add(op.key)
            if op.reshapes and not np.array_equal(array.ravel(), read[0].ravel(), equal_nan=True):
                self.changing.add(op.key)
            if op.uniform is not None and not np.all(array == op.uniform):
                self.changing.add(op.key)


@each_of(SOME)
def test_results_are_what_the_declaration_says(key: str, sample: Sample) -> None:
    """Graphs write over results that no op has borrowed, and leave out what only reshapes."""
    memory = Memory()
    for dtype in ("float32", "int64"):
        inputs = leaves(graphwidget, data(sample, sample.shapes[0], dtype), False)

        def run(inputs: list[Any] = inputs) -> None:
            for result in flat(eval(sample.text, names(graphwidget, inputs))):
                if result.requires_grad:
                    result.sum().backward(create_graph=True)

        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            switch_listener(memory, True)
            try:
                attempt(run)
            finally:
                switch_listener(memory, False)
    assert {each for each in memory.borrowing if not TABLE[each].borrows} == set()
    assert memory.changing == set()


OTHER_WORDS = ("ldexp", "nan_to_num", "pow", "where")
"""Pointwise ops whose refusals of ``out=`` are reported in the words of all others here."""

WITH_OUT = {text: (key, sample) for key, sample in SOME if (text := with_out(sample.text))}


@pytest.mark.parametrize("text", WITH_OUT, ids=[text[:70] for text in WITH_OUT])
def test_out(text: str) -> None:
    """``out=`` where PyTorch has it: what is written and, of pointwise functions, the new version,
    which types they write into, and what is refused."""
    key, sample = WITH_OUT[text]
    pointwise = TABLE[key].pointwise
    arrays = data(sample, sample.shapes[0], "float32")

    def show(engine: Any) -> Any:
        shown = []
        inputs = [each.detach() for each in leaves(engine, arrays, False)]
        plain = eval(text, {**names(engine, inputs), "out": engine.empty(0)})
        for out in (
            engine.empty(0), engine.zeros(plain.shape, dtype=plain.dtype), engine.zeros(7),
            engine.zeros(plain.shape, dtype=engine.float64),
            engine.zeros(plain.shape, dtype=engine.int64),
            *([engine.zeros(plain.shape, requires_grad=True)] if pointwise else []),
        ):  # fmt: skip
            scope = {**names(engine, inputs), "out": out}
            found = attempt(lambda scope=scope: eval(text, scope))
            reported = found if isinstance(found, tuple) else describe(found)
            if isinstance(reported, tuple) and (not pointwise or key in OTHER_WORDS):
                reported = reported[:1]
            if not pointwise and isinstance(reported, dict):
                del reported["version"]  # composites write more than once
                del reported["strides"], reported["contiguous"]  # LAPACK's vary by function
            shown.append([found is out, reported])
        return shown

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if not takes_out(text, [torch.from_numpy(array) for array in arrays]):
            return
        theirs = attempt(lambda: show(torch))
        ours = attempt(lambda: show(graphwidget))
    found = differences(ours, theirs, tolerance=1e-5)  # computed in float32
    assert not found, "\n".join(found)
