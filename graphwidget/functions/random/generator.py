"""``torch.Generator``: PyTorch's CPU random numbers, number for number.

`manual_seed(n)` gives the same stream as PyTorch on an x86 machine with AVX2: the Mersenne
twister's 32-bit words are turned into numbers the way PyTorch's kernels do, down to the
rounding of its vectorised logarithm and sine, so that seeded examples print the same values.
"""

import math
import operator
from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np

from ...arrays.devices import device as as_device
from ...arrays.devices import require_cpu
from ...arrays.dtypes import Array
from ...arrays.kernel_errors import not_implemented
from ...graph import runtime
from ...optable.pointwise.where_clamp_kernels import where_mask, zero_where

NumpyDtype = np.dtype[Any]
Shape = tuple[int, ...]

DEFAULT_SEED: Final = 67280421310721
_SERIAL_BELOW: Final = 16  # PyTorch draws fewer normals than this one by one
_WORD_LIMIT: Final = 2**28  # larger integer ranges take 64 random bits


class Generator:
    """A pseudorandom number generator. The one behind the module's functions is `default`."""

    times: ClassVar[int] = 0
    """Number of draws, by all generators."""

    def __init__(self, device: str | as_device = "cpu") -> None:
        require_cpu(device)
        self.device = as_device(device)
        self._spare: float | None = None
        self.manual_seed(DEFAULT_SEED)

    def manual_seed(self, seed: int) -> "Generator":
        """Restart the stream; negative seeds count back from 2**64. Returns itself."""
        if not hasattr(seed, "__index__"):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        seed = operator.index(seed)
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._seed = seed % 2**64
        self.__dict__.pop("_twister", None)
        self._spare = None
        return self

    @cached_property
    def _twister(self) -> Any:
        """numpy's twister, made for the first draw: ``numpy.random`` is not loaded before."""
        twister = np.random.MT19937(0)
        # Only the low half reaches the twister, as in PyTorch; numpy's plain seeding is the same.
        twister._legacy_seeding(self._seed & 0xFFFFFFFF)
        return twister

    def initial_seed(self) -> int:
        """The seed the stream was last started from."""
        return self._seed

    def seed(self) -> int:
        """Restart from an unpredictable seed and return it."""
        return self.manual_seed(int(np.random.SeedSequence().generate_state(1)[0]))._seed

    def get_state(self) -> Any:
        """The whole state as a uint8 tensor, in PyTorch's layout."""
        from ...graph.tensor import Tensor

        return Tensor._wrap(pack_state(self))

    def set_state(self, new_state: Any) -> None:
        """Take over a state that `get_state` gave, here or in PyTorch.

        Raises:
            TypeError: it is no uint8 tensor.
            RuntimeError: it has another size.
        """
        data = getattr(new_state, "_data", None)
        if data is None:
            kind = type(new_state).__name__
            raise TypeError(f"expected a torch.ByteTensor, but got {kind}")
        if data.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if data.size != STATE_BYTES:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {STATE_BYTES} but found the input RNG "
                f"state size to be {data.size}"
            )
        unpack_state(self, np.ascontiguousarray(data))

    def clone_state(self) -> "Generator":
        """Another generator in the same state."""
        other = Generator(self.device)
        unpack_state(other, pack_state(self))
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuild_generator, (pack_state(self).tobytes(),)

    def words(self, count: int) -> Array:
        """`count` words of 32 random bits."""
        Generator.times += 1
        drawn: Array = self._twister.random_raw(count)
        return drawn

    def long_words(self, count: int) -> Array:
        """`count` words of 64 random bits, the first of each pair of words on top."""
        drawn = self.words(2 * count)
        return (drawn[0::2] << np.uint64(32)) | drawn[1::2]

    def unit(self, count: int, double: bool) -> Array:
        """Uniform numbers in [0, 1): 53 bits in float64 or 24 bits in float32."""
        if double:
            return (self.long_words(count) & np.uint64(2**53 - 1)).astype(np.float64) * 2.0**-53
        bits = (self.words(count) & np.uint64(2**24 - 1)).astype(np.float32)
        return bits * np.float32(2.0**-24)

    def normals_one_by_one(self, count: int) -> Array:
        """Standard normals by Box and Muller's pairs; the odd one out waits for the next call."""
        drawn: list[float] = []
        if self._spare is not None and count:
            drawn.append(self._spare)
            self._spare = None
            Generator.times += 1
        while len(drawn) < count:
            angle, height = self.unit(2, double=True).tolist()
            radius = math.sqrt(-2.0 * math.log1p(-height))
            drawn.append(radius * math.cos(2.0 * math.pi * angle))
            self._spare = radius * math.sin(2.0 * math.pi * angle)
            if len(drawn) < count:
                drawn.append(self._spare)
                self._spare = None
        return np.array(drawn, np.float64)


