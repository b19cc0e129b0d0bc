"""The list of programs that jax_programs.py makes files of."""

import dataclasses
import zlib

import numpy as np

PROGRAMS = {}


class Draw:
    """Numbers that depend on the program's name alone."""

    def __init__(self, name):
        self.generator = np.random.default_rng(zlib.crc32(name.encode()))

    def normal(self, *sizes, scale=1.0, dtype=np.float32):
        return (scale * self.generator.standard_normal(sizes)).astype(dtype)

    def uniform(self, low, high, *sizes, dtype=np.float32):
        return self.generator.uniform(low, high, sizes).astype(dtype)

    def integers(self, low, high, *sizes, dtype=np.int32):
        return self.generator.integers(low, high, sizes).astype(dtype)


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    subject: str
    function: object
    draw: object
    x64: bool
    exported: bool
    donated: tuple
    gspmd: bool

    def arguments(self):
        return self.draw(Draw(self.name))


def program(draw, x64=False, exported=False, donated=(), gspmd=False):
    """Registers a function under its name. draw(Draw) gives the tuple of its arguments; the first
    line of its docstring says what it shows. exported: by jax.export, else by jit's lower. gspmd: with shardings as
    custom calls, as JAX printed them before it had Shardy."""

    def register(function):
        name = function.__name__
        if name in PROGRAMS:
            raise ValueError(f"two programs are called {name}")
        PROGRAMS[name] = Program(name, function.__doc__.split("\n", 1)[0], function, draw, x64,
                                 exported, donated, gspmd)
        return function

    return register
