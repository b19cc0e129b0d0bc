"""The elementwise ops, casts, and what makes constants like an operand."""

from fractions import Fraction
from functools import partial
import itertools

import numpy as np
import torch

from arrays import (ANYTHING, BOOL, FLOATS, INTEGERS, NUMBERS, corners, draw, few_corners, make)
from rows import Row, Use, WithValue, differentiable

UNARY_SHAPES = [(), (7, 5), (2, 0, 3), (1, 2, 1, 3, 1, 1, 2, 2)]
BINARY_SHAPES = [((), ()), ((7, 5), (7, 5)), ((3, 5, 2), (5, 1)), ((), (4,)), ((2, 0, 3), (1, 3)),
                 ((2, 1, 1, 2, 1, 1, 2, 1), (1, 3, 1, 2, 1, 2, 1, 2))]
TERNARY_SHAPES = [((), (), ()), ((7, 5), (7, 5), (7, 5)), ((3, 5, 2), (5, 1), ()),
                  ((0,), (1,), ()), ((4, 1), (1, 3), (4, 3))]


def name_of(*shapes):
    return "x".join(str(list(shape)).replace(" ", "") for shape in shapes)


# ---- The uses.

def anything(*_numbers):
    return True


def no_nan(*numbers):
    """What a NaN leaves of the gradient of a piecewise function is nobody's contract: PyTorch's
    comparisons happen to fall on one side or the other."""
    return all(n == n for n in numbers)


def corner_uses(dtype, values, operands, smooth):
    """All combinations of special values; gradients of those for which `smooth` holds, if any."""
    special = make(values, dtype)
    yield Use("corners", [special.reshape([-1] + [1] * n) for n in reversed(range(operands))],
              gradient=False)
    if dtype in FLOATS and smooth:
        kept = [each for each in itertools.product(values, repeat=operands) if smooth(*each)]
        yield Use("corners with gradient", [make(column, dtype) for column in zip(*kept)])


def unary_uses(dtype, random, low=-3, high=3, smooth=anything):
    yield from corner_uses(dtype, corners(dtype), 1, smooth)
    for shape in UNARY_SHAPES:
        yield Use(name_of(shape), [draw(random, shape, dtype, low, high)])


def binary_uses(dtype, random, x=(-9, 9), y=(-9, 9), smooth=anything):
    yield from corner_uses(dtype, few_corners(dtype), 2, smooth)
    for shapes in BINARY_SHAPES:
        yield Use(name_of(*shapes), [draw(random, shapes[0], dtype, *x),
                                     draw(random, shapes[1], dtype, *y)])


def ternary_uses(dtype, random, x=(-9, 9), y=(-9, 9), z=(-9, 9), smooth=anything):
    few = few_corners(dtype)[:7] if dtype in FLOATS else few_corners(dtype)[::2]
    yield from corner_uses(dtype, few, 3, smooth)
    for shapes in TERNARY_SHAPES:
        yield Use(name_of(*shapes), [draw(random, shape, dtype, *bounds)
                                     for shape, bounds in zip(shapes, (x, y, z))])


def select_uses(dtype, random):
    special = make(few_corners(dtype), dtype)
    yield Use("corners", [np.array([True, False]).reshape(2, 1, 1), special.reshape(-1, 1), special])
    for shapes in TERNARY_SHAPES:
        yield Use(name_of(*shapes), [draw(random, shapes[0], "bool"),
                                     draw(random, shapes[1], dtype), draw(random, shapes[2], dtype)])


# ---- Where Tutti's contract is not the library's (ir/scalar.h).

def sign(x):
    # torch.sign(NaN) and torch.sign(-0) are 0; here both stay (StableHLO).
    return torch.where(x == x, torch.where(x == 0, x, torch.sign(x)), x).detach()


def ordered(function):
    """maximum and minimum with -0 below 0 (IEEE 754-2019); PyTorch's depend on the order."""
    def out(x, y):
        zero = x + y if function is torch.maximum else -(-x - y)
        result = function(x, y)
        return WithValue.apply(result, torch.where((x == 0) & (y == 0), zero, result).detach())
    return out


def relu(x):
    return torch.relu(x) + 0.0  # -0 gives 0: maximum(x, 0)


