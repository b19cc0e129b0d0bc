"""Products of tensors beyond matmul: dot_general, convolution, attention."""

import math

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from arrays import FLOATS, INTEGERS, NUMBERS, draw, make
from rows import Row, Use, composite, differentiable, widely

RANK8 = (1, 2, 1, 2, 1, 2, 1, 2)


def factors(dtype):
    """Two matrices whose product has NaN, infinities and overflow; integers wrap."""
    if dtype in FLOATS:
        inf, nan, most = math.inf, math.nan, torch.finfo(FLOATS[dtype]).max
        x = [[nan, 1], [inf, 1], [1, inf], [inf, -inf], [0, 1], [most, most], [-0.0, -0.0]]
        return make(x, dtype), make([[1, 2], [3, 4]], dtype)
    info = np.iinfo(INTEGERS[dtype])
    return (make([[info.max, info.min], [2, info.max]], dtype),
            make([[info.max, 2], [3, info.min]], dtype))


# ---- dot_general

def letters(rank, first):
    return [chr(ord(first) + d) for d in range(rank)]


def dot_general(x, y, contract_x, contract_y, batch_x=(), batch_y=()):
    """As an einsum: paired axes have one letter, the others one each."""
    of_x, of_y = letters(x.ndim, "a"), letters(y.ndim, "A")
    for dx, dy in [*zip(contract_x, contract_y), *zip(batch_x, batch_y)]:
        of_y[dy] = of_x[dx]
    out = [of_x[d] for d in batch_x]
    out += [of_x[d] for d in range(x.ndim) if d not in contract_x and d not in batch_x]
    out += [of_y[d] for d in range(y.ndim) if d not in contract_y and d not in batch_y]
    formula = f"{''.join(of_x)},{''.join(of_y)}->{''.join(out)}"
    return torch.einsum(formula, x, y) if differentiable(x) else np.einsum(formula, x, y)


def dot_uses(dtype, random):
    yield Use("corners", factors(dtype), {"contract_x": [1], "contract_y": [0]})
    if dtype in FLOATS:
        yield Use("corners of infinite factors",
                  [make([[1, 0], [0, 1], [2, 3]], dtype),
                   make([[math.inf, 1], [1, -math.inf]], dtype)],
                  {"contract_x": [1], "contract_y": [1]}, gradient=False)
    for x, y, contract_x, contract_y, batch_x, batch_y in [
            ((7, 5), (5, 3), [1], [0], [], []),
            ((3, 4, 5), (3, 6, 5), [2], [2], [0], [0]),
            ((4, 3, 5, 2), (2, 6, 3, 4), [0, 3], [3, 0], [1], [2]),
            ((2, 3, 4), (4, 2, 3), [2, 0], [0, 1], [1], [2]),
            ((2, 3), (4, 5), [], [], [], []), ((6,), (6,), [0], [0], [], []),
            ((6,), (6,), [], [], [0], [0]), ((), (3, 2), [], [], [], []), ((), (), [], [], [], []),
            ((1, 5), (5, 1), [1], [0], [], []),
            ((0, 3), (3, 2), [1], [0], [], []), ((3, 0), (2, 0), [1], [1], [], []),
            ((0, 3, 2), (0, 2), [2], [1], [0], [0]),
            (RANK8, RANK8, [7], [7], [0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5, 6]),
            (RANK8, RANK8, [1, 3, 5, 7], [3, 1, 7, 5], [], [])]:
        attributes = {"contract_x": contract_x, "contract_y": contract_y}
        if batch_x:
            attributes |= {"batch_x": batch_x, "batch_y": batch_y}
        yield Use(f"{list(x)} by {list(y)} over {contract_x} and {contract_y}, each of {batch_x}",
                  [draw(random, x, dtype), draw(random, y, dtype)], attributes)
    if dtype in FLOATS:
        yield Use("[9, 40] by [17, 40]",
                  [draw(random, (9, 40), dtype), draw(random, (17, 40), dtype)],
                  {"contract_x": [1], "contract_y": [1]})


# ---- conv

def padded(x, low, high):
    if differentiable(x):
        around = [n for pair in zip(reversed(low), reversed(high)) for n in pair]
        return torch.nn.functional.pad(x, around)
    return np.pad(x, [(0, 0), (0, 0), *zip(low, high)])


def windows(x, sizes, stride, dilation):
    """[n, c, results..., window...] of x [n, c, spatial...]."""
    for d, (size, step, apart) in enumerate(zip(sizes, stride, dilation)):
        reach = apart * (size - 1) + 1
        if differentiable(x):
            x = x.unfold(d + 2, reach, step)
        else:
            x = np.lib.stride_tricks.sliding_window_view(x, reach, d + 2)
            x = x[(slice(None),) * (d + 2) + (slice(None, None, step),)]
        x = x[..., ::apart]
    return x


