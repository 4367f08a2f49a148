"""``DistributedSampler``: a dataset's indices dealt out to several processes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import cycle, islice
from typing import Any

from ...functions.random import generator
from .sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Every `num_replicas`-th index of a dataset, from the `rank`-th on; all get equally many.

    Args:
        num_replicas: how many processes there are, of which this is number `rank`. There is no
            process group here that could tell, so both are to be given.
        shuffle: a random order, the same in all processes, of `seed` and the epoch.
        drop_last: leave out what cannot be dealt out evenly; otherwise the first are dealt again.

    Raises:
        ValueError: a number not given, or no such rank.
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            raise ValueError(
                "Default process group has not been initialized, please make sure to call "
                "init_process_group."
            )
        if not 0 <= rank < num_replicas:
            raise ValueError(
                f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]"
            )
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        share = len(dataset) / num_replicas
        self.num_samples = math.floor(share) if drop_last else math.ceil(share)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self) -> Iterator[int]:
        order: Iterable[int] = range(len(self.dataset))
        if self.shuffle:
            source = generator.Generator().manual_seed(self.seed + self.epoch)
            order = generator.randperm(len(self.dataset), source).tolist()
        return islice(cycle(order), self.rank, self.total_size, self.num_replicas)

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Let the next order be that of an epoch; otherwise it is the same each time."""
        self.epoch = epoch
