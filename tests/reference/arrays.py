"""The dtypes of Tutti as PyTorch and NumPy have them.

Floating-point arrays are PyTorch tensors, integers and bool NumPy arrays: each library has what the
other lacks (bf16 and gradients; u16 to u64).
"""

import os

# The same bits on most machines: no code chosen by the processor, one thread.
os.environ.setdefault("ATEN_CPU_CAPABILITY", "default")
os.environ.setdefault("MKL_CBWR", "COMPATIBLE")

import numpy as np  # noqa: E402
import torch  # noqa: E402

torch.set_num_threads(1)

FLOATS = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16}
INTEGERS = {
    "i32": np.int32, "u8": np.uint8, "i64": np.int64, "u64": np.uint64,
    "i8": np.int8, "u16": np.uint16, "i16": np.int16, "u32": np.uint32,
}
BOOL = {"bool": np.bool_}
NUMBERS = FLOATS | INTEGERS
ANYTHING = NUMBERS | BOOL

# rtol, atol: the tolerances of the tests (tests/support/run_graph.cpp), for --check.
TOLERANCES = {"f16": (1e-3, 1e-5), "bf16": (1.6e-2, 1e-5), "f32": (1.3e-6, 1e-5), "f64": (1e-10, 1e-7)}


def dtype_of(array):
    """The name of an array's dtype, as in IR text."""
    for name, dtype in ANYTHING.items():
        if name in FLOATS:
            if isinstance(array, torch.Tensor) and array.dtype == dtype:
                return name
        elif isinstance(array, np.ndarray) and array.dtype == dtype:
            return name
    raise TypeError(f"no dtype of ours: {type(array)} of {array.dtype}")


def make(numbers, dtype, shape=None):
    """Numbers rounded to a dtype; integers wrap."""
    if dtype in FLOATS:
        out = torch.tensor(np.asarray(numbers, dtype=np.float64)).to(FLOATS[dtype])
    elif dtype == "bool":
        out = np.asarray(numbers).astype(np.bool_)
    else:
        bits = 8 * np.dtype(INTEGERS[dtype]).itemsize
        wrapped = [int(n) % 2**bits for n in np.asarray(numbers, dtype=object).ravel()]
        unsigned = np.array(wrapped, dtype=f"u{bits // 8}").reshape(np.shape(numbers))
        out = unsigned.view(INTEGERS[dtype]) if unsigned.ndim else unsigned.astype(INTEGERS[dtype])
    return out if shape is None else out.reshape(tuple(shape))


def raw(array):
    """The elements' bytes, little endian and row-major."""
    if isinstance(array, torch.Tensor):
        array = array.detach().contiguous()
        if array.dtype == torch.bfloat16:
            array = array.view(torch.int16)
        array = array.numpy()
    return np.ascontiguousarray(array).tobytes()


def from_raw(data, dtype, shape):
    """The array that raw() gave the bytes of."""
    if dtype == "bf16":
        bits = torch.from_numpy(np.frombuffer(data, np.int16).copy())
        return bits.view(torch.bfloat16).reshape(shape)
    if dtype in FLOATS:
        return torch.from_numpy(np.frombuffer(data, dtype.replace("f", "<f").replace(
            "16", "2").replace("32", "4").replace("64", "8")).copy()).reshape(shape)
    return np.frombuffer(data, ANYTHING[dtype]).copy().reshape(shape)


def numbers(array):
    """The elements as doubles or integers, flat."""
    if isinstance(array, torch.Tensor):
        return array.detach().double().numpy().ravel()
    return array.ravel()


# ---- What tests are made of: special values, and irregular numbers.

def float_corners(dtype):
    """NaN, infinities, zeros, the ends of the range, halves (ties of round), and numbers where
    exponentials of one dtype or another overflow."""
    info = torch.finfo(FLOATS[dtype])
    values = [0.0, info.max, info.tiny, info.smallest_normal * info.eps, info.eps, 1, 1 + info.eps,
              0.5, 1.5, 2.5, 2, 3, np.pi, 9, 12.5, 90, 710, 3e4, np.inf]
    return [np.nan] + [sign * v for v in values for sign in (1, -1)]


def few_float_corners(dtype):
    """For pairs."""
    info = torch.finfo(FLOATS[dtype])
    return [np.nan, np.inf, -np.inf, 0.0, -0.0, info.max, -info.max, info.tiny,
            info.smallest_normal * info.eps, 1, -1, 0.5, -2, 3, 1.5, -2.5]


def integer_corners(dtype):
    """The ends of the range, small numbers, and shifts around the width."""
    info = np.iinfo(INTEGERS[dtype])
    values = [info.min, info.min + 1, info.max // 2, info.max - 1, info.max, -1, -7, 0, 1, 2, 3,
              info.bits - 1, info.bits, info.bits + 1]
    return list(dict.fromkeys(v for v in values if info.min <= v <= info.max))


def corners(dtype):
    if dtype == "bool":
        return [False, True]
    return float_corners(dtype) if dtype in FLOATS else integer_corners(dtype)


def few_corners(dtype):
    return few_float_corners(dtype) if dtype in FLOATS else corners(dtype)


def draw(random, shape, dtype, low=-2.0, high=2.0):
    """Irregular numbers of [low, high]; of unsigned dtypes those that are not negative."""
    if dtype == "bool":
        return np.asarray(random.random(shape) < 0.4)
    if dtype in FLOATS:
        return make(random.uniform(low, high, shape), dtype)
    first = max(int(np.ceil(low)), 0) if dtype.startswith("u") else int(np.ceil(low))
    last = max(int(np.floor(high)), first)
    drawn = random.integers(first, last, shape, dtype=np.int64, endpoint=True)
    return np.asarray(drawn, dtype=INTEGERS[dtype])
