"""``from_function``: a dynamic function as a static one.

The first call runs the function eagerly and records it; later calls with arguments of the same
types and shapes run the recorded graph. Where Python looked at numbers (an ``if``, ``item()``) a
guard stands in the graph: if it would see something else, the function is recorded anew for that
way, and both recordings are kept. What cannot be recorded is refused with its line, or (as
``torch.compile`` does) left to the eager engine; nothing is frozen in silence.
"""

from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..arrays.dtypes import default_numpy
from ..graph import runtime
from ..graph.listeners import switch_listener
from ..graph.tensor import Tensor
from ..static.graph import Graph
from ..static.nest import flatten, pack_like
from ..static.symbol import Symbol
from .recorder import Recorder, Untraceable
from .recording import GuardFailed, Recording, drawing_from
from .surroundings import (
    SIMPLE,
    Facts,
    TooMany,
    Watch,
    difference,
    last_name,
    look_around,
    same,
)

LIMIT = 16
"""Number of recordings kept for one kind of arguments; then the function is left alone."""


class Tracing(threading.local):
    """State of a thread: ``on`` while it records a function, in which others run as they are."""

    on = False


tracing = Tracing()


class NotStatic(RuntimeError):
    """A function cannot be recorded as a graph; the message names the line and the reason."""


class Kept:
    """A recording and the surroundings in which it holds."""

    def __init__(self, recording: Recording, facts: Facts, results: Any, places: list[Any]) -> None:
        self.recording, self.facts, self.results, self.places = recording, facts, results, places