# How PyTorch lays its state out: `left` words of the block are unread, from `next` on.
_STATE: Final = np.dtype(
    [
        ("seed", "<u8"), ("left", "<i4"), ("seeded", "<i4"), ("next", "<u8"),
        ("key", "<u8", 624), ("x", "<f8"), ("spare", "<f8"), ("rho", "<f8"), ("has_spare", "<i4"),
        ("pad", "<i4"), ("float_spare", "<f4"), ("has_float_spare", "?"), ("end", "V3"),
    ]
)  # fmt: skip
STATE_BYTES: Final = _STATE.itemsize


def pack_state(generator: Generator) -> Array:
    """A generator's state as bytes."""
    twister: Any = generator._twister.state["state"]
    state = np.zeros(1, _STATE)
    position = int(twister["pos"])
    state["seed"], state["seeded"], state["key"] = generator._seed, 1, twister["key"]
    state["left"], state["next"] = 625 - position, position % 624
    if generator._spare is not None:
        state["spare"], state["has_spare"] = generator._spare, 1
    return state.view(np.uint8)


def rebuild_generator(state: bytes) -> Generator:
    """A generator out of a pickle, or a copy: in the state of the one that was put into it."""
    made = Generator()
    unpack_state(made, np.frombuffer(state, np.uint8))
    return made


def unpack_state(generator: Generator, data: Array) -> None:
    """Put a generator into the state that bytes describe."""
    state = data.view(_STATE)[0]
    position = 624 if state["left"] == 1 else int(state["next"])
    key = state["key"].astype(np.uint32)
    generator._twister.state = {
        "bit_generator": "MT19937", "state": {"key": key, "pos": position},
    }  # fmt: skip
    generator._seed = int(state["seed"])
    generator._spare = float(state["spare"]) if state["has_spare"] else None


Generator.__module__ = "torch._C"  # what printing one shows
default: Final = Generator()


def new_seed(generator: Generator | None = None) -> int:
    """A seed for another generator, as `torch.empty((), dtype=torch.int64).random_()` draws it."""
    return int((generator or default).long_words(1)[0] % np.uint64(2**63))


def manual_seed(seed: int) -> Generator:
    """Restart the default generator's stream."""
    return default.manual_seed(int(seed))


def initial_seed() -> int:
    """The default generator's seed."""
    return default.initial_seed()


def seed() -> int:
    """Restart the default generator from an unforeseeable seed, and return that."""
    return default.seed()


# ------------------------------------------------------------------------------------ arrays


def draw(numbers: Callable[[], Array]) -> Array:
    """Run a function that draws random numbers; a recorded program calls it again."""
    return numbers() if runtime.drawing is None else runtime.drawing(numbers)


def rand(shape: Shape, dtype: NumpyDtype, generator: Generator | None = None) -> Array:
    """Uniform numbers in [0, 1) as an array of `shape`."""
    return uniform(shape, dtype, 0.0, 1.0, generator)


def uniform(
    shape: Shape, dtype: NumpyDtype, low: float, high: float, generator: Generator | None = None
) -> Array:
    """Uniform numbers in [low, high) as an array of `shape`."""
    _need_floating(dtype, "check_uniform_bounds")
    if low > high:
        raise RuntimeError(
            f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}"
        )
    double = dtype.itemsize == 8
    drawn = (generator or default).unit(math.prod(shape), double)
    if (low, high) != (0.0, 1.0):
        kind = drawn.dtype.type
        drawn = _fma(drawn, kind(high) - kind(low), kind(low))
    filled = np.array(drawn, dtype).reshape(shape)
    if dtype.itemsize == 2:
        filled[filled == dtype.type(high)] = low  # rounded up to the excluded end
    return filled


