"""Passes tensors between Tutti and NumPy and PyTorch, as DLPack has them, in one process.

  pip install numpy torch
  ninja -C build/release dlpack_exchange
  python3 tests/reference/dlpack_exchange.py build/release/tests/libdlpack_exchange.so
"""

import ctypes
import gc
import sys

import numpy

try:
    import torch
except ImportError:
    torch = None

VERSIONED = b"dltensor_versioned"
UNVERSIONED = b"dltensor"

python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
python.PyCapsule_GetName.restype = ctypes.c_char_p
python.PyCapsule_GetName.argtypes = [ctypes.py_object]
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]

tutti = ctypes.CDLL(sys.argv[1])
for function in (tutti.lend, tutti.lend_unversioned):
    function.restype = ctypes.c_void_p
    function.argtypes = [ctypes.c_char_p]
for function in (tutti.read_versioned, tutti.read_unversioned):
    function.restype = ctypes.c_int
    function.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_double)]

# A consumer renames a capsule; the names must outlive it.
USED = {VERSIONED: b"used_dltensor_versioned", UNVERSIONED: b"used_dltensor"}


class OfTutti:
    """What from_dlpack() takes."""

    def __init__(self, dtype, versions):
        self.dtype = dtype.encode()
        self.versions = versions

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if self.versions and max_version is not None and max_version[0] >= 1:
            return python.PyCapsule_New(tutti.lend(self.dtype), VERSIONED, None)
        return python.PyCapsule_New(tutti.lend_unversioned(self.dtype), UNVERSIONED, None)


def read(capsule):
    name = python.PyCapsule_GetName(capsule)
    pointer = python.PyCapsule_GetPointer(capsule, name)
    python.PyCapsule_SetName(capsule, USED[name])
    out = (ctypes.c_double * 64)()
    function = tutti.read_versioned if name == VERSIONED else tutti.read_unversioned
    count = function(pointer, out)
    return None if count < 0 else list(out[:count])


DTYPES = {
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "f16": "float16", "f32": "float32", "f64": "float64",
}  # fmt: skip
checks = 0


def check(condition, what):
    global checks
    checks += 1
    assert condition, what


def check_numpy():
    expected = numpy.arange(6).reshape(2, 3)
    for own, name in DTYPES.items():
        for versions in (True, False):
            array = numpy.from_dlpack(OfTutti(own, versions))
            check(array.dtype == name and (array == expected).all(), f"{own} to NumPy")
            if versions:
                check(not array.flags.writeable, f"{own} is read-only in NumPy")
        array = expected.astype(name)
        for given in (array, array.T, array[:, ::-1], array[1:], array[:, 1], array[:0]):
            values = given.astype("float64").ravel().tolist()
            for version in ((1, 0), None):
                check(read(given.__dlpack__(max_version=version)) == values, f"{name} of NumPy")
    check(read(numpy.array([True, False]).__dlpack__()) == [1, 0], "bool of NumPy")
    check(read(numpy.array([1j]).__dlpack__()) is None, "complex is refused")


def check_torch():
    expected = torch.arange(6).reshape(2, 3)
    for own, name in (DTYPES | {"bf16": "bfloat16"}).items():
        if own in ("u16", "u32", "u64"):
            continue  # of which PyTorch has a part
        dtype = getattr(torch, name)
        for versions in (True, False):
            tensor = torch.from_dlpack(OfTutti(own, versions))
            check(tensor.dtype == dtype and (tensor == expected).all(), f"{own} to PyTorch")
        tensor = expected.to(dtype)
        for given in (tensor, tensor.T, tensor[1:], tensor[:, 1], tensor[:0]):
            values = given.double().reshape(-1).tolist()
            check(read(torch.utils.dlpack.to_dlpack(given)) == values, f"{name} of PyTorch")
            check(read(given.__dlpack__(max_version=(1, 0))) == values, f"{name} of PyTorch")


check_numpy()
print(f"NumPy {numpy.__version__}: {checks} checks passed")
if torch is not None:
    before = checks
    check_torch()
    print(f"PyTorch {torch.__version__}: {checks - before} checks passed")
gc.collect()
