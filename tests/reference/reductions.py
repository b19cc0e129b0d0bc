"""Reductions, and the composites that reduce."""

import math

import numpy as np
import torch

from arrays import BOOL, FLOATS, INTEGERS, NUMBERS, draw, make
from rows import Row, Use, WithValue, composite, widely

RANK8 = (1, 2, 1, 3, 1, 2, 1, 2)


def special_rows(dtype):
    """Rows of four: what NaN, infinities, zeros, overflow, wrapping and ties do."""
    if dtype in FLOATS:
        inf, nan = math.inf, math.nan
        most = torch.finfo(FLOATS[dtype]).max
        rows = [[nan, 1, 2, 3], [1, 2, nan, nan], [inf, 1, -1, 0], [-inf, 1, 2, 3],
                [inf, -inf, 0, 1], [inf, inf, 1, 2], [-inf] * 4, [-0.0] * 4, [0.0] * 4,
                [most, most, 1, 1], [-most, -most, 1, 1], [2, 2, 1, 2],
                [nan, inf, -inf, 0], [-1, -1, -2, -3]]
        return make(rows, dtype)
    info = np.iinfo(draw(np.random.default_rng(0), (), dtype).dtype)
    rows = [[info.min, info.max, 0, 1], [info.max, 1, 0, 0], [info.min, -1, 0, 0], [info.max] * 4,
            [info.min] * 4, [2, 2, 1, 2], [info.max, 2, 1, 1], [info.min, 3, 1, 1], [0, 0, 5, 5]]
    return make(rows, dtype)


SHAPES = [((7, 5), [1], False), ((7, 5), [0], True), ((3, 17, 2), [1], False),
          ((3, 17, 2), [0, 2], True), ((3, 17, 2), [0, 1, 2], False), ((), [], False),
          ((4,), [], True), ((5, 1), [1], True), ((0, 3), [1], False), ((2, 33), [1], False),
          (RANK8, [1, 2, 7], False), (RANK8, [3], True)]
OF_NOTHING = [((0, 3), [0], False), ((2, 0), [1], True), ((0,), [0], False)]


def uses(low, high, shapes, corner_gradient):
    def out(dtype, random):
        if dtype != "bool":
            yield Use("corners", [special_rows(dtype)], {"axes": [1], "keepdims": False},
                      gradient=corner_gradient)
        for shape, axes, keepdims in shapes:
            yield Use(f"{list(shape)} over {axes}{' kept' if keepdims else ''}",
                      [draw(random, shape, dtype, low, high)], {"axes": axes, "keepdims": keepdims})
    return out


def unless_nothing(function):
    """PyTorch takes no axes for all axes."""
    return lambda x, axes, keepdims: function(x, tuple(axes), keepdims) if axes else x.clone()


def prod(x, axes, keepdims):
    """PyTorch's takes one axis."""
    for axis in reversed(axes):
        x = torch.prod(x, axis, keepdim=keepdims)
    return x.clone()


def prod_by_others(x, axes, keepdims):
    """Over one axis. An element's gradient is the product of the others; PyTorch's divides by the
    element, and gives NaN where that is NaN or infinite."""
    axis, = axes
    elements = x.unbind(axis)
    others = [torch.stack(elements[:i] + elements[i + 1:]).prod(0) for i in range(len(elements))]
    linear = (x * torch.stack(others, axis).detach()).sum(axis, keepdim=keepdims)
    return WithValue.apply(linear, prod(x, axes, keepdims).detach())


def wrapping(function):
    return lambda x, axes, keepdims: function(x, axis=tuple(axes), keepdims=keepdims, dtype=x.dtype)


def along(function):
    return lambda x, axes, keepdims: function(x, axis=tuple(axes), keepdims=keepdims)


def prod_corners(dtype, _random):
    yield Use("corners with gradient", [special_rows(dtype)], {"axes": [1], "keepdims": False})
    zeros = make([[0, 2, 3, 4], [5, -0.0, 3, 1], [0, 2, 0, 4], [0] * 4], dtype)
    yield Use("corners with zeros", [zeros], {"axes": [1], "keepdims": False})


def arg_uses(dtype, random):
    yield Use("corners", [special_rows(dtype)], {"axis": 1, "keepdims": False})
    for shape, axis, keepdims in [((7, 5), 1, False), ((3, 17, 2), 1, True), ((7, 5), 0, False),
                                  ((1,), 0, False), ((0, 3), 1, False), ((2, 300), 1, False),
                                  (RANK8, 3, True)]:
        yield Use(f"{list(shape)} over {axis}{' kept' if keepdims else ''}",
                  [draw(random, shape, dtype, 0, 5)], {"axis": axis, "keepdims": keepdims})


