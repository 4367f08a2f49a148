"""Random programs over views, in-place writes and saves, and what PyTorch says of each by itself.

``write`` gives a program of one statement a line whose last line runs backward. ``truth`` runs it
unwatched: anomaly mode names the reader's line, and reading every node's saved values after each
statement shows which statement made them stale. Run as a module it tries a range of programs:
``python -m tests.adapters.random_writes FROM TO``.
"""

from __future__ import annotations

import linecache
import random
import re
import sys
import warnings
from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

import torch

from graphwidget.adapters.pytorch.graph_paths import between
from graphwidget.adapters.pytorch.watcher import TorchAdapter
from graphwidget.recording.recorder import Recorder

STALE = "modified by an inplace operation"
NODE = re.compile(r", which is output \d+ of [\w:]+,")
FILE = "<random program>"

UNARY = (
    "exp", "sin", "sigmoid", "tanh", "relu", "neg", "abs", "square", "cos", "clone", "softplus",
    "log1p", "clamp", "cumsum", "softmax", "norm",
)  # fmt: skip
BINARY = ("{0} * {1}", "{0} + {1}", "{0} - {1}", "{0} / ({1} * {1} + 1)", "torch.maximum({0}, {1})",
          "torch.addcmul({0}, {1}, {1})", "torch.where({0} > 0, {0}, {1})")  # fmt: skip
VIEWS = (
    "{0}[0]", "{0}[1:]", "{0}.t()", "{0}.view(-1)", "{0}.reshape(3, 3)", "{0}.unbind(0)[1]",
    "{0}.split(1)[0]", "{0}.diagonal()", "{0}[:, 1]", "{0}.unsqueeze(0)", "{0}.expand_as({0})",
    "{0}.chunk(2)[1]", "{0}.select(0, 2)", "{0}.narrow(0, 0, 2)", "{0}.transpose(0, 1)",
)  # fmt: skip
WRITES = (
    "{0}.mul_(2)", "{0}.add_(1)", "{0} += 1", "{0} *= 0.5", "{0}.zero_()", "{0}.sigmoid_()",
    "{0}[0] = 1.", "{0}[0] *= 2", "{0}.exp_()", "{0}.clamp_(max=0.5)", "{0}.mul_({1})",
    "{0}.copy_({1})", "{0} -= {1}", "torch.relu_({0})", "{0}.masked_fill_({0} > 0, 0.1)",
    "F.relu({0}, inplace=True)", "torch._foreach_mul_([{0}, {1}], 0.5)", "{0}.detach().mul_(2)",
    "torch.sin({0} * 2, out={0}.detach())",
    "{0}.div_({1}.detach().abs() + 1)", "{0}.data.detach().add_(0)", "{0}.fill_(0.5)",
    "{0}.addcmul_({1}, {1})", "{0}.pow_(2)", "{0}.tanh_()",
)  # fmt: skip


class Truth(NamedTuple):
    """Outcome in PyTorch: its error, the line of the call whose node raised it and that node's
    name, and the lines that made this call's saved values stale."""

    message: str
    reader: int
    node: str
    culprits: frozenset[int]


def write(seed: int) -> list[str]:
    """A program that runs without an error as far as its last line, which may fail."""
    for attempt in count():
        lines = _written(random.Random(f"{seed} {attempt}"))
        names = _begin(lines)
        try:
            exec("\n".join(lines), names)
        except RuntimeError as error:
            if STALE not in str(error):
                continue  # a view whose history is lost
        return lines
    raise AssertionError


def _written(dice: random.Random) -> list[str]:
    lines = [
        "a = torch.linspace(-1, 1, 9).reshape(3, 3).requires_grad_()",
        "b = torch.linspace(2, 3, 9).reshape(3, 3).requires_grad_()",
        "c = a * 2",
        "d = b.exp()",
    ]
    names = {"torch": torch, "F": torch.nn.functional}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for line in lines:
            exec(line, names)
        for _ in range(dice.randint(4, 14)):
            line = _statement(dice, names, f"v{len(lines)}")
            try:
                exec(line, names)
            except (RuntimeError, IndexError):
                continue  # shapes, or a write to a leaf
            lines.append(line)
    made = [name for name in _tensors(names) if name not in "ab" and _whole(names[name])]
    wanted = dice.sample(made, min(len(made), dice.randint(1, 4)))
    end = " + ".join(f"{name}.sum()" for name in sorted(wanted))
    if dice.random() < 0.15:
        return [*lines, f"torch.autograd.grad({end}, [{dice.choice('ab')}], allow_unused=True)"]
    return [*lines, f"({end}).backward()"]