def randn(shape: Shape, dtype: NumpyDtype, generator: Generator | None = None) -> Array:
    """Standard normal numbers as an array of `shape`."""
    return normal(shape, dtype, 0.0, 1.0, generator)


def normal(
    shape: Shape,
    dtype: NumpyDtype,
    mean: float,
    std: float,
    generator: Generator | None = None,
    serial: bool = False,
) -> Array:
    """Normal numbers with `mean` and standard deviation `std` as an array of `shape`; `serial`
    draws them one by one, as PyTorch does where memory is not contiguous."""
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    source = generator or default
    count = math.prod(shape)
    if count:
        _need_floating(dtype, "normal_kernel_cpu")
    if count < _SERIAL_BELOW or serial:
        drawn = _fma(source.normals_one_by_one(count), np.float64(std), np.float64(mean))
        return drawn.astype(dtype).reshape(shape)
    double = dtype.itemsize == 8
    whole = count - count % 16
    # Half precision alone draws no numbers for the part that is drawn anew below.
    uniforms = source.unit(whole if dtype.itemsize == 2 else count, double)
    filled = np.empty(count, uniforms.dtype)
    filled[:whole] = _box_muller(uniforms[:whole], mean, std)
    if whole != count:
        # The last block of 16 is drawn anew and overlaps the one before it.
        filled[-16:] = _box_muller(source.unit(16, double), mean, std)
    return filled.astype(dtype).reshape(shape)


def randint(low: int, high: int, shape: Shape, generator: Generator | None = None) -> Array:
    """Integers in [low, high) as an int64 array of `shape`."""
    if low >= high:
        raise RuntimeError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
        )
    span, count, source = high - low, math.prod(shape), generator or default
    drawn = source.long_words(count) if span >= _WORD_LIMIT else source.words(count)
    offset: Array = (drawn % np.uint64(span)).astype(np.int64) + low
    return offset.reshape(shape)


def randperm(n: int, generator: Generator | None = None) -> Array:
    """A random order of 0 .. n-1 as an int64 array."""
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    order, places = list(range(n)), np.arange(max(n - 1, 0), dtype=np.uint64)
    others = (generator or default).words(len(places)) % (np.uint64(n) - places) + places
    for place, other in enumerate(others.tolist()):
        order[place], order[other] = order[other], order[place]
    return np.array(order, np.int64)


def bernoulli(probability: Array, generator: Generator | None = None) -> Array:
    """Zeros and ones, each one with its element's probability, in `probability`'s dtype."""
    _need_floating(probability.dtype, "bernoulli_tensor_cpu_p_")
    if not bool(((probability >= 0) & (probability <= 1)).all()):
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error "
            "message be improved?  If so, please report an enhancement request to PyTorch.)"
        )
    double = probability.dtype.itemsize == 8
    drawn = (generator or default).unit(probability.size, double).reshape(probability.shape)
    return (drawn < probability).astype(probability.dtype)


def bernoulli_scalar(
    shape: Shape, dtype: NumpyDtype, probability: float, generator: Generator | None = None
) -> Array:
    """Zeros and ones with one probability for all, as `Tensor.bernoulli_(p)` and dropout draw."""
    if not 0 <= probability <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={probability:g}")
    bits = (generator or default).long_words(math.prod(shape))
    np.bitwise_and(bits, np.uint64(2**53 - 1), bits)
    # 53 bits as a number in [0, 1) are less than the probability
    heads = bits < np.uint64(math.ceil(probability * 2.0**53))
    return heads.astype(dtype).reshape(shape)


def _need_floating(dtype: NumpyDtype, kernel: str) -> None:
    if dtype.kind != "f":
        raise not_implemented(kernel, dtype)


# ------------------------------------------------------------------- the vectorised normals


