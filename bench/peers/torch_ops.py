"""bench/ops.cpp's measurements with torch: torch_ops.py KEY..."""

import json
import statistics
import sys
import time

import torch
from torch.nn import functional

BATCHES = 25
IMAGES, WEIGHT, OUTPUTS = (32, 64, 56, 56), (128, 64, 3, 3), (32, 128, 56, 56)
SMALL, EACH = (64, 32, 32, 32), (32, 1, 3, 3)
GROUPS = 32
WIDE, NARROW, OF_GROUPS = (32, 256, 28, 28), (32, 128, 28, 28), (128, 128 // GROUPS, 3, 3)


def convolution(x, weight):
    return functional.conv2d(x, weight, padding=1)


def depthwise(x, weight):
    return functional.conv2d(x, weight, padding=1, groups=x.shape[1])


def grouped(x, weight):
    return functional.conv2d(x, weight, padding=1, groups=GROUPS)


def grouped_block_gradient(*operands):
    """The forward pass is measured, too, which the gradient needs here."""
    for each in operands:
        each.requires_grad_(True)

    def loss(x, narrow, around, wide):
        inner = grouped(functional.conv2d(x, narrow).relu(), around).relu()
        return (x + functional.conv2d(inner, wide)).relu().sum()

    return lambda: torch.autograd.grad(loss(*operands), operands)


def gradient(function, operand):
    """Of one operand; the forward pass is made once, outside of what is measured."""

    def prepare(x, weight, cotangent):
        operands = [x, weight]
        operands[operand].requires_grad_(True)
        out = function(*operands)
        return lambda: torch.autograd.grad(out, operands[operand], cotangent, retain_graph=True)

    return prepare


def plain(function):
    return lambda *x: lambda: function(*x)


def split_gradient(gates):
    gates.requires_grad_(True)

    def loss(x):
        a, b, c, d = x.chunk(4, 1)
        return (torch.tanh(a) * torch.sigmoid(b) + c * d).sum()

    return lambda: torch.autograd.grad(loss(gates), gates)


def scatter(x, updates):
    rows = torch.randint(0, x.shape[0], (updates.shape[0],))
    return lambda: x.index_add(0, rows, updates)


CASES = {
    "convolution": ((IMAGES, WEIGHT), plain(convolution)),
    "convolution_input_gradient": ((IMAGES, WEIGHT, OUTPUTS), gradient(convolution, 0)),
    "convolution_weight_gradient": ((IMAGES, WEIGHT, OUTPUTS), gradient(convolution, 1)),
    "depthwise": ((SMALL, EACH), plain(depthwise)),
    "depthwise_input_gradient": ((SMALL, EACH, SMALL), gradient(depthwise, 0)),
    "depthwise_weight_gradient": ((SMALL, EACH, SMALL), gradient(depthwise, 1)),
    "grouped_weight_gradient": ((NARROW, OF_GROUPS, NARROW), gradient(grouped, 1)),
    "grouped_block_gradient": (
        (WIDE, (128, 256, 1, 1), OF_GROUPS, (256, 128, 1, 1)),
        grouped_block_gradient,
    ),
    "channel_sums": ((SMALL,), plain(lambda x: x.sum((0, 2, 3)))),
    "channel_variances": ((SMALL,), plain(lambda x: x.var((0, 2, 3), correction=0))),
    "max_pool": ((SMALL,), plain(lambda x: functional.max_pool2d(x, 2))),
    "split_gradient": (((32, 2048),), split_gradient),
    "sort_rows": (((256, 4096),), plain(lambda x: x.sort(stable=True))),
    "sort_one_row": (((1 << 20,),), plain(lambda x: x.sort(stable=True))),
    "topk_rows": (((64, 32000),), plain(lambda x: x.topk(50))),
    "topk_one_row": (((1 << 20,),), plain(lambda x: x.topk(50))),
    "cumsum_rows": (((1024, 4096),), plain(lambda x: x.cumsum(1))),
    "cumsum_one_row": (((1 << 20,),), plain(lambda x: x.cumsum(0))),
    "normal": ((), lambda: lambda: torch.randn(1 << 20)),
    "scatter_rows": (((32000, 64), (8192, 64)), scatter),
}


def measure(call):
    seconds = []
    for batch in range(-3, BATCHES):  # the first ones warm up
        begin = time.perf_counter()
        call()
        if batch >= 0:
            seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)


for key in sys.argv[1:] or CASES:
    shapes, prepare = CASES[key]
    call = prepare(*(torch.randn(shape) for shape in shapes))
    print(json.dumps({"key": key, "seconds": measure(call)}), flush=True)
