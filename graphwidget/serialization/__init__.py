"""`save` and `load`: state dicts, checkpoints and tensors in safetensors files, never pickles.

A file holds the tensors as safetensors has them, so a saved state dict is what
`safetensors.torch.load_file` reads; what else was saved (nesting, numbers, texts) is JSON in the
file's metadata. Reading such a file never runs code.
"""

from __future__ import annotations

import os
import pickle
from typing import IO, Any

from ..core import devices
from ..core.tensor import Tensor
from . import format
from .tree import pack, unpack

__all__ = ["load", "save"]

File = str | os.PathLike[str] | IO[bytes]
_KEY = "graphwidget"
_NO_PICKLES = (
    "this file is a pickle, as PyTorch's torch.save writes them, and graphwidget does not read "
    "pickles because reading one may run any code. Save it from PyTorch as safetensors instead: "
    "safetensors.torch.save_file(model.state_dict(), path)"
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
    """Write tensors, numbers, texts, and dicts, lists, tuples and sets of these to a file.

    The file is safetensors; the arguments about pickles are accepted and mean nothing.

    Raises:
        TypeError: something else is to be saved, such as a whole module.
    """
    tensors: dict[str, Tensor] = {}
    described = pack(obj, tensors)
    data = format.encode(tensors, {"format": "pt", _KEY: described})
    if isinstance(f, str | os.PathLike):
        with open(f, "wb") as file:
            file.write(data)
    else:
        f.write(data)


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
        ValueError: the file is no safetensors file.
        RuntimeError: `map_location` is a CUDA device.
    """
    if isinstance(map_location, str | devices.device):
        place = devices.device(map_location)
        if place.type == "cuda":
            raise RuntimeError(_NO_CUDA)
        devices.require_cpu(place)
    if isinstance(f, str | os.PathLike):
        with open(f, "rb") as file:
            data = file.read()
    else:
        data = f.read()
    if data[:2] in (b"PK", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"):
        raise pickle.UnpicklingError(_NO_PICKLES)
    tensors, metadata = format.decode(data)
    described = metadata.get(_KEY)
    return tensors if described is None else unpack(described, tensors)