class StaticFunction:
    """A function that is recorded when it is first called, and runs as a graph from then on.

    ``strict`` functions refuse what cannot be recorded; others run it eagerly. A function that
    is recorded only ``once`` may leave tensors around it: they are not read.
    """

    def __init__(
        self, function: Callable[..., Any], strict: bool = True, once: bool = False
    ) -> None:
        self.function = function
        self.strict = strict
        self.kept: dict[Any, list[Kept]] = {}
        self.refusals: dict[Any, str] = {}
        self.around: dict[Any, tuple[dict[int, Tensor], Facts, Watch]] = {}
        """Its surroundings as last seen, for each kind of arguments."""
        self.once = once
        self.settled = False
        """True once it may no longer change its surroundings, as lazy modules do once."""
        self.__name__ = getattr(function, "__name__", type(function).__name__)
        self.__doc__ = function.__doc__

    def __repr__(self) -> str:
        count = len(self.recordings)
        count_text = f"{count} recording{'s' * (count > 1)}" if count else "not recorded yet"
        return f"<StaticFunction {self.__name__}: {count_text}>"

    @property
    def recordings(self) -> list[Recording]:
        """All recordings, the oldest first."""
        return [each.recording for found in self.kept.values() for each in found]

    @property
    def graph(self) -> Graph:
        """The graph of the latest recording.

        Raises:
            NotStatic: there is none.
        """
        if not self.recordings:
            raise NotStatic(f"{self.__name__} was not recorded yet: call it first.")
        return self.recordings[-1].graph

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if tracing.on:
            return self.function(*args, **kwargs)
        try:
            leaves = flatten((args, kwargs))
        except TypeError as error:
            return self.refuse(f"its arguments have no order ({error})", args, kwargs)
        tensors = list({id(each): each for each in leaves if isinstance(each, Tensor)}.values())
        key = kind_of(args, kwargs, leaves, tensors)
        if key is None or key in self.refusals:
            reason = self.refusals.get(key, "an argument cannot be compared with the next one")
            return self.refuse(reason, args, kwargs)
        found = self.kept.setdefault(key, [])
        seen = self.around.get(key)
        if seen is None or not seen[2].unchanged():
            others = [each for each in leaves if not isinstance(each, Tensor)]
            try:
                seen = self.around[key] = look_around([self.function, others])
            except TooMany as error:
                self.refusals[key] = str(error)
                return self.refuse(str(error), args, kwargs)
        known, facts, _ = seen
        for kept in found:
            if kept.facts is not facts and not same(kept.facts, facts):
                continue
            if kept.recording.effects and overlapping(tensors):  # who is written, too, by one write
                continue
            try:
                results = kept.recording.run(tensors, self.outputs_of(args, kwargs, tensors))
            except GuardFailed:
                continue
            if found[0] is not kept:
                found.remove(kept)
                found.insert(0, kept)
            kept.facts = facts
            return rebuilt(kept, results, tensors)
        return self.record(key, args, kwargs, tensors, known, facts)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def refuse(self, reason: str, args: Any, kwargs: Any) -> Any:
        """Run a call that cannot be recorded on the eager engine.

        Raises:
            NotStatic: the function is to be static.
        """
        if self.strict:
            raise NotStatic(f"{self.__name__} cannot be recorded as a graph: {reason}.")
        return self.function(*args, **kwargs)

    def outputs_of(self, args: Any, kwargs: Any, tensors: Sequence[Tensor]) -> Callable[..., Any]:
        """The function of its tensors alone, giving its results' tensors alone."""
        places = {id(each): place for place, each in enumerate(tensors)}

        def again(*given: Tensor) -> list[Tensor]:
            leaves = flatten((args, kwargs))
            new = [given[places[id(each)]] if isinstance(each, Tensor) else each for each in leaves]
            new_args, new_kwargs = pack_like((args, kwargs), new)
            found = self.function(*new_args, **new_kwargs)
            return [each for each in flatten(found) if isinstance(each, Tensor)]

        return again

    def record(
        self, key: Any, args: Any, kwargs: Any, tensors: list[Tensor], known: Any, facts: Facts
    ) -> Any:
        """Run the function eagerly and record what it does."""
        if len(self.kept[key]) >= LIMIT:
            self.refusals[key] = f"it took {LIMIT} ways already"
            return self.refuse(self.refusals[key], args, kwargs)
        graph = Graph()
        recorder = Recorder(graph, known)
        copies = [each._data.copy() for each in tensors]
        before = {id(each): each._data.copy() for each in known.values()}
        with graph.as_default():
            inputs = [recorder.give(each) for each in tensors]
            marks = marks_of([*tensors, *known.values()])
            results = self.run_recorded(recorder, args, kwargs)
            recorder.check_random()
            recorder.check_seed()
            if marks != marks_of([*tensors, *known.values()]):
                recorder.fail("it changes requires_grad or .grad of a tensor that it did not make")
            changed = None if self.once else self.change_around(args, kwargs, facts)
            if changed and not self.settled:  # next time it may find all as it leaves it
                self.settled = True
                return results
            if changed:
                recorder.fail(f"it changes `{changed}`, which its graph would leave as it is")
            kept = None
            if not recorder.failure:
                kept = self.finished(recorder, inputs, tensors, results, facts)
        if kept is not None and not recorder.failure:
            captured = kept.recording.captured.values()
            check(recorder, kept, copies, [before[id(each)] for each in captured], results, tensors)
        if recorder.failure or kept is None:
            self.refusals[key] = recorder.failure
            if self.strict:
                raise NotStatic(
                    f"{self.__name__} cannot be recorded as a graph: {recorder.failure}."
                )
            return results
        self.kept[key].insert(0, kept)
        return results

    def change_around(self, args: Any, kwargs: Any, facts: Facts) -> str | None:
        """Return the variable around the function that it has changed, if any."""
        others = [each for each in flatten((args, kwargs)) if not isinstance(each, Tensor)]
        path = difference(facts, look_around([self.function, others])[1])
        return None if path is None else last_name(path)

    def run_recorded(self, recorder: Recorder, args: Any, kwargs: Any) -> Any:
        """Run the function while the recorder observes it."""
        switch_listener(recorder, True)
        before = runtime.reading, runtime.drawing
        runtime.reading, runtime.drawing = recorder.read, recorder.draw
        tracing.on = True
        try:
            return self.function(*args, **kwargs)
        finally:
            tracing.on = False
            runtime.reading, runtime.drawing = before
            switch_listener(recorder, False)

    def finished(
        self, recorder: Recorder, inputs: Any, tensors: list[Tensor], results: Any, facts: Facts
    ) -> Kept | None:
        """Return the recording of what was observed; None if a result cannot be expressed."""
        symbols = recorder.symbols
        places: list[Any] = []
        outputs: list[Symbol] = []
        wanted: list[bool] = []
        given = {id(each): place for place, each in enumerate(tensors)}
        try:
            for each in flatten(results):
                if not isinstance(each, Tensor):
                    if not isinstance(each, SIMPLE) and look_around(each)[0]:
                        kind = type(each).__name__
                        raise Untraceable(f"it returns tensors inside an object ({kind})")
                    places.append(each)
                elif id(each) in given:
                    places.append(Argument(given[id(each)]))
                else:
                    symbol = recorder.symbol(each)
                    assert symbol is not None
                    places.append(Output(len(outputs)))
                    outputs.append(symbol)
                    wanted.append(bool(each.requires_grad))
            effects = [
                (source, symbols.get(base))
                for base in symbols.written.values()
                if (source := source_of(base, inputs, tensors, recorder)) is not None
            ]
        except Exception as error:
            recorder.fail(str(error))
            return None
        if any(base.requires_grad for base in symbols.written.values()
               if source_of(base, inputs, tensors, recorder) is not None):  # fmt: skip
            recorder.fail("it writes into a tensor that requires grad")
            return None
        recording = Recording(
            recorder.graph, inputs, recorder.captured, recorder.changed, outputs, wanted,
            [(source, value) for source, value in effects if value is not None],
        )  # fmt: skip
        return Kept(recording, facts, results if not flatten(results) else outline(results), places)