class Cbrt(torch.autograd.Function):
    """PyTorch has none: NumPy's, and 1 / (3 cbrt(x)^2) of the rounded result."""

    @staticmethod
    def forward(context, x):
        root = torch.from_numpy(np.asarray(np.cbrt(x.detach().double().numpy()))).to(x.dtype)
        context.save_for_backward(root)
        return root

    @staticmethod
    def backward(context, cotangent):
        root = context.saved_tensors[0].double()
        return (cotangent / (3 * root * root)).to(cotangent.dtype)


def exact_fma(x, y, z):
    """x * y + z rounded once, with fractions."""
    if not np.isfinite(x) or not np.isfinite(y):
        return x * y + z
    if not np.isfinite(z):
        return z
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if exact == 0:
        return x * y + z  # has the sign of the zero
    try:
        return float(exact)
    except OverflowError:
        return np.inf if exact > 0 else -np.inf


class Fma(torch.autograd.Function):
    @staticmethod
    def forward(context, x, y, z):
        context.save_for_backward(x, y)
        wide = torch.broadcast_tensors(x.double(), y.double(), z.double())
        out = [exact_fma(*each) for each in zip(*(t.flatten().tolist() for t in wide))]
        return make(out, "f64", wide[0].shape).to(x.dtype)

    @staticmethod
    def backward(context, g):
        x, y = context.saved_tensors
        return g * y, g * x, g


def fma(x, y, z):
    return Fma.apply(*torch.broadcast_tensors(x, y, z))


