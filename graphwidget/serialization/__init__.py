"""`save` and `load`: state dicts, checkpoints and tensors in safetensors files, never pickles.

A file holds the tensors as safetensors has them, so a saved state dict is what
`safetensors.torch.load_file` reads; what else was saved (nesting, numbers, texts) is JSON in the
file's metadata. Reading such a file never runs code.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from ..core import devices
from ..core.storages import UntypedStorage
from ..core.tensor import Tensor
from ..core.version import filled
from . import format
from .storages import items
from .tree import Packer, Unpacker

__all__ = [
    "add_safe_globals", "clear_safe_globals", "get_safe_globals", "load", "safe_globals", "save",
]  # fmt: skip

File = str | os.PathLike[str] | IO[bytes]
_KEY = "graphwidget"
_PICKLES = (b"PK", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
_NO_PICKLES = (
    "this file is a pickle, as PyTorch's torch.save writes them, and graphwidget does not read "
    "pickles because reading one may run any code. Save it from PyTorch as safetensors instead: "
    "safetensors.torch.save_file(model.state_dict(), path)"
)
_NO_FILE = "expected 'f' to be string, path, or a file-like object with a 'write' attribute"
_NOT_SEEKABLE = (
    "You can only torch.load from a file that is seekable. Please pre-load the data into a buffer "
    "like io.BytesIO and try to load from it instead."
)
_NO_CUDA = (
    "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If "
    "you are running on a CPU-only machine, please use torch.load with "
    "map_location=torch.device('cpu') to map your storages to the CPU."
)


def save(
    obj: Any,
    f: File,
    pickle_module: Any = None,
    pickle_protocol: Any = None,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Write tensors, arrays, numbers, texts, and dicts, lists, tuples and sets of these to a file.

    The file is safetensors; the arguments about pickles are accepted and mean nothing. As in
    PyTorch, tensors keep their strides, those that share a storage will share it when they are
    loaded, and a storage is written whole, however little of it a view shows.

    Raises:
        TypeError: something else is to be saved, such as a whole module.
        RuntimeError: the file's folder does not exist; tensors of two types on one storage.
        AttributeError: ``f`` is neither a path nor a file.
    """
    packer = Packer()
    described = packer.text(obj)
    parts = format.encode(packer.storages.entries, {"format": "pt", _KEY: described})
    if isinstance(f, str | os.PathLike):
        folder = Path(f).parent
        if not folder.is_dir():
            raise RuntimeError(f"Parent directory {folder} does not exist.")
        with open(f, "wb") as file:
            file.writelines(parts)
    elif hasattr(f, "write"):
        for part in parts:
            f.write(part)
    else:
        raise AttributeError(_NO_FILE)


def load(
    f: File,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Read what `save` wrote, or any safetensors file (a dict of its tensors).

    Tensors come on the CPU; `map_location` may say so. Nothing but data is ever read, whatever
    `weights_only` says.

    Raises:
        pickle.UnpicklingError: the file is a pickle.
        ValueError: the file is no safetensors file; ``mmap`` of what is no path.
        EOFError: there is nothing to read.
        RuntimeError: `map_location` is a CUDA device.
        AttributeError: ``f`` is neither a path nor a file.
    """
    if isinstance(map_location, str | devices.device):
        place = devices.device(map_location)
        if place.type == "cuda":
            raise RuntimeError(_NO_CUDA)
        devices.require_cpu(place)
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    data = _read(f, bool(mmap))
    if not data:
        raise EOFError
    # A header's length may begin as pickles do; theirs would be longer than the file.
    if data.startswith(_PICKLES) and int.from_bytes(data[:8], "little") > len(data):
        raise pickle.UnpicklingError(_NO_PICKLES)
    arrays, metadata = format.decode(data)
    if callable(map_location):  # it is shown every storage, and may only leave it where it is
        for array in arrays.values():
            map_location(UntypedStorage(items(array).view("uint8")), "cpu")
    described = metadata.get(_KEY)
    if described is not None:
        return Unpacker(arrays).value(json.loads(described))
    tensors = {name: Tensor._wrap(array) for name, array in arrays.items()}
    for tensor in tensors.values():
        tensor._counter = filled()
    return tensors


def _read(f: Any, mmap: bool) -> bytes:
    if isinstance(f, str | os.PathLike):
        with open(f, "rb") as file:
            return file.read()
    try:
        f.seek(f.tell())
    except AttributeError as error:
        raise AttributeError(f"{error}. {_NOT_SEEKABLE}") from None
    if mmap:
        raise ValueError("f must be a file path in order to use the mmap argument")
    data: bytes = f.read()
    return data


# What PyTorch's restricted unpickler may name ---------------------------------------------------
_trusted: list[Any] = []


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Note classes as ones that files may name. Files here name none, so this changes nothing."""
    _trusted.extend(safe_globals)


def get_safe_globals() -> list[Any]:
    """What was noted by ``add_safe_globals``."""
    return [*_trusted]


def clear_safe_globals() -> None:
    """Forget them."""
    _trusted.clear()


@contextlib.contextmanager
def safe_globals(safe_globals: list[Any]) -> Iterator[None]:
    """``add_safe_globals`` for the length of a block."""
    before = get_safe_globals()
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        _trusted[:] = before
