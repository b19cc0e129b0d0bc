"""What a row of the table is, and how its cases are computed."""

import dataclasses
import zlib
from typing import Any, Callable, Iterable

import numpy as np
import torch

from arrays import FLOATS, draw


@dataclasses.dataclass
class Use:
    """Operands of an op. A case without a user function that takes its attributes is `ir_only`."""

    name: str
    operands: list
    attributes: dict[str, Any] = dataclasses.field(default_factory=dict)
    ir_only: bool = False
    gradient: bool = True  # if its row has one


@dataclasses.dataclass
class Row:
    """One op: its dtypes, its uses, and what it means to PyTorch and to NumPy.

    `torch` is called for floating-point dtypes, `numpy` for integers and bool, with the operands
    and the attributes by name. `gradient`: whether to ask PyTorch's autograd for one. `once`: in
    16 bits PyTorch's gradient is several ops, each of which rounds; ours rounds once, and so does
    the file."""

    op: str
    dtypes: Iterable[str]
    uses: Callable[[str, np.random.Generator], Iterable[Use]]
    torch: Callable | None = None
    numpy: Callable | None = None
    gradient: bool = False
    once: bool = False


@dataclasses.dataclass
class Case:
    """A use with what it must give. Gradients are null where an operand has none."""

    use: Use
    dtype: str
    results: list
    cotangents: list
    gradients: list


def as_list(results):
    results = list(results) if isinstance(results, (tuple, list)) else [results]
    return [np.asarray(r) if isinstance(r, np.generic) else r for r in results]


def random_of(*names):
    """The same numbers for the same names, whatever else is in the table."""
    return np.random.default_rng(zlib.crc32("/".join(names).encode()))


def differentiable(array):
    return isinstance(array, torch.Tensor)


def compute(row, dtype, use):
    function = row.torch if dtype in FLOATS else row.numpy
    with torch.no_grad():
        results = as_list(function(*use.operands, **use.attributes))
    wants = row.gradient and use.gradient and dtype in FLOATS and differentiable(results[0])
    if not wants:
        return Case(use, dtype, results, [], [])
    cotangents, gradients = differentiate(row, dtype, use)
    return Case(use, dtype, results, cotangents, gradients)


def differentiate(row, dtype, use):
    """The cotangents of the results, and PyTorch's of the operands."""
    function = row.torch
    if row.once and dtype in ("f16", "bf16"):
        function = widely(function, torch.float32)
    leaves = [x.clone().requires_grad_() if differentiable(x) else x for x in use.operands]
    results = as_list(function(*leaves, **use.attributes))

    random = random_of(row.op, dtype, use.name, "cotangent")
    cotangents = [draw(random, tuple(r.shape), dtype_name(r), -1, 1) if differentiable(r) else None
                  for r in results]
    wrt = [x for x in leaves if differentiable(x)]
    outputs = [(r, g) for r, g in zip(results, cotangents)
               if g is not None and r.requires_grad]
    found = [None] * len(wrt)
    if outputs:
        found = torch.autograd.grad([r for r, _ in outputs], wrt, [g for _, g in outputs],
                                    allow_unused=True)
    found = iter([torch.zeros_like(x) if g is None else g for x, g in zip(wrt, found)])
    gradients = [next(found) if differentiable(x) else None for x in leaves]
    return cotangents, gradients


def dtype_name(tensor):
    return next(name for name, dtype in FLOATS.items() if dtype == tensor.dtype)


def cases_of(row):
    with np.errstate(all="ignore"):
        for dtype in row.dtypes:
            for use in row.uses(dtype, random_of(row.op, dtype)):
                yield compute(row, dtype, use)


def widely(function, wide=torch.float64):
    """The function computed in another dtype and rounded once, gradients too: for what PyTorch has
    not in 16 bits, or rounds on the way there."""
    def rounded_once(*operands, **attributes):
        wider = [x.to(wide) if differentiable(x) else x for x in operands]
        dtype = next(x.dtype for x in operands if differentiable(x))
        results = function(*wider, **attributes)
        if isinstance(results, tuple):
            return tuple(r.to(dtype) if differentiable(r) else r for r in results)
        return results.to(dtype)
    return rounded_once


def composite(function):
    """16-bit floats computed in f32 and rounded once, gradients too; f32 and f64 as they are: where
    it matters what overflows on the way."""
    def rounded_once(*operands, **attributes):
        dtype = next(x.dtype for x in operands if differentiable(x))
        wide = dtype if dtype == torch.float64 else torch.float32
        return widely(function, wide)(*operands, **attributes)
    return rounded_once


class WithValue(torch.autograd.Function):
    """The derivative of one tensor with the value of another."""

    @staticmethod
    def forward(_context, _tensor, value):
        return value.clone()

    @staticmethod
    def backward(_context, cotangent):
        return cotangent, None
