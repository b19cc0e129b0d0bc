"""Writes down the structs by which Python's packages hand out tensors over DLPack, byte for byte.

  pip install numpy jax torch
  python3 dlpack_structs.py [numpy] [jax] [torch]    # writes data/dlpack_structs.jsonl

What is not named keeps its lines. A line for each: who made it, the dtype and shape that it stands for, its elements in row-major
order, the memory that it points to, and the struct (DLManagedTensorVersioned, or DLManagedTensor of
those that know no versions) with the addresses in it replaced by 0, but for those that were null.
"""

import ctypes
import json
import pathlib
import sys

import numpy

OUT = pathlib.Path(__file__).parent / "data" / "dlpack_structs.jsonl"

pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype = ctypes.c_void_p
pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
name_of = ctypes.pythonapi.PyCapsule_GetName
name_of.restype = ctypes.c_char_p
name_of.argtypes = [ctypes.py_object]

# Where the tensor begins in the struct, and how long that is; then where its fields lie.
LAYOUTS = {b"dltensor_versioned": (32, 80), b"dltensor": (0, 64)}
DATA, RANK, SHAPE, STRIDES, OFFSET = 0, 16, 24, 32, 40


def word(at, bytes_of=8):
    return int.from_bytes(ctypes.string_at(at, bytes_of), "little")


def describe(by, dtype, array, values, **options):
    capsule = array.__dlpack__(**options)
    name = name_of(capsule)
    begin, size = LAYOUTS[name]
    struct = pointer_of(capsule, name)
    tensor = struct + begin
    rank = word(tensor + RANK, 4)
    elements = numpy.asarray(values)
    lists = {}
    for key, place in (("shape", SHAPE), ("strides", STRIDES)):
        address = word(tensor + place)
        lists[key] = [
            int.from_bytes(ctypes.string_at(address + 8 * i, 8), "little", signed=True)
            for i in range(rank if address else 0)
        ]
    # From the lowest to the highest element that the strides reach.
    reach = [0, 0]
    for count, step in zip(lists["shape"], lists["strides"]):
        reach[step >= 0] += (count - 1) * step if count else 0
    if not lists["strides"]:
        reach[1] = elements.size - 1
    item = elements.dtype.itemsize
    first = word(tensor + DATA) + word(tensor + OFFSET) + reach[0] * item
    memory = ctypes.string_at(first, (reach[1] - reach[0] + 1) * item) if elements.size else b""
    raw = bytearray(ctypes.string_at(struct, size))
    addresses = [begin + DATA, begin + SHAPE, begin + STRIDES]
    addresses += [8, 16] if begin else [48, 56]  # owner, deleter
    null = [word(struct + at) == 0 for at in addresses]
    for at in addresses:
        raw[at : at + 8] = bytes(8)
    return {
        "by": by,
        "versioned": begin != 0,
        "dtype": dtype,
        "values": elements.tobytes().hex(),
        "memory": memory.hex(),
        "first": -reach[0],
        "struct": raw.hex(),
        "strides_null": null[2],
        **lists,
    }


def numpy_cases():
    by = "numpy " + numpy.__version__
    names = {
        "bool": "bool", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
        "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
        "float16": "f16", "float32": "f32", "float64": "f64",
    }  # fmt: skip
    for kind, dtype in names.items():
        array = (numpy.arange(6) % 5).astype(kind).reshape(2, 3)
        for options in ({"max_version": (1, 0)}, {}):
            yield describe(by, dtype, array, array, **options)
    base = numpy.arange(24, dtype="float32").reshape(2, 3, 4)
    for array in (base.T, base[:, 1:, ::2], base[::-1, :, 2:], base[0, 0, 0:1], base[1:1],
                  numpy.float32(3) + numpy.zeros((), "float32")):  # fmt: skip
        array = numpy.asarray(array)
        yield describe(by, "f32", array, numpy.ascontiguousarray(array).reshape(array.shape),
                       max_version=(1, 0))  # fmt: skip


def jax_cases():
    import jax
    import jax.numpy as jnp

    by = "jax " + jax.__version__
    for dtype, kind in (("f32", jnp.float32), ("bf16", jnp.bfloat16), ("f16", jnp.float16),
                        ("i32", jnp.int32), ("bool", jnp.bool_),
                        ("f8_e4m3fn", jnp.float8_e4m3fn), ("f8_e5m2", jnp.float8_e5m2)):  # fmt: skip
        array = (jnp.arange(6) % 5).astype(kind).reshape(2, 3)
        try:
            yield describe(by, dtype, array, array)
        except Exception as error:  # some kinds it does not hand out
            print(f"{by} {dtype}: {error}")


def torch_cases():
    import torch

    by = "torch " + torch.__version__.split("+")[0]
    names = {
        torch.bool: "bool", torch.int8: "i8", torch.int16: "i16", torch.int32: "i32",
        torch.int64: "i64", torch.uint8: "u8", torch.uint16: "u16", torch.uint32: "u32",
        torch.uint64: "u64", torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32",
        torch.float64: "f64", torch.float8_e4m3fn: "f8_e4m3fn", torch.float8_e5m2: "f8_e5m2",
    }  # fmt: skip

    def elements(tensor):  # numpy has not all of its dtypes
        plain = tensor.contiguous()
        raw = ctypes.string_at(plain.data_ptr(), plain.numel() * plain.element_size())
        kind = {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64"}[plain.element_size()]
        return numpy.frombuffer(raw, kind)

    for kind, dtype in names.items():
        tensor = (torch.arange(6) % 5).to(kind).reshape(2, 3)
        for options in ({"max_version": (1, 0)}, {}):
            yield describe(by, dtype, tensor, elements(tensor), **options)
    base = torch.arange(24, dtype=torch.float32).reshape(2, 3, 4)
    for tensor in (base.permute(2, 1, 0), base[:, 1:, ::2], base[1], base[0, 0, 0:1], base[1:1],
                   base.expand(2, 2, 3, 4)[:, :, 0], torch.tensor(3.0)):  # fmt: skip
        yield describe(by, "f32", tensor, elements(tensor), max_version=(1, 0))


PACKAGES = {"numpy": numpy_cases, "jax": jax_cases, "torch": torch_cases}

if __name__ == "__main__":
    wanted = sys.argv[1:] or list(PACKAGES)
    old = OUT.read_text().splitlines() if OUT.exists() else []
    lines = []
    for package, cases in PACKAGES.items():
        kept = [line for line in old if json.loads(line)["by"].startswith(package + " ")]
        lines += [json.dumps(case) for case in cases()] if package in wanted else kept
    OUT.write_text("".join(line + "\n" for line in lines))
    print(len(lines), "structs")