def integer_div(x, y):
    """Truncates; x / 0 is -1 (all bits set), MIN / -1 is MIN."""
    zero = y == 0
    least = (y == -1) if x.dtype.kind == "i" else np.zeros_like(y, bool)  # x / -1 is -x, which wraps
    divisor = np.where(zero | least, x.dtype.type(1), y)
    quotient = np.where(least, -x, (x - np.fmod(x, divisor)) // divisor)
    return np.where(zero, ~np.zeros_like(x), quotient).astype(x.dtype)


def integer_mod(x, y):
    """The dividend's sign, like C; x mod 0 is x, MIN mod -1 is 0."""
    harmless = (y == 0) | ((y == -1) if x.dtype.kind == "i" else False)
    rest = np.fmod(x, np.where(harmless, x.dtype.type(1), y))
    return np.where(y == 0, x, rest).astype(x.dtype)


def shift(function):
    """By the width or more, or by less than 0: 0, or the sign when shifting right."""
    def out(x, y):
        bits = 8 * x.dtype.itemsize
        far = (y >= bits) | ((y < 0) if y.dtype.kind == "i" else False)
        shifted = function(x, np.where(far, x.dtype.type(0), y))
        rest = x.dtype.type(0)
        if function is np.right_shift and x.dtype.kind == "i":
            rest = np.where(x < 0, x.dtype.type(-1), x.dtype.type(0))
        return np.where(far, rest, shifted).astype(x.dtype)
    return out


def integer_abs(x):
    return np.abs(x) if x.dtype.kind == "i" else x  # MIN stays


def integer_clamp(x, low, high):
    return np.minimum(np.maximum(x, low), high)


def clamp(x, low, high):
    """At a bound the gradient is all x's; torch.clamp shares it, and others give the bound all."""
    value = ordered(torch.minimum)(ordered(torch.maximum)(x, low), high).detach()
    below = torch.where(low > high, high, low)
    chosen = torch.where(x < low, below, torch.where(x > high, high, x))
    return WithValue.apply(chosen, value)


# ---- Conversions.

CAST_NUMBERS = [0, 1, -1, 3, 100, 127, 128, 255, 256, -128, -129, 32767, 32768, -32769, 65504, 65535,
                65536, 16777217, 2**31 - 1, 2**31, -2**31 - 1, 2**32, 2**53 + 1, 2**63 - 1, -2**63,
                2**64 - 1]
CAST_FRACTIONS = [0.5, -0.5, 1.5, -1.5, 2.5, 127.9, 255.5, -128.9, 1e-40, 2049.0, 4099.0, 65520.0,
                  1e19, -1e19, 1e30, -1e30, 1e39]


def cast_operand(dtype):
    if dtype == "bool":
        return make([True, False], dtype)
    if dtype in FLOATS:
        few = [n for n in CAST_NUMBERS if abs(n) < 2**62]
        return make(corners(dtype) + few + CAST_FRACTIONS, dtype)
    return make(CAST_NUMBERS, dtype)


def cast_uses(dtype, random):
    for to in ANYTHING:
        yield Use(f"to {to}", [cast_operand(dtype)], {"dtype": to})
    yield Use("empty", [make(np.zeros((0, 2)), dtype)], {"dtype": "f64"})
    yield Use("scalar", [draw(random, (), dtype)], {"dtype": "f32"})


def cast(x, dtype):
    """Floating point to integer truncates and saturates, NaN gives 0 (StableHLO); integers wrap;
    to bool: is not 0."""
    if dtype in FLOATS:
        if differentiable(x):
            return x.to(FLOATS[dtype])
        if dtype == "bf16":
            return torch.from_numpy(x.astype(np.float32)).to(torch.bfloat16)
        return torch.from_numpy(np.asarray(x.astype({"f16": "f2", "f32": "f4", "f64": "f8"}[dtype])))
    if dtype == "bool":
        return (x != 0).numpy() if differentiable(x) else x != 0
    if not differentiable(x):
        return x.astype(INTEGERS[dtype])
    info = np.iinfo(INTEGERS[dtype])
    out = []
    for number in x.detach().double().flatten().tolist():
        whole = 0 if np.isnan(number) else number
        whole = min(max(whole, float(info.min)), float(info.max))
        out.append(min(max(int(whole), info.min), info.max))
    return np.array(out, dtype=INTEGERS[dtype]).reshape(x.shape)


def bitcast_uses(dtype, random):
    same = {1: ["u8", "i8"], 2: ["u16", "i16", "f16", "bf16"], 4: ["u32", "i32", "f32"],
            8: ["u64", "i64", "f64"]}
    size = next(size for size, names in same.items() if dtype in names)
    operand = make([v for v in corners(dtype) if v == v], dtype)  # a NaN's bits are nobody's promise
    for to in same[size]:
        yield Use(f"to {to}", [operand], {"dtype": to})
    yield Use("scalar", [draw(random, (), dtype)], {"dtype": same[size][0]})


def bitcast(x, dtype):
    names = {"f16": np.float16, "f32": np.float32, "f64": np.float64} | INTEGERS
    if differentiable(x):
        x = x.detach().view({2: torch.int16, 4: torch.int32, 8: torch.int64}[x.element_size()]).numpy()
    if dtype == "bf16":
        return torch.from_numpy(x.view(np.int16).copy()).view(torch.bfloat16)
    out = x.view(names[dtype]).copy()
    return torch.from_numpy(out) if dtype in FLOATS else out


# ---- The table.

def unary(op, dtypes, function=None, like=None, once=False, **bounds):
    return Row(op, dtypes, partial(unary_uses, **bounds), function, like, gradient=True, once=once)


def binary(op, dtypes, function=None, like=None, once=False, **bounds):
    return Row(op, dtypes, partial(binary_uses, **bounds), function, like, gradient=True, once=once)


def truth(function):
    return lambda *operands: function(*operands).numpy()


def rows():
    f = torch.nn.functional
    out = [
        unary("neg", NUMBERS, torch.neg, np.negative),
        unary("abs", NUMBERS, torch.abs, integer_abs, smooth=no_nan),
        unary("sign", NUMBERS, sign, np.sign),
        unary("exp", FLOATS, torch.exp),
        unary("exp2", FLOATS, torch.exp2),
        unary("expm1", FLOATS, torch.expm1),
        unary("log", FLOATS, torch.log, low=0.2, high=4),
        unary("log2", FLOATS, torch.log2, once=True, low=0.2, high=4),
        unary("log1p", FLOATS, torch.log1p, low=-0.8, high=4),
        unary("sqrt", FLOATS, torch.sqrt, low=0.2, high=4),
        unary("rsqrt", FLOATS, torch.rsqrt, once=True, low=0.2, high=4),
        unary("cbrt", FLOATS, Cbrt.apply),
        unary("sin", FLOATS, torch.sin),
        unary("cos", FLOATS, torch.cos),
        unary("tan", FLOATS, torch.tan, low=-1.2, high=1.2),
        unary("tanh", FLOATS, torch.tanh),
        unary("sigmoid", FLOATS, torch.sigmoid),
        unary("erf", FLOATS, torch.erf, once=True),
        unary("floor", FLOATS, torch.floor),
        unary("ceil", FLOATS, torch.ceil),
        unary("round", FLOATS, torch.round),
        unary("logical_not", BOOL, None, np.logical_not),
        unary("bitwise_not", INTEGERS, None, np.bitwise_not),
        unary("is_nan", FLOATS, truth(torch.isnan), smooth=None),
        unary("is_finite", FLOATS, truth(torch.isfinite), smooth=None),
        unary("relu", NUMBERS, relu, lambda x: np.maximum(x, x.dtype.type(0)),
              smooth=no_nan),
        unary("silu", FLOATS, f.silu),
        unary("softplus", FLOATS, f.softplus),
        unary("zeros_like", NUMBERS, torch.zeros_like, np.zeros_like),
        unary("ones_like", NUMBERS, torch.ones_like, np.ones_like),

        binary("add", NUMBERS, torch.add, np.add),
        binary("sub", NUMBERS, torch.sub, np.subtract),
        binary("mul", NUMBERS, torch.mul, np.multiply),
        binary("div", NUMBERS, torch.div, integer_div, once=True, y=(1, 5)),
        binary("mod", NUMBERS, torch.fmod, integer_mod, once=True, y=(2, 4.5)),
        binary("pow", FLOATS, torch.pow, once=True, x=(0.3, 2.5), y=(-2, 2)),
        binary("maximum", NUMBERS, ordered(torch.maximum), np.maximum, smooth=no_nan),
        binary("minimum", NUMBERS, ordered(torch.minimum), np.minimum, smooth=no_nan),
        binary("atan2", FLOATS, torch.atan2, once=True),
        binary("logical_and", BOOL, None, np.logical_and),
        binary("logical_or", BOOL, None, np.logical_or),
        binary("logical_xor", BOOL, None, np.logical_xor),
        binary("bitwise_and", INTEGERS, None, np.bitwise_and),
        binary("bitwise_or", INTEGERS, None, np.bitwise_or),
        binary("bitwise_xor", INTEGERS, None, np.bitwise_xor),
        binary("shift_left", INTEGERS, None, shift(np.left_shift), x=(-100, 100), y=(0, 7)),
        binary("shift_right", INTEGERS, None, shift(np.right_shift), x=(-100, 100), y=(0, 7)),
        binary("eq", ANYTHING, truth(torch.eq), np.equal, x=(0, 3), y=(0, 3), smooth=None),
        binary("ne", ANYTHING, truth(torch.ne), np.not_equal, x=(0, 3), y=(0, 3), smooth=None),
        binary("lt", NUMBERS, truth(torch.lt), np.less, x=(0, 3), y=(0, 3), smooth=None),
        binary("le", NUMBERS, truth(torch.le), np.less_equal, x=(0, 3), y=(0, 3), smooth=None),
        binary("gt", NUMBERS, truth(torch.gt), np.greater, x=(0, 3), y=(0, 3), smooth=None),
        binary("ge", NUMBERS, truth(torch.ge), np.greater_equal, x=(0, 3), y=(0, 3), smooth=None),

        Row("select", ANYTHING, select_uses, lambda c, x, y: torch.where(torch.from_numpy(c), x, y),
            np.where, gradient=True),
        Row("clamp", NUMBERS, partial(ternary_uses, y=(-4, -1), z=(1, 4), smooth=no_nan), clamp,
            integer_clamp, gradient=True),
        Row("fma", NUMBERS, ternary_uses, fma, lambda x, y, z: x * y + z, gradient=True),

        Row("cast", ANYTHING, cast_uses, cast, cast, gradient=True),
        Row("bitcast", list(FLOATS) + list(INTEGERS), bitcast_uses, bitcast, bitcast),
    ]
    return out
