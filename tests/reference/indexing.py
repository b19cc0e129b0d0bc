"""Matrix products, indexing by data, and one_hot."""

import math

import numpy as np
import torch

from arrays import ANYTHING, FLOATS, INTEGERS, NUMBERS, draw, make
from rows import Row, Use, differentiable

RANK8 = (1, 2, 1, 3, 1, 2, 1, 2)


def matmul_uses(dtype, random):
    for x, y in [((7, 5), (5, 3)), ((3, 17, 2), (2, 4)), ((2, 3, 4), (2, 4, 5)),
                 ((2, 1, 3, 4), (5, 4, 2)), ((1, 1), (1, 1)), ((0, 3), (3, 2)), ((2, 0), (0, 3)),
                 ((4, 2, 3), (3, 0)), (RANK8, (1, 2, 2, 1, 1, 2, 2, 3))]:
        yield Use(f"{list(x)} by {list(y)}", [draw(random, x, dtype), draw(random, y, dtype)])
    if dtype in FLOATS:
        yield Use("[9, 40] by [40, 17]", [draw(random, (9, 40), dtype), draw(random, (40, 17), dtype)])
        # In the last two a factor of 0 meets an infinity.
        special = make([[math.nan, 1], [math.inf, 1], [1, math.inf], [math.inf, -math.inf], [0, 1]],
                       dtype)
        yield Use("corners", [special, make([[1, 2], [3, 4]], dtype)], gradient=False)
    else:
        info = np.iinfo(INTEGERS[dtype])
        yield Use("corners", [make([[info.max, info.min], [2, info.max]], dtype),
                              make([[info.max, 2], [3, info.min]], dtype)])


# (shape of x, shape of the indices, axis); x has 5 to 7 elements along the axis.
TAKES = [((7, 5), (4,), 0), ((3, 6, 2), (2, 3), 1), ((7,), (), 0), ((7, 5), (0,), 1),
         ((0, 5), (2,), 1), ((1,), (3,), 0), ((1, 2, 1, 6, 1, 2), (2, 1, 2), 3)]


def indices(random, shape):
    """Some of them out of range on either side."""
    return np.asarray(random.integers(-2, 8, shape, dtype=np.int64, endpoint=True))


def take_uses(dtype, random):
    for x, of, axis in TAKES:
        yield Use(f"{list(x)} by {list(of)} along {axis}",
                  [draw(random, x, dtype), indices(random, of)], {"axis": axis})


def clipped(index, size):
    return np.clip(index, 0, max(size - 1, 0))


def take(x, index, axis):
    """Out of range: clamped, like NumPy's mode="clip"."""
    if not differentiable(x):
        return np.take(x, index, axis=axis, mode="clip")
    flat = torch.from_numpy(clipped(index, x.shape[axis]).reshape(-1))
    taken = torch.index_select(x, axis, flat)
    return taken.reshape(x.shape[:axis] + index.shape + x.shape[axis + 1:])


def take_along_axis_uses(dtype, random):
    for x, of, axis in [((7, 5), (7, 1), 1), ((3, 6, 2), (3, 4, 2), 1), ((7,), (9,), 0),
                        ((2, 3), (0, 3), 0), ((0, 3), (0, 1), 1),
                        ((1, 2, 1, 6, 1, 2), (1, 2, 1, 3, 1, 2), 3)]:
        yield Use(f"{list(x)} by {list(of)} along {axis}",
                  [draw(random, x, dtype), indices(random, of)], {"axis": axis})


def take_along_axis(x, index, axis):
    index = clipped(index, x.shape[axis])
    if differentiable(x):
        return torch.take_along_dim(x, torch.from_numpy(index), axis)
    return np.take_along_axis(x, index, axis)


def scatter_add_uses(dtype, random):
    for x, of, axis in [*TAKES[:4], ((0, 2), (3,), 0), ((1,), (6,), 0), TAKES[-1]]:
        updates = x[:axis] + of + x[axis + 1:]
        yield Use(f"{list(x)} by {list(of)} along {axis}",
                  [draw(random, x, dtype), indices(random, of),
                   draw(random, updates, dtype)], {"axis": axis})


def scatter_add(x, index, updates, axis):
    """Out of range: dropped, which neither library has."""
    flat = index.reshape(-1)
    inside = np.flatnonzero((flat >= 0) & (flat < x.shape[axis]))
    updates = updates.reshape(x.shape[:axis] + flat.shape + x.shape[axis + 1:])
    if differentiable(x):
        chosen = torch.index_select(updates, axis, torch.from_numpy(inside))
        return torch.index_add(x, axis, torch.from_numpy(flat[inside]), chosen)
    out = np.moveaxis(x.copy(), axis, 0)
    np.add.at(out, flat[inside], np.moveaxis(np.take(updates, inside, axis), axis, 0))
    return np.moveaxis(out, 0, axis)


def one_hot_uses(dtype, random):
    for shape, depth, to in [((7, 5), 6, "f32"), ((4,), 300, "bf16"), ((), 3, "i32"),
                             ((3,), 0, "f32"), ((0,), 4, "bool"), ((1, 2, 1, 3, 1, 2, 1), 4, "u8")]:
        yield Use(f"{list(shape)} to {depth} {to}", [draw(random, shape, dtype, -2, 8)],
                  {"depth": depth, "dtype": to})


def one_hot(x, depth, dtype):
    """Out of range: no 1."""
    hot = np.expand_dims(x.astype(np.int64), -1) == np.arange(depth)
    return make(hot, dtype) if dtype != "bool" else hot


def rows():
    return [
        Row("matmul", NUMBERS, matmul_uses, torch.matmul, np.matmul, gradient=True),
        Row("take", ANYTHING, take_uses, take, take, gradient=True),
        Row("take_along_axis", ANYTHING, take_along_axis_uses, take_along_axis, take_along_axis,
            gradient=True),
        Row("scatter_add", NUMBERS, scatter_add_uses, scatter_add, scatter_add, gradient=True),
        Row("one_hot", list(INTEGERS), one_hot_uses, None, one_hot),
    ]