def row_uses(corner_gradient=True):
    """Of softmax and its kin."""
    def out(dtype, random):
        yield Use("corners", [special_rows(dtype)], {"axis": 1}, gradient=corner_gradient)
        for shape, axis in [((7, 5), 1), ((3, 17, 2), 1), ((3, 17, 2), 0), ((1,), 0), ((0, 3), 1),
                            ((3, 0), 1), ((2, 300), 1), (RANK8, 3)]:
            yield Use(f"{list(shape)} along {axis}", [draw(random, shape, dtype, -4, 4)],
                      {"axis": axis})
        yield Use("large", [make([[1000, 999, -1000], [-3e4, 0, 3e4]], dtype)], {"axis": 1})
    return out


def layer_norm_uses(dtype, random):
    few = make([1, 1, 1, 1], dtype)
    yield Use("corners", [special_rows(dtype)[:9], few, few], {"epsilon": 1e-5}, gradient=False)
    for shape, epsilon in [((7, 5), 1e-5), ((3, 4, 17), 1e-3), ((6,), 1e-5), ((0, 3), 1e-5),
                           ((2, 300), 1e-5), ((1, 2, 1, 3, 1, 1, 1, 6), 1e-5)]:
        row = shape[-1:]
        yield Use(f"{list(shape)} {epsilon}", [draw(random, s, dtype) for s in (shape, row, row)],
                  {"epsilon": epsilon})
    yield Use("[2,0]", [make(np.zeros(s), dtype) for s in ((2, 0), (0,), (0,))], {"epsilon": 1e-5})
    one = make([1, 1, 1], dtype)
    yield Use("equal numbers", [make([[2, 2, 2], [0, 0, 0]], dtype), one, one], {"epsilon": 1e-5})


def finite_rows(dtype):
    """Rows of equal numbers, of zeros, of tiny and of large ones."""
    tiny = torch.finfo(FLOATS[dtype]).tiny
    return make([[2, 2, 2], [0, 0, 0], [-0.0, 0, -0.0], [tiny, -tiny, 0], [3e4, -3e4, 1],
                 [0, 0, -5]], dtype)


def rms_norm_uses(dtype, random):
    one = make([1, 1, 1, 1], dtype)
    # In f32 and bf16 the squares of the largest numbers overflow: such a row is zeros.
    yield Use("corners", [special_rows(dtype), one], gradient=False)
    yield Use("corners with gradient", [finite_rows(dtype), make([1, -2, 0], dtype)])
    for shape, epsilon in [((7, 5), 1e-6), ((3, 4, 17), 1e-3), ((6,), 0.0), ((0, 3), 1e-6),
                           ((2, 0), 1e-6), ((5, 1), 1e-6), ((2, 300), 1e-6),
                           ((1, 2, 1, 3, 1, 1, 1, 6), 1e-5)]:
        yield Use(f"{list(shape)} {epsilon}",
                  [draw(random, s, dtype) for s in (shape, shape[-1:])], {"epsilon": epsilon})


def rms_norm(x, scale, epsilon=1e-6):
    return torch.nn.functional.rms_norm(x, x.shape[-1:], scale, epsilon)


def cross_entropy_uses(dtype, random):
    special = special_rows(dtype)
    for label in range(4):
        labels = np.full(len(special), label)
        yield Use(f"corners of label {label}", [special, labels])
    for name, integer in INTEGERS.items():
        info = np.iinfo(integer)
        labels = np.array([info.min, info.max, 0, 3, 4], dtype=integer)
        yield Use(f"corners by {name}", [draw(random, (5, 4), dtype, -4, 4), labels])
    yield Use("corners large", [make([[1000, 999, -1000], [-3e4, 0, 3e4]] * 2, dtype),
                                np.array([0, 1, 2, 2])])
    for shape in [(7, 5), (3, 4, 17), (6,), (5, 1), (0, 3), (0, 0), (2, 300),
                  (1, 2, 1, 3, 1, 1, 1, 6)]:
        labels = np.asarray(random.integers(-1, shape[-1], shape[:-1], endpoint=True))
        yield Use(f"{list(shape)}", [draw(random, shape, dtype, -4, 4), labels])


def cross_entropy(logits, labels):
    """Labels out of range are clamped; a loss of 0 has no sign."""
    classes = logits.shape[-1]
    inside = [min(max(int(label), 0), classes - 1) for label in labels.flat]
    loss = torch.nn.functional.cross_entropy(
        logits.reshape(labels.size, classes), torch.tensor(inside, dtype=torch.int64),
        reduction="none")
    return loss.reshape(labels.shape) + 0.0


