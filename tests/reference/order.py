"""Sorting and running reductions."""

import numpy as np
import torch

from arrays import FLOATS, NUMBERS, corners, draw, few_corners, make
from reductions import special_rows
from rows import Row, Use, WithValue, composite, differentiable, widely

RANK8 = (1, 2, 1, 3, 1, 2, 1, 2)
SHAPES = [((7, 5), 1), ((7, 5), 0), ((3, 17, 2), 1), ((1,), 0), ((0, 3), 1), ((0, 3), 0),
          ((3, 0, 2), 1), ((2, 70), 1), (RANK8, 3)]


def ties(random, shape, dtype):
    """Numbers among which many are equal."""
    least = 0 if dtype.startswith("u") else -4
    few = random.integers(least, 4, shape, endpoint=True)
    return make(few / 2 if dtype in FLOATS else few, dtype)


def specials(dtype):
    """All special values, twice and out of order: stability shows."""
    special = corners(dtype)
    return make(special + special[::-1] + few_corners(dtype), dtype)


def sort(x, axis, descending):
    """Stable in both directions; NaN is the largest, -0 equals 0."""
    if differentiable(x):
        values, indices = torch.sort(x, dim=axis, descending=descending, stable=True)
        return values, indices.numpy()
    # NumPy only ascends: what stands last comes first, from the end.
    turned = np.flip(x, axis) if descending else x
    order = np.argsort(turned, axis, kind="stable")
    if descending:
        order = np.flip(x.shape[axis] - 1 - order, axis)
    return np.take_along_axis(x, order, axis), order


def sort_uses(dtype, random):
    for descending in (False, True):
        way = " descending" if descending else ""
        for name, x, axis in [("corners", specials(dtype), 0),
                              ("corners in rows", special_rows(dtype), 1),
                              ("corners in columns", special_rows(dtype), 0)]:
            yield Use(name + way, [x], {"axis": axis, "descending": descending})
        for shape, axis in SHAPES:
            yield Use(f"{list(shape)} along {axis}{way}", [ties(random, shape, dtype)],
                      {"axis": axis, "descending": descending})
        if dtype in ("f32", "u8"):  # long rows are sorted in another way
            yield Use(f"[1100] along 0{way}", [ties(random, (1100,), dtype)],
                      {"axis": 0, "descending": descending})


def topk(x, k, axis, largest):
    """The first k of the sorted elements. torch.topk leaves open which of equal ones it takes."""
    values, indices = sort(x, axis, largest)
    first = (slice(None),) * axis + (slice(k),)
    return values[first], indices[first]


def topk_uses(dtype, random):
    for largest in (True, False):
        which = "largest" if largest else "smallest"
        for k in (1, 7):
            yield Use(f"corners {k} {which}", [specials(dtype)],
                      {"k": k, "axis": 0, "largest": largest})
        for k in (1, 3):
            yield Use(f"corners in rows {k} {which}", [special_rows(dtype)],
                      {"k": k, "axis": 1, "largest": largest})
        for shape, axis in SHAPES:
            k = (shape[axis] + 1) // 2
            yield Use(f"{list(shape)} along {axis} {k} {which}", [ties(random, shape, dtype)],
                      {"k": k, "axis": axis, "largest": largest})
        for k in (0, 5):
            yield Use(f"[4,5] along 1 {k} {which}", [ties(random, (4, 5), dtype)],
                      {"k": k, "axis": 1, "largest": largest})


def cumsum(x, axis, reverse):
    """The first sum is the first element: PyTorch's is 0 plus it, which loses the sign of -0."""
    if differentiable(x):
        turned = torch.flip(x, [axis]) if reverse else x
        sums = torch.cumsum(turned, axis)
        value = torch.from_numpy(np.cumsum(turned.detach().numpy(), axis))
        sums = WithValue.apply(sums, value)
        return torch.flip(sums, [axis]) if reverse else sums
    turned = np.flip(x, axis) if reverse else x
    sums = np.cumsum(turned, axis, dtype=x.dtype)
    return np.flip(sums, axis) if reverse else sums