def _statement(dice: random.Random, names: dict[str, Any], fresh: str) -> str:
    own = _tensors(names)
    one, other = dice.choice(own[-6:] + own), dice.choice(own)
    roll = dice.random()
    if roll < 0.3:
        op = dice.choice(UNARY)
        more = {"clamp": "(min=0)", "cumsum": "(0)", "softmax": "(0)", "norm": "()"}
        if op == "softplus":
            return f"{fresh} = F.softplus({one})"
        return f"{fresh} = {one}.{op}{more.get(op, '()')}"
    if roll < 0.5:
        return f"{fresh} = " + dice.choice(BINARY).format(one, other)
    if roll < 0.65:
        return f"{fresh} = " + dice.choice(VIEWS).format(one)
    line = dice.choice(WRITES).format(one, other)
    return f"with torch.no_grad(): {line}" if dice.random() < 0.15 else line


def _tensors(names: dict[str, Any]) -> list[str]:
    return [name for name, value in names.items() if isinstance(value, torch.Tensor)]


def _whole(tensor: torch.Tensor) -> bool:
    """Return whether PyTorch still tells its history: of a view that was lost it refuses to."""
    try:
        return tensor.grad_fn is None or True
    except RuntimeError:
        return False


def truth(lines: list[str]) -> Truth | None:
    """Return what PyTorch does with the program, unwatched; None when its backward succeeds."""
    names = _begin(lines)
    made: dict[Any, int] = {}
    since: dict[tuple[Any, str], int] = {}
    message = ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with torch.autograd.detect_anomaly(check_nan=False):
            for number, line in enumerate(lines, 1):
                try:
                    exec(compile("\n" * (number - 1) + line, FILE, "exec"), names)
                except RuntimeError as error:
                    message = _plain(error)
                for node in _nodes(names):
                    made.setdefault(node, number)
                    for slot, _said in _stale(node):
                        since.setdefault((node, slot), number)
    if not message:
        return None
    assert STALE in message, message
    text = next(str(each.message) for each in caught if "Error detected in" in str(each.message))
    name = re.search(r"Error detected in ([\w:]+)", text)
    where = re.findall(rf'"{FILE}", line (\d+)', text)
    assert name is not None
    reader, kind = int(where[-1]) if where else 0, name[1].rpartition(":")[2]
    culprits = {
        since[node, slot]
        for node, line in made.items()
        if line == reader and node.name().rpartition(":")[2] == kind
        for slot, said in _stale(node)
        if said == message
    }
    return Truth(message, reader, kind, frozenset(culprits))


def _plain(error: RuntimeError) -> str:
    """PyTorch's sentence, without the hint that depends on anomaly mode, and without the node: of
    a view that depends on who looked at it."""
    return NODE.sub("", str(error).partition(" Hint")[0])


def _nodes(names: dict[str, Any]) -> Iterator[Any]:
    seen: set[Any] = set()
    waiting = [names[each].grad_fn for each in _tensors(names) if _whole(names[each])]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen.add(node)
            yield node
            waiting.extend(before for before, _ in node.next_functions)


def _stale(node: Any) -> Iterator[tuple[str, str]]:
    """Yield what a node saved that is stale, with PyTorch's sentence."""
    for name in dir(node):
        if name.startswith("_saved_"):
            try:
                getattr(node, name)
            except RuntimeError as error:
                if STALE in str(error):
                    yield name, _plain(error)