def layer_norm(x, scale, shift, epsilon):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], scale, shift, epsilon)


def gelu_uses(dtype, random):
    special = make([0.0, -0.0, 1, -1, 12, -12, 700, -700, math.inf, math.nan], dtype)
    for kind in ("none", "tanh"):
        yield Use(f"corners {kind}", [special], {"approximate": kind})
        for shape in [(7, 5), (3, 17, 2), (), (0,), RANK8]:
            yield Use(f"{list(shape)} {kind}", [draw(random, shape, dtype, -3, 3)],
                      {"approximate": kind})


def gelu(x, approximate):
    out = torch.nn.functional.gelu(x, approximate=approximate)
    if x.dtype == torch.float64:
        return out
    # PyTorch's of f32's infinity is NaN.
    return WithValue.apply(out, widely(gelu)(x, approximate=approximate).detach())


def of_result(function, backward):
    """Differentiated by its rounded result, as in PyTorch, where 16 bits round on the way as well:
    here each is rounded once."""
    class Function(torch.autograd.Function):
        @staticmethod
        def forward(context, x, axis):
            out = composite(function)(x, dim=axis)
            context.save_for_backward(out)
            context.axis = axis
            return out

        @staticmethod
        def backward(context, cotangent):
            def steps(g, out):
                return backward(g, out, context.axis, out.dtype)
            return composite(steps)(cotangent, context.saved_tensors[0]), None
    return lambda x, axis: Function.apply(x, axis)


softmax = of_result(torch.softmax, torch._softmax_backward_data)
log_softmax = of_result(torch.log_softmax, torch._log_softmax_backward_data)


def logsumexp(x, axes, keepdims):
    """Less the largest, and plus it again: PyTorch's gradient, exp(x - result), is too large by as
    much as the result is rounded."""
    if x.numel() == 0 or not axes:
        return unless_nothing(torch.logsumexp)(x, axes, keepdims)
    top = torch.amax(x, axes, keepdim=True).detach()
    top = torch.where(torch.isfinite(top), top, 0)
    out = torch.logsumexp(x - top, axes, keepdim=True) + top
    return out if keepdims else out.squeeze(tuple(axes))


def rows():
    f = torch.nn.functional

    def reduction(op, dtypes, function, like, low=-2, high=2, more=OF_NOTHING, gradient=True,
                  corner_gradient=True):
        return Row(op, dtypes, uses(low, high, SHAPES + more, corner_gradient), function, like,
                   gradient)

    return [
        reduction("sum", NUMBERS, unless_nothing(torch.sum), wrapping(np.sum)),
        Row("prod", FLOATS, prod_corners, widely(prod_by_others), gradient=True),
        reduction("prod", NUMBERS, widely(prod), wrapping(np.prod), 0.5, 1.5,
                  corner_gradient=False),
        reduction("max", NUMBERS, unless_nothing(torch.amax), along(np.max), -30, 30, []),
        reduction("min", NUMBERS, unless_nothing(torch.amin), along(np.min), -30, 30, []),
        reduction("any", BOOL, None, along(np.any)),
        reduction("all", BOOL, None, along(np.all)),
        reduction("mean", FLOATS, unless_nothing(torch.mean), None),
        reduction("logsumexp", FLOATS, composite(logsumexp), None),
        Row("argmax", NUMBERS, arg_uses,
            lambda x, axis, keepdims: torch.argmax(x, axis, keepdim=keepdims).numpy(),
            lambda x, axis, keepdims: np.argmax(x, axis, keepdims=keepdims)),
        Row("argmin", NUMBERS, arg_uses,
            lambda x, axis, keepdims: torch.argmin(x, axis, keepdim=keepdims).numpy(),
            lambda x, axis, keepdims: np.argmin(x, axis, keepdims=keepdims)),
        Row("softmax", FLOATS, row_uses(), softmax, gradient=True),
        Row("log_softmax", FLOATS, row_uses(), log_softmax, gradient=True),
        Row("layer_norm", FLOATS, layer_norm_uses, layer_norm, gradient=True, once=True),
        Row("rms_norm", FLOATS, rms_norm_uses, composite(rms_norm), gradient=True),
        Row("cross_entropy", FLOATS, cross_entropy_uses, composite(cross_entropy), gradient=True),
        Row("gelu", FLOATS, gelu_uses, gelu, gradient=True),
    ]
