"""C++'s ``nth_element``, which decides which of several equal items PyTorch selects.

``topk`` and ``kthvalue`` promise nothing about equal items, yet gradients flow to those chosen. On
the CPU the choice follows from the algorithms of the C++ library (``std::nth_element``,
``std::sort``, ``std::partial_sort`` of libstdc++) and from Hoare's quickselect with a median of
three. These are the same algorithms, on a list of places and a ``before(a, b)``. They run only for
rows with equal items; numpy's sort serves the others.
"""

from __future__ import annotations

from collections.abc import Callable

Before = Callable[[int, int], bool]

SMALL = 16
"""Below so many items ``std::sort`` leaves the work to insertion."""


def nth_element(x: list[int], n: int, before: Before) -> None:
    """Put the item of rank n in its place, those before it on its left."""
    first, last, depth = 0, len(x), 2 * (len(x).bit_length() - 1)
    while last - first > 3:
        if depth == 0:
            heap_select(x, first, n + 1, last, before)
            x[first], x[n] = x[n], x[first]
            return
        depth -= 1
        cut = partition(x, first, last, before)
        if cut <= n:
            first = cut
        else:
            last = cut
    insertion_sort(x, first, last, before)


def sort(x: list[int], last: int, before: Before) -> None:
    """Sort the items up to ``last``."""
    pending = [(0, last, 2 * (max(last, 1).bit_length() - 1))]
    while pending:
        first, end, depth = pending.pop()
        while end - first > SMALL:
            if depth == 0:
                partial_sort(x, first, end, end, before)
                break
            depth -= 1
            cut = partition(x, first, end, before)
            pending.append((cut, end, depth))
            end = cut
    insertion_sort(x, 0, last, before)


def partial_sort(x: list[int], first: int, middle: int, last: int, before: Before) -> None:
    """Put the first items of the order, sorted, before ``middle``."""
    heap_select(x, first, middle, last, before)
    while middle - first > 1:
        middle -= 1
        value, x[middle] = x[middle], x[first]
        sift_down(x, first, 0, middle - first, value, before)


def partition(x: list[int], first: int, last: int, before: Before) -> int:
    """Split around the median of three items; returns where the right part begins."""
    a, b, c = first + 1, first + (last - first) // 2, last - 1
    if before(x[a], x[b]):
        chosen = b if before(x[b], x[c]) else c if before(x[a], x[c]) else a
    else:
        chosen = a if before(x[a], x[c]) else c if before(x[b], x[c]) else b
    x[first], x[chosen] = x[chosen], x[first]
    pivot, left, right = x[first], first + 1, last
    while True:
        while before(x[left], pivot):
            left += 1
        right -= 1
        while before(pivot, x[right]):
            right -= 1
        if left >= right:
            return left
        x[left], x[right] = x[right], x[left]
        left += 1


def insertion_sort(x: list[int], first: int, last: int, before: Before) -> None:
    """Sort a few items."""
    for i in range(first + 1, last):
        value, place = x[i], i
        while place > first and before(value, x[place - 1]):
            x[place] = x[place - 1]
            place -= 1
        x[place] = value


def heap_select(x: list[int], first: int, middle: int, last: int, before: Before) -> None:
    """Collect the first items of the order, as a heap, before ``middle``."""
    count = middle - first
    for parent in range((count - 2) // 2, -1, -1) if count > 1 else ():
        sift_down(x, first, parent, count, x[first + parent], before)
    for i in range(middle, last):
        if before(x[i], x[first]):
            value, x[i] = x[i], x[first]
            sift_down(x, first, 0, count, value, before)


def sift_down(x: list[int], first: int, hole: int, count: int, value: int, before: Before) -> None:
    """Let the hole of a heap sink, then put the value where it may rise to."""
    top, child = hole, hole
    while child < (count - 1) // 2:
        child = 2 * (child + 1)
        if before(x[first + child], x[first + child - 1]):
            child -= 1
        x[first + hole] = x[first + child]
        hole = child
    if count % 2 == 0 and child == (count - 2) // 2:
        child = 2 * (child + 1)
        x[first + hole] = x[first + child - 1]
        hole = child - 1
    while hole > top and before(x[first + (hole - 1) // 2], value):
        x[first + hole] = x[first + (hole - 1) // 2]
        hole = (hole - 1) // 2
    x[first + hole] = value


def quickselect(x: list[int], k: int, after: Before) -> None:
    """Put the item of rank k in its place, as ``kthvalue`` does; ``after`` is the reverse order."""
    low, high = 0, len(x) - 1
    while high > low:
        if high == low + 1:
            if after(x[low], x[high]):
                x[low], x[high] = x[high], x[low]
            return
        middle = low + (high - low) // 2
        x[middle], x[low + 1] = x[low + 1], x[middle]
        for one, two in ((low + 1, high), (low, high), (low + 1, low)):
            if after(x[one], x[two]):
                x[one], x[two] = x[two], x[one]
        i, j, pivot = low + 1, high, x[low]
        while True:
            i += 1
            while after(pivot, x[i]):
                i += 1
            j -= 1
            while after(x[j], pivot):
                j -= 1
            if j < i:
                break
            x[i], x[j] = x[j], x[i]
        x[low], x[j] = x[j], x[low]
        if j <= k:
            low = i
        if j >= k:
            high = j - 1
