"""The process of bench/external that has JAX: writes a program as text, and runs it in XLA.

    worker.py NAME SIZE FOLDER

It writes program.mlir and arguments.npz into the folder. Then each line that it reads is a command,
which it answers with a line of JSON: `time N` runs the program N times and says how long one takes,
and how long a call takes that has nothing to do; `compare FILE.npz` compares results with XLA's."""

import importlib
import json
import os
import pathlib
import sys
import time

sys.dont_write_bytecode = True  # no __pycache__ in the source tree
os.environ["JAX_PLATFORMS"] = "cpu"

import families  # noqa: E402
from registry import PROGRAMS, SMALLEST, TOLERANCES  # noqa: E402


def answer(**values):
    print(json.dumps(values), flush=True)


def difference(ours, theirs, tolerance):
    """By how much results differ, in the units of registry.TOLERANCES, and whether they agree."""
    import numpy as np

    if (ours.shape, ours.dtype) != (theirs.shape, theirs.dtype):
        return float("inf"), False
    allowed = TOLERANCES.get(theirs.dtype.name, 0.0) if tolerance is None else tolerance
    if theirs.dtype.name not in TOLERANCES:
        share = float(np.mean(ours != theirs)) if ours.size else 0.0
        return share, share <= allowed
    ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
    finite = np.isfinite(theirs)
    same = np.array_equal(ours[~finite], theirs[~finite], equal_nan=True)
    if not same or not np.isfinite(ours[finite]).all():
        return float("inf"), False
    if not finite.any():
        return 0.0, True
    magnitude = max(np.abs(theirs[finite]).max(), SMALLEST)
    worst = float(np.abs(ours - theirs)[finite].max() / magnitude)
    return worst, worst <= allowed


class Session:
    """One program, compiled by XLA."""

    def __init__(self, program, size, folder):
        import jax
        import numpy as np

        self.jax = jax
        self.tolerance = program.tolerance
        jax.config.update("jax_enable_x64", program.x64)
        # Each call is waited for, so handing it to another thread would only take longer.
        jax.config.update("jax_cpu_enable_async_dispatch", False)
        function, arguments = program.function_and_arguments(size)
        self.arguments = jax.tree.map(jax.numpy.asarray, arguments)
        lowered = jax.jit(function, keep_unused=True).lower(*self.arguments)
        text = lowered.as_text()
        (folder / "program.mlir").write_text(text)
        leaves = jax.tree.leaves(self.arguments)
        named = {f"arg{i}": np.asarray(leaf) for i, leaf in enumerate(leaves)}
        np.savez(folder / "arguments.npz", **named)
        begin = time.perf_counter()
        self.compiled = lowered.compile()
        self.compile_seconds = time.perf_counter() - begin
        self.results = jax.tree.leaves(jax.block_until_ready(self.compiled(*self.arguments)))
        # As many arguments and results, so that Python does the same for it.
        empty = jax.jit(
            lambda *_: tuple(jax.numpy.float32(i) for i in range(len(self.results))),
            keep_unused=True,
        )
        self.empty = empty.lower(*self.arguments).compile()
        self.lines = text.count("\n")

    def seconds(self, compiled, runs):
        begin = time.perf_counter()
        for _ in range(runs):
            self.jax.block_until_ready(compiled(*self.arguments))
        return (time.perf_counter() - begin) / runs

    def compare(self, path):
        import numpy as np

        ours = np.load(path)
        worst, wrong = 0.0, []
        for i, theirs in enumerate(self.results):
            by, agrees = difference(ours[str(i)], np.asarray(theirs), self.tolerance)
            worst = max(worst, by)
            if not agrees:
                wrong.append(f"result {i}, {theirs.dtype}{list(theirs.shape)}, by {by:.2g}")
        return {"worst": worst, "wrong": wrong}


def main():
    for path in families.files():
        importlib.import_module(path.stem)
    name, size, folder = sys.argv[1:]
    session = Session(PROGRAMS[name], size, pathlib.Path(folder))
    answer(compile=session.compile_seconds, lines=session.lines)
    for line in sys.stdin:
        command, value = line.split(maxsplit=1)
        if command == "time":
            empty_runs = min(int(value), 1000)
            session.seconds(session.empty, 1)
            empty = session.seconds(session.empty, empty_runs)
            session.seconds(session.compiled, 1)
            answer(seconds=session.seconds(session.compiled, int(value)), empty=empty)
        else:
            answer(**session.compare(value.strip()))


if __name__ == "__main__":
    main()
