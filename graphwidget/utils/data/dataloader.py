"""`DataLoader`: batches of a dataset, in the order that PyTorch gives them for a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic

import numpy as np

from ...arrays import dtypes
from ...arrays.warnings import warn
from ...dispatch.offer import FUNCTIONS
from ...functions.creation import factories
from ...functions.random import generator as random
from ...graph.tensor import Tensor
from .dataset import Dataset, IterableDataset, T
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

# default_collate: a batch made of samples --------------------------------------------------------

_REFUSED = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


def default_convert(data: Any) -> Any:
    """Numpy arrays in nested data become tensors; everything else stays."""
    if isinstance(data, Tensor):
        return data
    if isinstance(data, np.ndarray | np.generic):
        return data if data.dtype.kind in "SUO" else factories.as_tensor(data)
    if isinstance(data, Mapping):
        return _rebuild_container(
            data, {key: default_convert(value) for key, value in data.items()}
        )
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(default_convert(item) for item in data))
    if isinstance(data, tuple):
        return [default_convert(item) for item in data]
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return _rebuild_container(data, [default_convert(item) for item in data])
    return data


def default_collate(batch: Any) -> Any:
    """Samples stacked along a new first dim; numbers become tensors, dicts and lists of samples
    become dicts and lists of batches, texts stay.

    Raises:
        TypeError: samples of another type.
        RuntimeError: lists of different lengths.
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return FUNCTIONS["stack"](batch, 0)
    if isinstance(first, np.ndarray):
        if first.dtype.kind in "SUO":
            raise TypeError(_REFUSED.format(first.dtype))
        return default_collate([factories.as_tensor(each) for each in batch])
    if isinstance(first, np.generic):
        return factories.as_tensor(np.array(batch))
    if isinstance(first, float):
        return factories.tensor(batch, dtype=dtypes.float64)
    if isinstance(first, int):
        return factories.tensor(batch)
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        found = {key: default_collate([sample[key] for sample in batch]) for key in first}
        return _rebuild_container(first, found)
    if isinstance(first, Sequence):
        return _collated_sequences(first, batch)
    raise TypeError(_REFUSED.format(type(first)))


def _collated_sequences(first: Any, batch: Any) -> Any:
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(default_collate(each) for each in zip(*batch, strict=True)))
    if any(len(each) != len(first) for each in batch):
        raise RuntimeError("each element in list of batch should be of equal size")
    columns = [default_collate(each) for each in zip(*batch, strict=True)]
    return columns if isinstance(first, tuple) else _rebuild_container(first, columns)


def _rebuild_container(like: Any, content: Any) -> Any:
    """The content in a container of the same type, where that can be made from it."""
    try:
        return type(like)(content)
    except TypeError:
        return content


# -------------------------------------------------------------------------------------------------
_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
_NOT_PINNED = (
    "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory "
    "won't be used."
)


class _InfiniteConstantSampler(Sampler[None]):
    """For iterated datasets: no indices, without end."""

    def __iter__(self) -> Iterator[None]:
        while True:
            yield None