def conv_by_windows(x, weight, stride, dilation, groups):
    count = len(stride)
    all_windows = windows(x, weight.shape[2:], stride, dilation)
    n, results = x.shape[0], tuple(all_windows.shape[2:2 + count])
    split = all_windows.reshape((n, groups, weight.shape[1]) + tuple(all_windows.shape[2:]))
    turned = weight.reshape((groups, weight.shape[0] // groups) + tuple(weight.shape[1:]))
    places, inner = "xyz"[:count], "uvw"[:count]
    formula = f"ngc{places}{inner},goc{inner}->ngo{places}"
    out = (torch if differentiable(x) else np).einsum(formula, split, turned)
    return out.reshape((n, weight.shape[0]) + results)


def conv(x, weight, stride, low, high, dilation, groups=1):
    """Padded before: PyTorch's own padding is the same on both sides. Of nothing, or without
    channels, it has no convolution, and NumPy has none at all."""
    around = padded(x, low, high)
    if not differentiable(x) or 0 in (*x.shape, *weight.shape):
        return conv_by_windows(around, weight, stride, dilation, groups)
    f = torch.nn.functional
    function = (f.conv1d, f.conv2d, f.conv3d)[len(stride) - 1]
    return function(around, weight, stride=stride, dilation=dilation, groups=groups)


def conv_uses(dtype, random):
    def use(name, x, weight, stride, low, high, dilation, groups=1, gradient=True):
        attributes = {"stride": stride, "low": low, "high": high, "dilation": dilation}
        if groups != 1:
            attributes["groups"] = groups
        return Use(name, [x, weight], attributes, gradient=gradient)

    if dtype in FLOATS:
        inf, nan, most = math.inf, math.nan, torch.finfo(FLOATS[dtype]).max
        row = make([[[1, nan, 2, -1, inf, 0, 3, 1, -inf, 4, most, most, 1, 1]]], dtype)
        yield use("corners", row, make([[[1, 2]], [[-1, 1]]], dtype), [1], [1], [2], [1])
        # A zero of the padding meets an infinity.
        yield use("corners of an infinite weight", make([[[1, 2, 3]]], dtype),
                  make([[[inf, 1]], [[1, nan]]], dtype), [1], [1], [0], [1], gradient=False)
    else:
        info = np.iinfo(INTEGERS[dtype])
        yield use("corners", make([[[info.max, info.min, 2, info.max]]], dtype),
                  make([[[info.max, 2]], [[3, info.min]]], dtype), [1], [1], [2], [1])
    for x, weight, *window in [
            ((2, 3, 6, 5), (4, 3, 3, 2), [1, 1], [1, 0], [1, 1], [1, 1]),
            ((1, 4, 9), (6, 2, 3), [2], [1], [2], [2], 2),
            ((2, 3, 7, 6), (2, 3, 3, 3), [3, 2], [0, 2], [0, 1], [1, 2]),
            ((1, 2, 4, 3, 5), (2, 1, 2, 3, 2), [1, 1, 2], [1, 0, 1], [0, 0, 1], [1, 1, 2], 2),
            ((2, 3, 5), (4, 3, 1), [2], [2], [1], [1]),
            ((1, 4, 6, 6), (4, 1, 2, 2), [2, 2], [0, 0], [0, 0], [1, 1], 4),
            ((2, 2, 3, 2), (40, 2, 3, 2), [1, 1], [0, 0], [0, 0], [1, 1]),
            ((1, 1, 2), (1, 1, 4), [5], [4], [6], [1]), ((1, 1, 1), (1, 1, 1), [1], [0], [0], [1]),
            ((0, 3, 4), (2, 3, 2), [1], [0], [0], [1]), ((2, 0, 4), (3, 0, 2), [1], [1], [0], [1]),
            ((2, 3, 4), (0, 3, 2), [1], [0], [0], [1]), ((2, 2, 0), (3, 2, 2), [1], [1], [2], [1])]:
        yield use(f"{list(x)} by {list(weight)} {window}", draw(random, x, dtype),
                  draw(random, weight, dtype), *window)


# ---- attention

def seen(q, k, mask, causal):
    """Which keys a query sees: the mask and causal together, which PyTorch does not take."""
    all_seen = np.ones((q.shape[-2], k.shape[-2]), dtype=bool)
    if causal:
        all_seen = np.tril(all_seen)
    for each in mask:
        all_seen = all_seen & each
    return torch.from_numpy(all_seen)


def attention_by_steps(q, k, v, *mask, causal=False, scale=0):
    """Scores that are not seen are nothing at all. In PyTorch's function -inf is added to them, and
    NaN stays; of nothing it has no gradient."""
    scores = q @ k.transpose(-1, -2) * (scale or 1 / math.sqrt(max(q.shape[-1], 1)))
    sees = seen(q, k, mask, causal).expand(scores.shape)
    weights = torch.softmax(scores.masked_fill(~sees, -math.inf), -1)
    return weights.masked_fill(~sees.any(-1, keepdim=True), 0) @ v


def attention(q, k, v, *mask, causal=False, scale=0):
    if 0 in (*q.shape, *k.shape, *v.shape):
        return attention_by_steps(q, k, v, *mask, causal=causal, scale=scale)
    with sdpa_kernel(SDPBackend.MATH):
        return torch.nn.functional.scaled_dot_product_attention(
            q, k, v, attn_mask=seen(q, k, mask, causal), scale=scale or None)


def gradient_of(function):
    """The cotangents of q, k and v, for that of the result: the last operand."""
    def out(q, k, v, *more, **attributes):
        with torch.enable_grad():
            inputs = [x if x.requires_grad else x.clone().requires_grad_() for x in (q, k, v)]
            result = function(*inputs, *more[:-1], **attributes)
            return torch.autograd.grad(result, inputs, more[-1], create_graph=True)
    return out


# (leading dimensions, (t, s, d, e), the mask's shape or None, causal, scale)
ATTENTIONS = [
    ((2,), (5, 7, 4, 3), None, False, 0), ((), (6, 6, 5, 5), None, True, 0.7),
    ((2, 3), (4, 5, 2, 6), (2, 1, 1, 5), True, 0), ((), (3, 8, 2, 2), None, True, 0),
    ((), (8, 3, 2, 2), (8, 1), True, -0.5), ((), (3, 8, 2, 2), (1,), False, 0),
    ((2,), (5, 7, 4, 3), (5, 7), False, 0.3), ((1,), (1, 1, 1, 1), (), False, 0),
    ((1, 2, 1, 2, 1, 2), (2, 3, 2, 2), (2, 1, 1, 1, 1, 1, 3), True, 0),
    ((0,), (3, 4, 2, 2), (3, 4), False, 0), ((2,), (0, 4, 2, 2), (1, 4), False, 0),
    ((2,), (3, 0, 2, 2), (3, 0), True, 0), ((2,), (3, 0, 2, 2), None, False, 0),
    ((2,), (3, 4, 0, 2), (3, 4), False, 0), ((2,), (3, 4, 2, 0), None, False, 0),
    # Large enough for the host's own kernels.
    ((1,), (70, 66, 3, 2), (70, 66), True, 0), ((), (64, 130, 2, 3), None, True, 0.4)]


def masks(random, shape):
    return [] if shape is None else [np.asarray(random.random(shape) < 0.6)]


def attention_uses(of_gradient):
    def out(dtype, random):
        for leading, (t, s, d, e), mask, causal, scale in ATTENTIONS:
            operands = [draw(random, leading + sizes, dtype) for sizes in ((t, d), (s, d), (s, e))]
            operands += masks(random, mask)
            if of_gradient:
                operands.append(draw(random, leading + (t, e), dtype))
            shown = [list(x.shape) for x in operands]
            yield Use(f"{shown}{' causal' if causal else ''} {scale}", operands,
                      {"causal": causal, "scale": scale}, ir_only=of_gradient)
    return out


def attention_corners(of_gradient):
    """Few rows see all keys, others some or none; the last key has a score that nobody may see."""
    def out(dtype, random):
        q = make([[1, -1], [2, 0.5], [-3, 1], [0, 0]], dtype)
        k = make([[1, 2], [-0.0, 0.5], [3, -1]], dtype)
        v = make([[1, -2, 0], [3, 4, -0.0], [-5, 0.5, 0]], dtype)
        some = np.array([[1, 1, 1], [0, 0, 0], [0, 1, 0], [0, 1, 1]], dtype=bool)
        none = np.zeros((1, 3), dtype=bool)
        hidden = np.array([[1, 1, 0], [0, 0, 0], [0, 1, 0], [1, 0, 0]], dtype=bool)
        g = [draw(random, (4, 3), dtype, -1, 1)] if of_gradient else []
        special_k = make([[1, 2], [-0.0, 0.5], [math.nan, math.inf]], dtype)
        large = make([[300, -300], [300, 300], [-3e3, 1], [3e3, 3e3]], dtype)

        def use(name, *operands, gradient=True, **attributes):
            return Use(f"corners {name}", [*operands, *g], attributes, ir_only=of_gradient,
                       gradient=gradient)

        yield use("some rows see nothing", q, k, v, some)
        yield use("nobody sees anything", q, k, v, none, causal=True)
        yield use("large scores", large, k, v)
        # What nobody sees leaves the weights alone. The cotangent of q multiplies it by 0.
        yield use("NaN in a hidden key", q, special_k, v, hidden, gradient=False)
        if not of_gradient:
            nan = make([[math.nan, 1], [1, 1], [math.inf, 1], [0, -1]], dtype)
            yield use("NaN and infinity in queries", nan, k, v, gradient=False)
            values = make([[1, math.inf, 0], [3, 4, math.nan], [-5, -math.inf, math.inf]], dtype)
            yield use("NaN and infinity in values", q, k, values, gradient=False)
    return out


def rows():
    def attentions(op, function, by_steps, of_gradient):
        return [
            Row(op, FLOATS, attention_corners(of_gradient), composite(by_steps), gradient=True),
            Row(op, FLOATS, attention_uses(of_gradient), widely(function), gradient=True),
        ]

    return [
        Row("dot_general", NUMBERS, dot_uses, widely(dot_general), dot_general, gradient=True),
        Row("conv", NUMBERS, conv_uses, widely(conv), conv, gradient=True),
        *attentions("attention", attention, attention_by_steps, False),
        *attentions("attention_gradient", gradient_of(attention), gradient_of(attention_by_steps),
                    True),
    ]
