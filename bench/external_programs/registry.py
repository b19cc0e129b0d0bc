"""The list of programs that bench/external runs, and what an entry says.

A family is a file here. An entry is a function that draws a program's arguments and returns it with
them:

    @program("product", small={"batch": 2}, large={"batch": 64})
    def mlp(draw, batch):
        return (lambda x, w: x @ w), (draw.normal(batch, 8), draw.normal(8, 8))
"""

import dataclasses
import typing
import zlib

import numpy as np

from families import CLASSES

PROGRAMS = {}

# How far two results may be apart, by dtype: the largest difference by the largest magnitude in the
# array (at least SMALLEST). What is not listed has to be equal; where a program has a tolerance of
# its own, that is the share of elements that need not.
TOLERANCES = {"float64": 1e-9, "float32": 1e-3, "float16": 2e-2, "bfloat16": 5e-2}
SMALLEST = 1e-2


class Draw:
    """Numbers that depend on the program's name alone."""

    def __init__(self, name):
        self.generator = np.random.default_rng(zlib.crc32(name.encode()))

    def normal(self, *sizes, scale=1.0):
        return (scale * self.generator.standard_normal(sizes)).astype(np.float32)

    def uniform(self, low, high, *sizes):
        return self.generator.uniform(low, high, sizes).astype(np.float32)

    def integers(self, low, high, *sizes):
        return self.generator.integers(low, high, sizes).astype(np.int32)

    def key(self):
        """A key of JAX's default generator."""
        return self.generator.integers(0, 2**32, 2).astype(np.uint32)


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    kind: str  # of CLASSES
    make: typing.Callable
    sizes: dict  # "small" and "large": the arguments of make besides draw
    x64: bool
    tolerance: float | None  # in place of TOLERANCES, for programs where roundings grow

    def function_and_arguments(self, size):
        return self.make(Draw(self.name), **self.sizes[size])


def program(kind, small, large, x64=False, tolerance=None):
    """Registers a program under the name of its function."""
    if kind not in CLASSES:
        raise ValueError(f"no class is called {kind}")

    def register(make):
        name = make.__name__
        if name in PROGRAMS:
            raise ValueError(f"two programs are called {name}")
        sizes = {"small": small, "large": large}
        PROGRAMS[name] = Program(name, kind, make, sizes, x64, tolerance)
        return make

    return register
