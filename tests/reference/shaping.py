"""Ops that put the operand's elements in other places, and iota."""

import numpy as np
import torch

from arrays import ANYTHING, FLOATS, INTEGERS, draw, few_corners, make
from rows import Row, Use, differentiable

RANK8 = (1, 2, 1, 3, 1, 2, 1, 2)


def uses(cases):
    """Cases are (shape of the operand, attributes)."""
    def out(dtype, random):
        for number, (shape, attributes) in enumerate(cases):
            yield Use(f"{number} {list(shape)}", [draw(random, shape, dtype)], dict(attributes))
    return out


def reshape(x, shape):
    return x.reshape(shape)


def transpose(x, permutation):
    return x.permute(permutation) if differentiable(x) else np.transpose(x, permutation)


def broadcast_to(x, shape):
    return (torch if differentiable(x) else np).broadcast_to(x, shape)


def expand_dims(x, axes):
    """`axes` are those of the result, increasing."""
    for axis in axes:
        x = x.unsqueeze(axis) if differentiable(x) else np.expand_dims(x, axis)
    return x


def squeeze(x, axes):
    return torch.squeeze(x, tuple(axes)) if differentiable(x) else np.squeeze(x, tuple(axes))


def slice_of(x, start, stop, step):
    return x[tuple(slice(*each) for each in zip(start, stop, step))]


def reverse(x, axes):
    return torch.flip(x, axes) if differentiable(x) else np.flip(x, axes)


def kept(x, *_others):
    return x.clone() if differentiable(x) else x


def kept_alone(x):
    return kept(x).detach() if differentiable(x) else x


def kept_uses(taken, cases):
    """Cases are lists of shapes; the user's function takes that many operands."""
    def out(dtype, random):
        special = make(few_corners(dtype), dtype)
        yield Use("corners", [special] * taken)
        for shapes in cases:
            yield Use(" after ".join(str(list(shape)) for shape in shapes),
                      [draw(random, shape, dtype) for shape in shapes],
                      ir_only=len(shapes) != taken)
    return out


def pad(x, value, low, high, interior):
    """`interior` elements go between neighbours (StableHLO); neither library has it."""
    sizes = [l + n + max(n - 1, 0) * i + h
             for l, n, i, h in zip(low, x.shape, interior, high)]
    places = tuple(slice(l, l + n + max(n - 1, 0) * i, i + 1)
                   for l, n, i in zip(low, x.shape, interior))
    if differentiable(x):
        out = value.expand(sizes).clone()
    else:
        out = np.broadcast_to(value, sizes).copy()
    out[places] = x
    return out


def pad_uses(dtype, random):
    cases = [((4, 3), [1, 0], [2, 3], [0, 0]), ((3, 4, 2), [0, 2, 1], [0, 0, 1], [0, 0, 0]),
             ((), [], [], []), ((0,), [2], [1], [0]), ((2, 0), [0, 1], [1, 1], [0, 0]),
             (RANK8, [0, 0, 1, 0] * 2, [1, 0, 0, 0] * 2, [0] * 8),
             ((4, 3), [1, 0], [0, 2], [2, 1]), ((5,), [0], [0], [3]), ((0,), [1], [1], [2])]
    for shape, low, high, interior in cases:
        yield Use(f"{list(shape)} by {low} {high} {interior}",
                  [draw(random, shape, dtype), draw(random, (), dtype)],
                  {"low": low, "high": high, "interior": interior},
                  ir_only=any(interior))  # the user function has no interior


def concat(*parts, axis):
    return torch.cat(parts, axis) if differentiable(parts[0]) else np.concatenate(parts, axis)


def concat_uses(dtype, random):
    for axis, *shapes in [(1, (7, 5), (7, 2)), (0, (3, 4, 2), (1, 4, 2), (5, 4, 2)), (0, (4,)),
                          (0, (0,), (3,)), (1, (2, 1, 3), (2, 0, 3), (2, 4, 3)), (7, RANK8, RANK8)]:
        yield Use(f"{[list(s) for s in shapes]} along {axis}",
                  [draw(random, shape, dtype) for shape in shapes], {"axis": axis})


def iota_uses(dtype, _random):
    for shape, axis in [((7, 5), 1), ((3, 17, 2), 1), ((3, 17, 2), 0), ((300,), 0), ((0,), 0),
                        (RANK8, 3)]:
        yield Use(f"{list(shape)} along {axis}", [],
                  {"dtype": dtype, "shape": list(shape), "axis": axis})