class Output:
    """A place in the results where an output of the graph belongs."""

    def __init__(self, place: int) -> None:
        self.place = place


class Argument(Output):
    """A place in the results where an argument comes back."""


def outline(results: Any) -> Any:
    """The structure of the results, without holding on to them."""
    return pack_like(results, [None] * len(flatten(results)))


def rebuilt(kept: Kept, found: Sequence[Any], tensors: Sequence[Tensor]) -> Any:
    """The results in the structure that the function gives."""
    flat = [
        tensors[each.place] if isinstance(each, Argument)
        else found[each.place] if isinstance(each, Output) else each
        for each in kept.places
    ]  # fmt: skip
    return pack_like(kept.results, flat)


def source_of(base: Any, inputs: Any, tensors: list[Tensor], recorder: Recorder) -> Any:
    """The symbol that stood for a tensor before the function wrote into it; None for what the
    function made itself."""
    for symbol, tensor in zip(inputs, tensors, strict=True):
        if tensor is base:
            return symbol
    return next((s for s, tensor in recorder.captured.items() if tensor is base), None)


def kind_of(args: Any, kwargs: Any, leaves: list[Any], tensors: list[Tensor]) -> Any:
    """Return the key of a recording: the structure, the tensors' types and shapes, other values.
    None where an argument cannot be compared."""
    order = {id(each): place for place, each in enumerate(tensors)}
    parts: list[Any] = [runtime.grad_enabled(), default_numpy(), len(args), tuple(sorted(kwargs))]
    for each in leaves:
        if isinstance(each, Tensor):
            meta = each._meta
            parts.append((order[id(each)], meta.shape, meta.dtype.str, each.requires_grad,
                          type(each), each._view is None, each._grad is None))  # fmt: skip
        else:
            parts.append((type(each), each))
    try:
        hash(tuple(parts))
    except TypeError:
        return None
    return (*parts, shape_of((args, kwargs)))


def marks_of(tensors: Sequence[Tensor]) -> list[Any]:
    """State that functions may change beside numbers: whether gradients are recorded, and
    flags and gradients of tensors."""
    return [runtime.grad_enabled(), *((each.requires_grad, id(each._grad)) for each in tensors)]


def overlapping(tensors: Sequence[Tensor]) -> bool:
    """Return whether any two of these tensors share memory."""
    return any(np.may_share_memory(one._data, two._data)
               for one, two in itertools.combinations(tensors, 2))  # fmt: skip


def shape_of(structure: Any) -> str:
    """A structure as text."""
    from ..static.nest import outline as dots

    return dots(structure)


def check(
    recorder: Recorder, kept: Kept, arrays: Sequence[np.ndarray], captured: Sequence[np.ndarray],
    results: Any, tensors: Sequence[Tensor],
) -> None:  # fmt: skip
    """Check that the graph computes the function's results for the arguments of the recording."""
    recording = kept.recording
    try:
        with drawing_from(recorder.random):
            env = recording.execute(arrays, captured)
    except Exception as error:
        recorder.fail(f"its graph does not run ({error})")
        return
    wanted = [each._data for each in flatten(results) if isinstance(each, Tensor)
              and not any(each is tensor for tensor in tensors)]  # fmt: skip
    targets = dict(zip(recording.inputs, tensors, strict=True)) | recording.captured
    pairs = list(zip((env[each] for each in recording.outputs), wanted, strict=True))
    pairs += [(env[value], targets[source]._data) for source, value in recording.effects]
    for found, expected in pairs:
        same_kind = found.shape == expected.shape and found.dtype == expected.dtype
        if not same_kind or not np.allclose(found, expected, 1e-4, 1e-6, equal_nan=True):
            recorder.fail("its graph does not give what it gave")
            return


def from_function(function: Callable[..., Any], *example_inputs: Any) -> StaticFunction:
    """A function (or module) of tensors as a graph, recorded with these arguments.

    Raises:
        NotStatic: it cannot be recorded; the message names the line and the reason.
    """
    made = StaticFunction(function)
    if example_inputs:
        made(*example_inputs)
        if not made.recordings:  # now it finds all as it has left it
            made(*example_inputs)
    return made