class DataLoader(Generic[T]):
    """Iterates over a dataset in batches.

    Args:
        dataset: with `__getitem__` and `__len__`, or an `IterableDataset`.
        batch_size: samples in a batch; None gives samples one by one.
        shuffle: a new random order at each iteration.
        sampler: gives the indices instead; `batch_sampler` gives whole batches of them.
        collate_fn: makes a batch of a list of samples.
        num_workers: here data are loaded in the main process, whatever it says (with a warning).
        drop_last: leave out a last batch that is shorter.
        generator: where the random order comes from.

    Raises:
        ValueError: options that exclude each other.
    """

    __initialized = False

    def __init__(
        self,
        dataset: Dataset[T] | Sequence[T],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Any] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: random.Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _check_workers(
            num_workers, timeout, prefetch_factor, persistent_workers, multiprocessing_context
        )
        self._iterated = isinstance(dataset, IterableDataset)
        if self._iterated:
            _check_iterated(shuffle, sampler, batch_sampler)
        _check_batches(batch_size, shuffle, sampler, batch_sampler, drop_last)
        self.dataset: Any = dataset
        self.num_workers = num_workers
        self.prefetch_factor = prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        self.generator = generator
        self.batch_size = batch_size if batch_sampler is None else None
        self.drop_last = drop_last
        self.sampler = self._sampler(bool(shuffle)) if sampler is None else sampler
        if self.batch_size is not None:
            batch_sampler = BatchSampler(self.sampler, self.batch_size, drop_last)
        self.batch_sampler = batch_sampler
        together = batch_sampler is not None
        self.collate_fn = collate_fn or (default_collate if together else default_convert)
        self._told: int | None = None
        self.persistent_workers = persistent_workers
        self.__initialized = True

    def _sampler(self, shuffle: bool) -> Sampler[Any]:
        if self._iterated:
            return _InfiniteConstantSampler()
        if shuffle:
            return RandomSampler(self.dataset, generator=self.generator)
        return SequentialSampler(self.dataset)

    def __setattr__(self, name: str, value: Any) -> None:
        if self.__initialized and name in _FIXED:
            raise ValueError(
                f"{name} attribute should not be set after {type(self).__name__} is initialized"
            )
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[Any]:
        if self.pin_memory:
            warn(_NOT_PINNED)
        random.new_seed(self.generator)  # PyTorch draws one for its workers, with or without them
        return Batches(self, self._iterate_stream() if self._iterated else self._iterate_indices())

    def _iterate_indices(self) -> Iterator[Any]:
        dataset, together = self.dataset, self.batch_sampler is not None
        several = getattr(dataset, "__getitems__", None)
        for index in self.batch_sampler if self.batch_sampler is not None else self.sampler:
            if not together:
                samples = dataset[index]
            elif several:
                samples = several(index)
            else:
                samples = [dataset[place] for place in index]
            yield self.collate_fn(samples)

    def _iterate_stream(self) -> Iterator[Any]:
        source = iter(self.dataset)
        if self.batch_size is None:
            yield from map(self.collate_fn, source)
            return
        batch: list[Any] = []
        for sample in source:
            batch.append(sample)
            if len(batch) == self.batch_size:
                yield self.collate_fn(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.collate_fn(batch)

    def _batches(self) -> int:
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)  # type: ignore[arg-type]

    def __len__(self) -> int:
        if not self._iterated:
            return self._batches()
        length = self._told = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)


class Batches(Iterator[Any]):
    """The batches of one pass through a loader."""

    def __init__(self, loader: DataLoader[Any], source: Iterator[Any]) -> None:
        self._loader = loader
        self._source = source
        self._count, self._told = 0, loader._told

    def __next__(self) -> Any:
        batch = next(self._source)
        self._count += 1
        if self._told is not None and self._count > self._told:
            warn(
                f"Length of IterableDataset {self._loader.dataset} was reported to be "
                f"{self._told}(when accessing len(dataloader)), but {self._count} samples have "
                "been fetched. "
            )
        return batch

    def __len__(self) -> int:
        return self._loader._batches()


def get_worker_info() -> Any:
    """None: there are no worker processes."""
    return None


def _check_workers(
    num_workers: int,
    timeout: float,
    prefetch_factor: int | None,
    persistent_workers: bool,
    multiprocessing_context: Any,
) -> None:
    """ValueError for options that go with another number of workers."""
    if num_workers < 0:
        raise ValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable "
            "multiprocessing."
        )
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing.let num_workers > "
            "0 to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if num_workers == 0 and persistent_workers:
        raise ValueError("persistent_workers option needs num_workers > 0")
    if num_workers == 0 and multiprocessing_context is not None:
        raise ValueError(
            "multiprocessing_context can only be used with multi-process loading (num_workers "
            "> 0), but got num_workers=0"
        )
    if num_workers > 0:
        warn(
            f"graphwidget loads data in the main process: num_workers={num_workers} is taken as 0",
        )


def _check_iterated(shuffle: bool | None, sampler: Any, batch_sampler: Any) -> None:
    """ValueError for options that an iterated dataset cannot follow."""
    if shuffle not in (False, None):
        raise ValueError(
            "DataLoader with IterableDataset: expected unspecified shuffle option, but got "
            f"shuffle={shuffle}"
        )
    for name, given in (("sampler", sampler), ("batch_sampler", batch_sampler)):
        if given is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got "
                f"{name}={given}"
            )


def _check_batches(
    batch_size: int | None, shuffle: bool | None, sampler: Any, batch_sampler: Any, drop_last: bool
) -> None:
    """ValueError for options that exclude each other."""
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None:
        if batch_size != 1 or shuffle or sampler is not None or drop_last:
            raise ValueError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and "
                "drop_last"
            )
    elif batch_size is None and drop_last:
        raise ValueError(
            "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
        )