def _box_muller(uniforms: Array, mean: float, std: float) -> Array:
    """Normals from uniforms in blocks of 16: eight radii, then their eight angles."""
    blocks = uniforms.reshape(-1, 16)
    if uniforms.dtype == np.float64:
        radius = np.sqrt(-2.0 * np.log(1.0 - blocks[:, :8]))
        angle = 2.0 * np.pi * blocks[:, 8:]
        cosine, sine = np.cos(angle), np.sin(angle)
        normals = np.concatenate((radius * cosine, radius * sine), 1)
        return _scale_shift(normals, np.float64(std), np.float64(mean)).reshape(-1)
    single = np.float32
    radius = np.sqrt(single(-2.0) * _log(single(1.0) - blocks[:, :8]))
    sine, cosine = _sincos(single(2.0 * np.pi) * blocks[:, 8:])
    normals = np.concatenate((radius * cosine, radius * sine), 1)
    return _scale_shift(normals, single(std), single(mean)).reshape(-1)


def _scale_shift(normals: Array, std: np.floating[Any], mean: np.floating[Any]) -> Array:
    """std * normals + mean with one rounding."""
    return _fma(normals, std, mean) if std != 1 else normals + mean


def _fma(first: Array, second: Array | np.floating[Any], third: Array | np.floating[Any]) -> Array:
    """first * second + third with one rounding, as the processor's fused instruction does it."""
    if first.dtype == np.float64:
        return _fma_double(first, np.asarray(second), np.asarray(third))
    exact: Array = np.multiply(first, second, dtype=np.float64)
    exact += third
    return exact.astype(np.float32)


def _fma_double(first: Array, second: Array, third: Array) -> Array:
    """Like ``_fma``, in float64: Dekker's exact product, then a sum that carries both errors."""
    product, total = first * second, first * second + third
    high, low = _split_bits(first)
    high2, low2 = _split_bits(second)
    lost = ((high * high2 - product) + high * low2 + low * high2) + low * low2
    share = total - product
    fused: Array = total + (((product - (total - share)) + (third - share)) + lost)
    return fused


def _split_bits(numbers: Array) -> tuple[Array, Array]:
    """Each number as a sum of its first 26 bits and the rest; by bits, as no product of large
    numbers may overflow."""
    high = (numbers.view(np.int64) & -(1 << 27)).view(np.float64)
    return high, numbers - high


# Polynomials of the Cephes library (S. Moshier), which PyTorch's AVX2 kernels evaluate.
_LOG: Final = (
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
    -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
_SIN: Final = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS: Final = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_QUARTER_PI: Final = (0.78515625, 2.4187564849853515625e-4, 3.77489497744594108e-8)


def _polynomial(coefficients: tuple[float, ...], at: Array) -> Array:
    value, exact, at = np.full_like(at, coefficients[0]), np.empty(at.shape), at.astype(np.float64)
    for coefficient in coefficients[1:]:  # as ``_fma``, in the same memory
        np.multiply(value, at, exact)
        exact += np.float32(coefficient)
        np.copyto(value, exact, casting="same_kind")
    return value


def _log(numbers: Array) -> Array:
    """Natural logarithm of positive float32 numbers."""
    single = np.float32
    mantissa, powers = np.frexp(numbers)
    low = mantissa < single(math.sqrt(0.5))
    power = (powers - low).astype(single)
    x = (mantissa - single(1.0)) + zero_where(~low, mantissa)
    square = x * x
    tail = _fma(_polynomial(_LOG, x) * x, square, power * single(-2.12194440e-4))
    tail = _fma(-square, single(0.5), tail)
    return _fma(power, single(0.693359375), x + tail)


def _sincos(angles: Array) -> tuple[Array, Array]:
    """Sine and cosine of non-negative float32 angles in radians."""
    single = np.float32
    octant = ((angles * single(4.0 / math.pi)).astype(np.int32) + 1) & ~1
    x = angles
    for part in _QUARTER_PI:
        x = _fma(octant.astype(single), single(-part), x)
    square = x * x
    even = _polynomial(_COS, square) * square
    even = _fma(even, square, -(square * single(0.5))) + single(1.0)
    odd = _fma(_polynomial(_SIN, square) * square, x, x)
    swapped = (octant & 2) != 0
    sine, cosine = where_mask(swapped, even, odd), where_mask(swapped, odd, even)
    sign, other = (octant & 4) << 29, ((octant + 2) & 4) << 29  # the bits that say "negative"
    return (sine.view(np.int32) ^ sign).view(single), (cosine.view(np.int32) ^ other).view(single)