def iota(dtype, shape, axis):
    sizes = [shape[d] if d == axis else 1 for d in range(len(shape))]
    counted = np.broadcast_to(np.arange(shape[axis]).reshape(sizes), shape)
    return make(counted, dtype)


def rows():
    def row(op, function, cases):
        return Row(op, ANYTHING, uses(cases), function, function, gradient=True)

    return [
        row("reshape", reshape, [
            ((7, 5), {"shape": [35]}), ((3, 17, 2), {"shape": [17, 6]}), ((), {"shape": [1, 1]}),
            ((1, 1), {"shape": []}), ((2, 0, 3), {"shape": [0]}), ((4, 6), {"shape": [2, 2, 3, 2]}),
            (RANK8, {"shape": [24]}), ((24,), {"shape": list(RANK8)})]),
        row("transpose", transpose, [
            ((7, 5), {"permutation": [1, 0]}), ((3, 17, 2), {"permutation": [2, 0, 1]}),
            ((), {"permutation": []}), ((2, 0, 3), {"permutation": [1, 0, 2]}),
            ((9, 20), {"permutation": [1, 0]}),
            (RANK8, {"permutation": [7, 3, 5, 1, 0, 2, 4, 6]})]),
        row("broadcast_to", broadcast_to, [
            ((5,), {"shape": [7, 5]}), ((3, 1, 2), {"shape": [3, 17, 2]}), ((), {"shape": [2, 3]}),
            ((1,), {"shape": [0]}), ((2, 1), {"shape": [3, 2, 4]}),
            ((3, 1, 2), {"shape": [2, 1, 2, 1, 1, 3, 2, 2]})]),
        row("expand_dims", expand_dims, [
            ((7, 5), {"axes": [1]}), ((), {"axes": [0, 1]}), ((3, 17), {"axes": [0, 3]}),
            ((0,), {"axes": [1]}), ((2, 3), {"axes": [0, 2, 3, 5, 6, 7]})]),
        row("squeeze", squeeze, [
            ((7, 1, 5), {"axes": [1]}), ((1, 1), {"axes": [0, 1]}), ((1, 3, 1), {"axes": [2]}),
            ((1, 0), {"axes": [0]}), (RANK8, {"axes": [0, 2, 4, 6]})]),
        row("slice", slice_of, [
            ((7, 5), {"start": [1, 0], "stop": [6, 5], "step": [2, 1]}),
            ((3, 17, 2), {"start": [0, 3, 1], "stop": [3, 17, 2], "step": [1, 5, 1]}),
            ((), {"start": [], "stop": [], "step": []}),
            ((5,), {"start": [2], "stop": [2], "step": [1]}),
            ((9,), {"start": [0], "stop": [9], "step": [4]}),
            ((0, 4), {"start": [0, 1], "stop": [0, 3], "step": [1, 1]}),
            (RANK8, {"start": [0, 1] * 4, "stop": [1, 2] * 4, "step": [1] * 8})]),
        row("reverse", reverse, [
            ((7, 5), {"axes": [0]}), ((3, 17, 2), {"axes": [1, 2]}), ((3,), {"axes": []}),
            ((2, 0), {"axes": [0, 1]}), (RANK8, {"axes": [1, 3, 5, 7]})]),
        row("identity", lambda x: x.clone() if differentiable(x) else x,
            [((7, 5), {}), ((), {}), ((0,), {}), (RANK8, {})]),
        Row("stop_gradient", ANYTHING, kept_uses(1, [[(7, 5)], [()], [(0,)], [RANK8]]), kept_alone,
            kept_alone, gradient=True),
        Row("optimization_barrier", ANYTHING,
            kept_uses(2, [[(7, 5), (3,)], [(3, 17, 2), ()], [(), (2, 2)], [(0,), (0,)], [(4,)],
                          [RANK8, (2,), (0, 3)]]), kept, kept, gradient=True),
        Row("pad", ANYTHING, pad_uses, pad, pad, gradient=True),
        Row("concat", ANYTHING, concat_uses, concat, concat, gradient=True),
        Row("iota", list(FLOATS) + list(INTEGERS), iota_uses, iota, iota),
    ]