def cumsum_uses(dtype, random):
    for reverse in (False, True):
        way = " reversed" if reverse else ""
        rows = special_rows(dtype)
        yield Use("corners" + way, [rows], {"axis": 1, "reverse": reverse})
        yield Use("corners in columns" + way, [rows.T], {"axis": 0, "reverse": reverse})
        zeros = make([[-0.0, -0.0, 0.0, -0.0], [-0.0] * 4, [0.0, -0.0, 1, -1]], dtype)
        if dtype in FLOATS:
            yield Use("corners zeros" + way, [zeros], {"axis": 1, "reverse": reverse})
        for shape, axis in SHAPES:
            yield Use(f"{list(shape)} along {axis}{way}", [draw(random, shape, dtype)],
                      {"axis": axis, "reverse": reverse})
        if dtype in FLOATS:
            yield Use(f"[2,300] along 1{way}", [draw(random, (2, 300), dtype)],
                      {"axis": 1, "reverse": reverse})
    if dtype in ("f16", "bf16"):
        # Ones that a sum in 16 bits would lose.
        yield Use("small after large", [make([2048] + [1] * 40, dtype)],
                  {"axis": 0, "reverse": False})


def running(call, accumulate):
    """A running reduction by a function of PyTorch's for floats, and of NumPy's for integers."""
    def of(x, axis, reverse):
        if differentiable(x):
            turned = torch.flip(x, [axis]) if reverse else x
            out = call(turned, axis)
            return torch.flip(out, [axis]) if reverse else out
        turned = np.flip(x, axis) if reverse else x
        out = accumulate(turned, axis, dtype=x.dtype)
        return np.flip(out, axis) if reverse else out
    return of


CUMPROD = running(torch.cumprod, np.multiply.accumulate)
CUMMAX = running(lambda x, axis: torch.cummax(x, axis).values, np.maximum.accumulate)
CUMMIN = running(lambda x, axis: torch.cummin(x, axis).values, np.minimum.accumulate)


def cumprod_uses(dtype, random):
    for reverse in (False, True):
        way = " reversed" if reverse else ""
        attributes = {"axis": 1, "reverse": reverse}
        yield Use("corners" + way, [special_rows(dtype)], attributes, gradient=False)
        if dtype in FLOATS:
            zeros = make([[0, 2, 3, 4], [5, -0.0, 3, 1], [0, 2, 0, 4], [0] * 4], dtype)
            yield Use("corners with zeros" + way, [zeros], attributes)
        for shape, axis in SHAPES:
            yield Use(f"{list(shape)} along {axis}{way}", [draw(random, shape, dtype, 0.5, 1.5)],
                      {"axis": axis, "reverse": reverse})


def extreme_uses(dtype, random):
    for reverse in (False, True):
        way = " reversed" if reverse else ""
        rows = special_rows(dtype)
        yield Use("corners" + way, [rows], {"axis": 1, "reverse": reverse})
        yield Use("corners in columns" + way, [rows.T], {"axis": 0, "reverse": reverse})
        for shape, axis in SHAPES:
            yield Use(f"{list(shape)} along {axis}{way}", [ties(random, shape, dtype)],
                      {"axis": axis, "reverse": reverse})
        yield Use(f"[2,300] along 1{way}", [draw(random, (2, 300), dtype)],
                  {"axis": 1, "reverse": reverse})


def rows():
    return [
        Row("sort", NUMBERS, sort_uses, sort, sort, gradient=True),
        Row("topk", NUMBERS, topk_uses, topk, topk, gradient=True),
        Row("cumsum", NUMBERS, cumsum_uses, widely(cumsum), cumsum, gradient=True),
        Row("cumprod", NUMBERS, cumprod_uses, composite(CUMPROD), CUMPROD, gradient=True),
        Row("cummax", NUMBERS, extreme_uses, CUMMAX, CUMMAX, gradient=True),
        Row("cummin", NUMBERS, extreme_uses, CUMMIN, CUMMIN, gradient=True),
    ]
