"""``torch.device`` and the default device; only the CPU can hold tensors here."""

from typing import Any, Final

_DEVICES: Final = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, "
    "mps, meta, hpu, mtia, privateuseone"
)


class device:
    """A place tensors live in. Only "cpu" can hold tensors; others may be named, not used."""

    __slots__ = ("index", "type")

    type: str
    index: int | None

    def __init__(self, type: "str | device", index: int | None = None) -> None:
        if isinstance(type, device):
            self.type, self.index = type.type, type.index
            return
        if not isinstance(type, str):
            if isinstance(type, int):
                raise RuntimeError("Cannot access accelerator device when none is available.")
            raise TypeError(
                "device() received an invalid combination of arguments - got "
                f"({_class_name(type)}), but expected one of:\n * (torch.device device)\n"
                "      didn't match because some of the arguments have invalid types: "
                f"(!{_class_name(type)}!)\n * (str type, int index = -1)\n"
            )
        if not type:
            raise RuntimeError("Device string must not be empty")
        name, colon, number = type.partition(":")
        if name not in _DEVICES.split(", "):
            raise RuntimeError(
                f"Expected one of {_DEVICES} device type at start of device string: {name}"
            )
        if colon and not (number.isascii() and number.isdigit()):
            raise RuntimeError(f"Invalid device string: '{type}'")
        if colon and index is not None:
            raise RuntimeError(
                "type (string) must not include an index because index was passed "
                f"explicitly: {type}"
            )
        if index is not None and index < 0:
            raise RuntimeError("Device index must not be negative")
        self.type = name
        self.index = int(number) if colon else index

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, device):
            return NotImplemented
        return (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> tuple[Any, ...]:
        return device_of, (self.type, self.index)

    def __enter__(self) -> "device":
        """New tensors are made here, which works for the CPU."""
        _outer_devices.append(_default_device)
        set_default_device(self)
        return self

    def __exit__(self, *exc: object) -> None:
        set_default_device(_outer_devices.pop())


def device_of(type: str, index: int | None) -> device:
    """A device from its pickle, which cannot name the class (as ``size.size_of``)."""
    return device(type, index)


device.__module__ = "torch"

_default_device: device | None = None
_outer_devices: list[device | None] = []


def get_default_device() -> device:
    """The device that new tensors are made on."""
    return _default_device or cpu


_Device = device


def set_default_device(device: "_Device | str | None") -> None:
    """Set the device that new tensors are made on; making them fails unless it is the CPU."""
    global _default_device
    _default_device = device if device is None else _Device(device)


def _class_name(value: object) -> str:
    return type(value).__name__


cpu: Final = device("cpu")


def require_cpu(place: str | device | None) -> None:
    """Raise what a build of PyTorch without accelerators raises, unless `place` is the CPU."""
    if place is None:
        place = _default_device
    if place is None or place is cpu:
        return
    named = place if isinstance(place, device) else device(place)
    if named.type in ("cuda", "xpu"):
        raise AssertionError(f"Torch not compiled with {named.type.upper()} enabled")
    if named.type != "cpu":
        raise NotImplementedError(f"graphwidget keeps tensors on the CPU only, not on '{named}'")
