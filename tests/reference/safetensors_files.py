"""Writes a .safetensors file with Hugging Face's package, and has it read one of Tutti's.

  pip install numpy safetensors
  python3 safetensors_files.py            # writes data/safetensors/python.safetensors
  python3 safetensors_files.py --check    # reads data/safetensors/tutti.safetensors
"""

import pathlib
import sys

import numpy
import safetensors

FOLDER = pathlib.Path(__file__).parent / "data" / "safetensors"


# By name the elements, and the dtype's name where NumPy has none of that kind.
TENSORS = {
    "f32": (numpy.array([1, -2.5, 1e-30], "float32"), None),
    "i64": (numpy.array([-(2**63), 5], "int64"), None),
    "bool": (numpy.array([True, False, True]), None),
    "f16": (numpy.array([0.5, -65504], "float16"), None),
    "scalar": (numpy.array(3, "int32"), None),
    "none": (numpy.zeros((0, 2), "float32"), None),
    "matrix": (numpy.array([[1, 2, 3], [4, 5, 6]], "uint8"), None),
    "bf16": (numpy.array([0x3FC0, 0xC040], "uint16"), "bfloat16"),
    "f8_e4m3": (numpy.array([0x38, 0xFE], "uint8"), "float8_e4m3fn"),
    "f8_e5m2": (numpy.array([0x3C, 0xFB], "uint8"), "float8_e5m2"),
}


def write():
    specs = {
        name: safetensors.TensorSpec(
            dtype=dtype or str(values.dtype),
            shape=list(values.shape),
            data_ptr=values.ctypes.data,
            data_len=values.nbytes,
        )
        for name, (values, dtype) in TENSORS.items()
    }
    FOLDER.mkdir(parents=True, exist_ok=True)
    safetensors.serialize_file(specs, FOLDER / "python.safetensors", {"format": "pt"})


def check():
    with open(FOLDER / "tutti.safetensors", "rb") as file:
        read = dict(safetensors.deserialize(file.read()))
    values = {
        "matrix": numpy.array([[1, 2, 3], [4, 5, 6]], "float32"),
        "flags": numpy.array([True, False, True]),
        '"größe"': numpy.array([-1], "int64"),
        "none": numpy.zeros((0, 2), "float32"),
    }
    for name, expected in values.items():
        found = read.pop(name)
        assert list(expected.shape) == list(found["shape"]), name
        assert expected.tobytes() == bytes(found["data"]), name
    assert bytes(read.pop("bf16")["data"]) == bytes([0xC0, 0x3F, 0x40, 0xC0])
    assert not read, read
    with safetensors.safe_open(FOLDER / "tutti.safetensors", "numpy") as file:
        assert file.metadata() == {"format": "pt"}
        assert (file.get_tensor("matrix") == values["matrix"]).all()


check() if "--check" in sys.argv else write()
