"""`save` and `load`: state dicts, checkpoints and tensors in safetensors files.

A file holds the tensors as safetensors has them, so a saved state dict is what
`safetensors.torch.load_file` reads; what else was saved (nesting, numbers, texts) is JSON in the
file's metadata. Reading such a file never runs code. What is not data, such as a whole module, is
pickled, and unpickled only by ``load(..., weights_only=False)``, because that may run any code.
"""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..absent import refuse_others
from ..arrays import devices
from ..functions.memory.storage import UntypedStorage
from ..graph.tensor import Tensor
from ..graph.version import counter_at_version
from . import safetensors
from .nested_json import NoData, Packer, Unpacker
from .storages import memory_items

__all__ = ["load", "save"]

File = str | os.PathLike[str] | IO[bytes]
_KEY = "graphwidget"
_PICKLED = "graphwidget.pickled"
"""The metadata of a file with a pickle, whose bytes are its only tensor: what asked for it."""
_PICKLES = (b"PK", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
_NO_PICKLES = (
    "this file is a pickle, as PyTorch's torch.save writes them, and graphwidget does not read "
    "these because reading one may run any code. Save it from PyTorch as safetensors instead: "
    "safetensors.torch.save_file(model.state_dict(), path)"
)
_WEIGHTS_ONLY = (
    "Weights only load failed. This file can still be loaded, to do so you have two options, "
    "\033[1mdo those steps only if you trust the source of the checkpoint\033[0m. \n\t"
    "(1) In PyTorch 2.6, we changed the default value of the `weights_only` argument in "
    "`torch.load` from `False` to `True`. Re-running `torch.load` with `weights_only` set to "
    "`False` will likely succeed, but it can result in arbitrary code execution. Do it only if you "
    "got the file from a trusted source.\n\t"
    "(2) Alternatively, to load with `weights_only=True` please check the recommended steps in the "
    "following error message.\n\t"
    "WeightsUnpickler error: Unsupported global: GLOBAL {0} was not an allowed global by default. "
    "Please use `torch.serialization.add_safe_globals([{0}])` or the "
    "`torch.serialization.safe_globals([{0}])` context manager to allowlist this global if you "
    "trust this class/function.\n\n"
    "Check the documentation of torch.load to learn more about types accepted by default with "
    "weights_only https://pytorch.org/docs/stable/generated/torch.load.html.\n"
    "(Here only (1) helps: graphwidget unpickles nothing, whatever is allowed, without it.)"
)
"""PyTorch's text, and what differs here."""
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

    The file is safetensors. As in PyTorch, tensors keep their strides, those that share a storage
    will share it when they are loaded, and a storage is written whole, however little of it a view
    shows. Where there is something else, such as a whole module, all is pickled (by
    ``pickle_module``, with ``pickle_protocol``), and only who trusts the file can load it.

    Raises:
        RuntimeError: the file's folder does not exist; tensors of two types on one storage.
        AttributeError: ``f`` is neither a path nor a file; something cannot be pickled.
        pickle.PicklingError: likewise.
    """
    packer = Packer()
    try:
        metadata = {_KEY: packer.text(obj)}
        arrays = packer.storages.entries
    except NoData as found:
        metadata = {_PICKLED: found.name}
    if _PICKLED in metadata:
        pickled = (pickle_module or pickle).dumps(obj, protocol=pickle_protocol)
        arrays = {"pickle": np.frombuffer(pickled, np.uint8)}
    parts = safetensors.encode(arrays, {"format": "pt", **metadata})
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

    Tensors come on the CPU; `map_location` may say so. With ``weights_only=False`` what had to be
    pickled is unpickled, which may run any code that the file says; do it only if you trust it.

    Raises:
        pickle.UnpicklingError: the file has a pickle and `weights_only` is not False, or it is one
            of PyTorch's pickles.
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
    arrays, metadata = safetensors.decode(data)
    if _PICKLED in metadata:
        if weights_only is None or weights_only:
            raise pickle.UnpicklingError(_WEIGHTS_ONLY.format(metadata[_PICKLED]))
        pickled = arrays["pickle"].tobytes()
        return (pickle_module or pickle).loads(pickled, **pickle_load_args)
    if callable(map_location):  # it is shown every storage, and may only leave it where it is
        for array in arrays.values():
            map_location(UntypedStorage(memory_items(array).view("uint8")), "cpu")
    described = metadata.get(_KEY)
    if described is not None:
        return Unpacker(arrays).value(json.loads(described))
    tensors = {name: Tensor._wrap(array) for name, array in arrays.items()}
    for tensor in tensors.values():
        tensor._counter = counter_at_version()
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


refuse_others(__name__)