def _begin(lines: list[str]) -> dict[str, Any]:
    source = [line + "\n" for line in lines]
    linecache.cache[FILE] = (1, None, source, FILE)
    return {"torch": torch, "F": torch.nn.functional, "__name__": "__main__"}


def reported(lines: list[str]) -> tuple[list[tuple[int, str]], str, list[Any]]:
    """The same program watched: the pairs (reader's line, node's name) that are predicted before
    its last line, PyTorch's error, and the findings."""
    names, adapter, message = _begin(lines), TorchAdapter(Recorder()), ""
    predicted: list[tuple[int, str]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with adapter.observing():
            for number, line in enumerate(lines, 1):
                last = number == len(lines)
                if last:  # the loss first, then what is known of it, then its backward
                    loss, line = _last(line)
                    exec(compile("\n" * (number - 1) + loss, FILE, "exec"), names)
                    wanted = re.search(r"\[(\w)\]", line)
                    predicted = _predicted(adapter, names["loss"], wanted and names[wanted[1]])
                try:
                    exec(compile("\n" * (number - 1) + line, FILE, "exec"), names)
                except RuntimeError as error:
                    message = _plain(error)
    return predicted, message, adapter.findings()


def _last(line: str) -> tuple[str, str]:
    if line.startswith("torch.autograd.grad("):
        inner, _, rest = line.removeprefix("torch.autograd.grad(").partition(", [")
        return f"loss = {inner}", f"torch.autograd.grad(loss, [{rest}"
    return f"loss = {line.removesuffix('.backward()')}", "loss.backward()"


def _predicted(adapter: TorchAdapter, loss: Any, wanted: Any) -> list[tuple[int, str]]:
    adapter.drain()
    model = adapter.recorder.log.model()
    edge = adapter.identity.edge
    root, ends = edge(loss.grad_fn), None
    if wanted is not None:
        accumulating = torch.autograd.graph.get_gradient_edge(wanted).node
        ends = [] if edge(accumulating) is None else [edge(accumulating)]
    way = between(model, [] if root is None else [root], model.nodes if ends is None else ends)
    numbers = {node["node"] for node in way}
    runs = {node["node"] for node in way if any(to in numbers for to, _nr in node["next"])}
    pairs = []
    for node, _slot in model.hazards():
        if node["node"] not in runs:  # not on the way, or at its end
            continue
        call = model.calls.get(node["call"])
        source = model.sources.get(call["source"]) if call else None
        pairs.append((source["line"] if source else 0, node["name"]))
    return pairs


def wrong(lines: list[str]) -> str:
    """Return how what is predicted and found differs from what PyTorch does; empty if it does
    not."""
    right = truth(lines)
    predicted, message, findings = reported(lines)
    stale = [
        each
        for each in findings
        if each.kind == "stale" and not (each.culprit and ".data" in each.culprit.text)
    ]  # such a write raises nothing
    if right is None:
        if message or predicted or stale:
            return f"a correct program: predicted {predicted}, raised {message!r}, found {stale}"
        return ""
    if not predicted:
        return f"not predicted: {right}"
    if message != right.message:
        return f"another message: {message} for {right}"
    if (right.reader, right.node) not in predicted:
        return f"predicted {predicted} for {right}"
    if len(stale) != 1 or stale[0].reader is None or stale[0].culprit is None:
        return f"found {findings} for {right}"
    if stale[0].reader.line != right.reader:
        return f"reader {stale[0].reader} for {right}"
    if right.culprits and stale[0].culprit.line not in right.culprits:
        return f"culprit {stale[0].culprit} for {right}"
    return ""


def main() -> None:
    """Try a range of programs and print those that differ."""
    torch.set_num_threads(1)
    first, last = map(int, sys.argv[1:3])
    failing = bad = 0
    for seed in range(first, last):
        lines = write(seed)
        try:
            said = wrong(lines)
        except Exception as error:
            said = f"raised {error!r}"
        failing += truth(lines) is not None
        if said:
            bad += 1
            print(f"-- {seed}: {said}", *lines, sep="\n", flush=True)
    print(f"{last - first} programs, {failing} whose backward raises, {bad} differ")


if __name__ == "__main__":
    main()
