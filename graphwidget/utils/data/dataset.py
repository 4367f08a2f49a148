"""``Dataset``, ``TensorDataset``, ``Subset``, ``random_split`` and the like."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any, Generic, TypeVar

from ...absent import not_here
from ...arrays.warnings import warn
from ...functions.random import generator as random
from ...graph.tensor import Tensor

T = TypeVar("T", covariant=True)


class Dataset(Generic[T]):
    """Samples by index; subclasses define `__getitem__` and mostly `__len__`."""

    def __getitem__(self, index: Any) -> T:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[Any]) -> Dataset[Any]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T], Iterable[T]):
    """Samples one after another; subclasses define `__iter__`."""

    def __add__(self, other: Dataset[Any]) -> Dataset[Any]:
        raise NotImplementedError(not_here("torch.utils.data.ChainDataset"))


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """The rows of tensors that have equally many; a sample is a tuple of rows."""

    tensors: tuple[Tensor, ...]

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].size(0)  # type: ignore[no-any-return]


class ConcatDataset(Dataset[Any]):
    """Datasets one after another."""

    datasets: list[Any]
    cumulative_sizes: list[int]

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """The lengths added up."""
        return list(itertools.accumulate(len(each) for each in sequence))

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if len(self.datasets) == 0:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(each, IterableDataset) for each in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> Any:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        place = bisect.bisect_right(self.cumulative_sizes, idx)
        before = self.cumulative_sizes[place - 1] if place else 0
        return self.datasets[place][idx - before]


class Subset(Dataset[T]):
    """The samples of a dataset at some indices."""

    def __init__(self, dataset: Dataset[T] | Sequence[T], indices: Sequence[int]) -> None:
        self.dataset: Any = dataset
        self.indices = indices

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list[int]) -> list[Any]:
        """The samples at several indices."""
        if callable(getattr(self.dataset, "__getitems__", None)):
            found: list[Any] = self.dataset.__getitems__([self.indices[i] for i in indices])
            return found
        return [self.dataset[self.indices[i]] for i in indices]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Dataset[T] | Sequence[T], lengths: Sequence[int | float],
    generator: random.Generator | None = None,
) -> list[Subset[T]]:  # fmt: skip
    """Split a dataset at random into parts of these lengths, or of these fractions of it.

    Raises:
        ValueError: the lengths do not add up.
    """
    size = len(dataset)  # type: ignore[arg-type]  # Dataset leaves it to those that have one
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _lengths_from_fractions(size, lengths)
    if sum(lengths) != size:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = random.randperm(int(sum(lengths)), generator).tolist()
    ends = itertools.accumulate(int(length) for length in lengths)
    return [
        Subset(dataset, order[end - int(length) : end])
        for end, length in zip(ends, lengths, strict=True)
    ]


def _lengths_from_fractions(total: int, fractions: Sequence[float]) -> list[int]:
    """Lengths for fractions; what is left over is given out one by one from the front."""
    lengths = []
    for place, fraction in enumerate(fractions):
        if fraction < 0 or fraction > 1:
            raise ValueError(f"Fraction at index {place} is not between 0 and 1")
        lengths.append(math.floor(total * fraction))
    for place in range(total - sum(lengths)):
        lengths[place % len(lengths)] += 1
    for place, length in enumerate(lengths):
        if length == 0:
            warn(
                f"Length of split at index {place} is 0. This might result in an empty dataset.",
            )
    return lengths
