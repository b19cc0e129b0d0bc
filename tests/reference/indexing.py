"""Matrix products, indexing by data, and one_hot."""

import math

import numpy as np
import torch

from arrays import ANYTHING, FLOATS, INTEGERS, NUMBERS, corners, draw, few_corners, make
from rows import Row, Use, differentiable

RANK8 = (1, 2, 1, 3, 1, 2, 1, 2)


def matmul_uses(dtype, random):
    for x, y in [((7, 5), (5, 3)), ((3, 17, 2), (2, 4)), ((2, 3, 4), (2, 4, 5)),
                 ((2, 1, 3, 4), (5, 4, 2)), ((1, 1), (1, 1)), ((0, 3), (3, 2)), ((2, 0), (0, 3)),
                 ((4, 2, 3), (3, 0)), (RANK8, (1, 2, 2, 1, 1, 2, 2, 3))]:
        yield Use(f"{list(x)} by {list(y)}", [draw(random, x, dtype), draw(random, y, dtype)])
    if dtype in FLOATS:
        yield Use("[9, 40] by [40, 17]", [draw(random, (9, 40), dtype),
                                            draw(random, (40, 17), dtype)])
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


def corner_indices(dtype):
    """Special numbers, indices of every integer dtype and the ends of these."""
    special = make(few_corners(dtype)[:7], dtype)
    for name, integer in INTEGERS.items():
        info = np.iinfo(integer)
        index = np.array([0, info.max, 1, info.min, 1, 0, 5], dtype=integer)
        yield f"corners by {name}", special, index


def take_uses(dtype, random):
    for name, special, index in corner_indices(dtype):
        yield Use(name, [special, index], {"axis": 0})
    for x, of, axis in TAKES:
        yield Use(f"{list(x)} by {list(of)} along {axis}",
                  [draw(random, x, dtype), indices(random, of)], {"axis": axis})


def clipped(index, size):
    last = min(max(size - 1, 0), np.iinfo(index.dtype).max)
    return np.clip(index, index.dtype.type(0), index.dtype.type(last)).astype(np.int64)


def take(x, index, axis):
    """Out of range: clamped, like NumPy's mode="clip"."""
    if not differentiable(x):
        return np.take(x, clipped(index, x.shape[axis]), axis=axis)
    flat = torch.from_numpy(clipped(index, x.shape[axis]).reshape(-1))
    taken = torch.index_select(x, axis, flat)
    return taken.reshape(x.shape[:axis] + index.shape + x.shape[axis + 1:])


def take_along_axis_uses(dtype, random):
    for name, special, index in corner_indices(dtype):
        yield Use(name, [special, index], {"axis": 0})
    yield Use("many of one place", [draw(random, (2, 3), dtype), np.full((2, 40), 1)], {"axis": 1})
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
    for name, special, index in corner_indices(dtype):
        yield Use(name, [special, index, draw(random, index.shape, dtype)], {"axis": 0})
    for x, of, axis in [*TAKES[:4], ((0, 2), (3,), 0), ((1,), (6,), 0), TAKES[-1]]:
        updates = x[:axis] + of + x[axis + 1:]
        yield Use(f"{list(x)} by {list(of)} along {axis}",
                  [draw(random, x, dtype), indices(random, of),
                   draw(random, updates, dtype)], {"axis": axis})


def scatter_add(x, index, updates, axis):
    """Out of range: dropped, which neither library has."""
    flat = index.reshape(-1)
    inside = np.flatnonzero((flat >= 0) & (flat < x.shape[axis]))
    places = flat[inside].astype(np.int64)
    updates = updates.reshape(x.shape[:axis] + flat.shape + x.shape[axis + 1:])
    if differentiable(x):
        chosen = torch.index_select(updates, axis, torch.from_numpy(inside))
        return torch.index_add(x, axis, torch.from_numpy(places), chosen)
    out = np.moveaxis(x.copy(), axis, 0)
    np.add.at(out, places, np.moveaxis(np.take(updates, inside, axis), axis, 0))
    return np.moveaxis(out, 0, axis)


# (shape of x, sizes of the part)
PARTS = [((7, 5), (3, 2)), ((3, 6, 2), (1, 4, 2)), ((), ()), ((9,), (9,)), ((9,), (1,)),
         ((7, 5), (0, 3)), ((0, 3), (0, 2)), ((2, 1, 3, 2, 1, 2, 2, 3), (1, 1, 2, 2, 1, 1, 2, 2))]


def corner_starts():
    """The ends of every integer dtype, and those that just fit."""
    for name, dtype in INTEGERS.items():
        info = np.iinfo(dtype)
        for first in (info.min, info.max):
            yield f"corners at {first} {name}", np.array([first, 1], dtype=dtype)
    for first in (-1, 2, 3, 4):
        yield f"corners at {first}", np.array([first, 1])


def part(x, sizes, starts):
    """The place of the part that begins at the starts, moved so that it fits."""
    firsts = [min(max(int(start), 0), n - size) for start, n, size in zip(starts, x.shape, sizes)]
    return tuple(slice(first, first + size) for first, size in zip(firsts, sizes))


def dynamic_slice(x, starts, sizes):
    return x[part(x, sizes, starts)]


def dynamic_slice_uses(dtype, random):
    special = make(few_corners(dtype)[:10], dtype)
    square = special.reshape(-1, 2)
    for name, starts in corner_starts():
        yield Use(name, [square, starts], {"sizes": [min(2, len(square)), 1]})
    for x, sizes in PARTS:
        yield Use(f"{list(sizes)} of {list(x)}",
                  [draw(random, x, dtype), indices(random, (len(x),))], {"sizes": list(sizes)})


def dynamic_update_slice(x, update, starts):
    out = x.clone() if differentiable(x) else x.copy()
    out[part(x, update.shape, starts)] = update
    return out


def dynamic_update_slice_uses(dtype, random):
    special = make(few_corners(dtype)[:10], dtype)
    square = special.reshape(-1, 2)
    for name, starts in corner_starts():
        yield Use(name, [square, draw(random, (min(2, len(square)), 1), dtype), starts])
    for x, sizes in PARTS:
        yield Use(f"{list(sizes)} of {list(x)}",
                  [draw(random, x, dtype), draw(random, sizes, dtype), indices(random, (len(x),))])


def one_hot_uses(dtype, random):
    for depth in (3, 300):
        yield Use(f"corners to {depth}", [make(corners(dtype), dtype)],
                  {"depth": depth, "dtype": "u8"})
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
        Row("take", ANYTHING, take_uses, take, take, gradient=True, once=True),
        Row("take_along_axis", ANYTHING, take_along_axis_uses, take_along_axis, take_along_axis,
            gradient=True),
        Row("scatter_add", NUMBERS, scatter_add_uses, scatter_add, scatter_add, gradient=True),
        Row("dynamic_slice", ANYTHING, dynamic_slice_uses, dynamic_slice, dynamic_slice,
            gradient=True),
        Row("dynamic_update_slice", ANYTHING, dynamic_update_slice_uses, dynamic_update_slice,
            dynamic_update_slice, gradient=True),
        Row("one_hot", list(INTEGERS), one_hot_uses, None, one_hot),
    ]
