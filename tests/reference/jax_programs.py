#!/usr/bin/env python3
"""Makes tests/reference/data/jax: small programs as JAX lowers them to StableHLO, and what JAX gives.

A folder NAME holds program.mlir, arg0.npy, arg1.npy, ... in arguments/ and 0.npy, 1.npy, ... in
results/, in the order in which JAX flattens them. Arguments and results of several devices are
whole. README.md says how to run this.
"""

import argparse
import os
import pathlib
import shutil
import sys
import tempfile

# XLA may leave out roundings to 16 bits that the program asks for; here it must not.
os.environ["XLA_FLAGS"] = ("--xla_force_host_platform_device_count=4 "
                           "--xla_allow_excess_precision=false")
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import jax.export  # noqa: E402
import numpy as np  # noqa: E402

import jax_devices  # noqa: E402, F401
import jax_families  # noqa: E402, F401
import jax_models  # noqa: E402, F401
import jax_numbers  # noqa: E402, F401
import jax_operations  # noqa: E402, F401
import jax_sharded  # noqa: E402, F401
from jax_registry import PROGRAMS  # noqa: E402

FOLDER = pathlib.Path(__file__).parent / "data" / "jax"

# rtol, atol for --check: another processor rounds elsewhere. All else is exact.
TOLERANCES = {"float16": (1e-3, 1e-5), "float32": (1e-5, 1e-5), "float64": (1e-7, 1e-7)}


def make(program):
    """The files of a program: what is in them, by their paths."""
    jax.config.update("jax_use_shardy_partitioner", not program.gspmd)
    with jax.enable_x64(program.x64):
        arguments = program.arguments()
        compiled = jax.jit(program.function, keep_unused=True, donate_argnums=program.donated)
        if program.exported:
            jax.clear_caches()  # They hold source lines of programs before.
            text = jax.export.export(compiled)(*arguments).mlir_module()
            # With source lines, whose files are to be the same from every folder.
            text = text.replace(f"{pathlib.Path(__file__).resolve().parent}/", "")
        else:
            text = compiled.lower(*arguments).as_text()
        files = {"program.mlir": text}
        # Copies: donated arguments are gone after the call.
        leaves = [np.array(leaf) for leaf in jax.tree.leaves(arguments)]
        results = [np.asarray(leaf) for leaf in jax.tree.leaves(compiled(*arguments))]
    for part, prefix, arrays in (("arguments", "arg", leaves), ("results", "", results)):
        for i, array in enumerate(arrays):
            if array.dtype.name == "bfloat16":
                raise TypeError(f"{program.name}: {part} {i} is bf16, which .npy files cannot hold")
            files[f"{part}/{prefix}{i}.npy"] = array
    return files


def write(name, files):
    """Whole or not at all."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER, prefix=".") as temporary:
        made = pathlib.Path(temporary) / name
        for path, content in files.items():
            (made / path).parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, str):
                (made / path).write_text(content)
            else:
                np.save(made / path, content)
        (made / "arguments").mkdir(exist_ok=True)
        made.chmod(0o755)
        shutil.rmtree(FOLDER / name, ignore_errors=True)
        made.rename(FOLDER / name)


def difference(name, files):
    """How the files on disk differ from these, in a line; None where they do not."""
    stored = {str(path.relative_to(FOLDER / name)) for path in (FOLDER / name).rglob("*.*")}
    if stored != set(files):
        return f"files: {sorted(stored ^ set(files))}"
    for path, content in files.items():
        if isinstance(content, str):
            if (FOLDER / name / path).read_text() != content:
                return f"{path}: another text"
            continue
        before = np.load(FOLDER / name / path)
        if (before.dtype, before.shape) != (content.dtype, content.shape):
            return f"{path}: {before.dtype}{before.shape}, now {content.dtype}{content.shape}"
        rtol, atol = TOLERANCES.get(content.dtype.name, (0, 0))
        if path.startswith("arguments"):
            rtol = atol = 0
        if not np.allclose(before, content, rtol, atol, equal_nan=before.dtype.kind == "f"):
            return f"{path}: other numbers"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="compare with the files, write nothing")
    parser.add_argument("--only", metavar="NAMES", help="these programs, separated by commas")
    parser.add_argument("--list", action="store_true", help="print the programs' names and subjects")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(PROGRAMS)
    if unknown := [name for name in names if name not in PROGRAMS]:
        parser.error(f"no such programs: {', '.join(unknown)}; --list prints those there are")
    if options.list:
        for name in names:
            print(f"{name:28} {PROGRAMS[name].subject}")
        return 0
    differing = 0
    for name in names:
        files = make(PROGRAMS[name])
        if not options.check:
            write(name, files)
        elif problem := difference(name, files):
            differing += 1
            print(f"{name}: {problem}")
    folders = {path.name for path in FOLDER.iterdir()} - set(PROGRAMS) if FOLDER.exists() else ()
    for name in sorted(folders):
        differing += 1
        print(f"{name}: no program makes this folder")
    print(f"{len(names)} programs, {differing} differences")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
