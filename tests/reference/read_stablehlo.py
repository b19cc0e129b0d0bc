"""Compares programs with what JAX's compiler makes of them.

    python3 tests/reference/read_stablehlo.py --tutti build/release/bin/tutti FILE.tutti ...

Each program is exported (`tutti export`), compiled and run on the CPU with arguments made here, and
its results are compared with those of `tutti run`. Needs numpy and jax. A program of several ranks
runs on as many devices of the host. .npy files have no bf16, so programs have to take and give f32
and cast it. --inputs DIR takes arguments from DIR/NAME.npy where they are.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Before jax is loaded. 16-bit results are rounded where the program says so.
os.environ["XLA_FLAGS"] = (
    os.environ.get("XLA_FLAGS", "")
    + " --xla_force_host_platform_device_count=8 --xla_allow_excess_precision=false"
)
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from jax._src import compiler  # noqa: E402
from jax._src.interpreters import mlir  # noqa: E402
from jax._src.lib import xla_client  # noqa: E402
from jax._src.lib.mlir import ir  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

jax.config.update("jax_enable_x64", True)

DTYPES = {
    "i1": np.bool_, "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64,
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "f16": np.float16,
    "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
}  # fmt: skip


def signature(text):
    """Names, dtypes and shapes of @main's arguments."""
    head = re.search(r"@main\((.*?)\)(?: ->| \{\n)", text).group(1)
    for name, inside in re.findall(r"%([\w.$]+): tensor<([^>]*)>", head):
        *sizes, dtype = inside.split("x")
        yield name, DTYPES[dtype], tuple(int(size) for size in sizes)


def is_replicated(program, name):
    found = re.search(rf"%{re.escape(name)}: \w+\[[^\]]*\] rep\(", program)
    return found is not None


def make(rng, dtype, shape, low, high):
    if np.issubdtype(dtype, np.integer):
        least = 0 if np.issubdtype(dtype, np.unsignedinteger) else -4
        return rng.integers(least, 9, shape).astype(dtype)
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(bool)
    return np.asarray(rng.uniform(low, high, shape)).astype(dtype)


def run_jax(text, arguments):
    """Each rank's results; arguments[rank] are one rank's."""
    ranks = len(arguments)
    devices = jax.devices()[:ranks]
    options = xla_client.CompileOptions()
    options.num_replicas = ranks
    options.num_partitions = 1
    options.device_assignment = xla_client.DeviceAssignment.create(
        np.arange(ranks, dtype=np.int32).reshape(ranks, 1)
    )
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        module.operation.verify()
        executable = compiler.backend_compile_and_load(
            devices[0].client, module, xla_client.DeviceList(tuple(devices)), options, []
        )
    if ranks == 1:
        return [[np.asarray(x) for x in executable.execute(
            [jax.device_put(argument, devices[0]) for argument in arguments[0]])]]
    # Nobody checks that "replicated" arrays are the same on all devices, and here they are not.
    replicated = NamedSharding(Mesh(np.array(devices), "rank"), PartitionSpec())
    shared = [
        jax.make_array_from_single_device_arrays(
            arguments[0][i].shape,
            replicated,
            [jax.device_put(arguments[rank][i], devices[rank]) for rank in range(ranks)],
        )
        for i in range(len(arguments[0]))
    ]
    arrays = executable.execute_sharded(shared).disassemble_into_single_device_arrays()
    return [[np.asarray(array[rank]) for array in arrays] for rank in range(ranks)]


def write(path, array):
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, array)


def close(actual, expected):
    """The largest difference; None if dtypes, shapes or integers differ."""
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return None
    if actual.dtype.kind in "biu":
        return 0.0 if np.array_equal(actual, expected) else None
    tolerance = {2: 2e-2, 4: 2e-4, 8: 1e-10}[actual.dtype.itemsize]
    a, b = actual.astype(np.float64), expected.astype(np.float64)
    if not np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True):
        return None
    both = np.isfinite(a) & np.isfinite(b)
    return float(np.max(np.abs(a[both] - b[both]), initial=0))


def compare(tutti, program, inputs, bounds):
    exported = subprocess.run([tutti, "export", program], capture_output=True, text=True)
    if exported.returncode != 0:
        return "no export: " + exported.stderr.strip()
    text = exported.stdout
    source = pathlib.Path(program).read_text()
    ranks = int(re.search(r"num_replicas = (\d+)", text).group(1))
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        arguments = [[] for _ in range(ranks)]
        for name, dtype, shape in signature(text):
            given = inputs and (pathlib.Path(inputs) / f"{name}.npy")
            for rank in range(ranks):
                if given and given.exists():
                    array = np.load(given)
                elif rank == 0 or not is_replicated(source, name):
                    array = make(rng, dtype, shape, *bounds)
                arguments[rank].append(array)
                write(folder / "in" / (f"rank{rank}/{name}.npy" if ranks > 1 else f"{name}.npy"),
                      array)
        out = folder / "out"
        command = [tutti, "run", program, "--output", str(out)]
        if arguments[0]:
            command += ["--input", str(folder / "in")]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode != 0:
            return "no run: " + ran.stderr.strip()
        worst = 0.0
        count = 0
        try:
            all_results = run_jax(text, arguments)
        except jax.errors.JaxRuntimeError as error:
            return "refused by jax: " + str(error).splitlines()[0]
        for rank, results in enumerate(all_results):
            for i, actual in enumerate(results):
                path = out / (f"rank{rank}/{i}.npy" if ranks > 1 else f"{i}.npy")
                difference = close(actual, np.load(path))
                if difference is None:
                    return f"DIFFERS: result {i} of rank {rank}"
                worst = max(worst, difference)
                count += 1
    return f"same: {count} results, {ranks} ranks, at most {worst:.1e} apart"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tutti", default="build/release/bin/tutti")
    parser.add_argument("--inputs", help="a folder with NAME.npy for some of the arguments")
    parser.add_argument("--low", type=float, default=-2, help="of floating-point arguments")
    parser.add_argument("--high", type=float, default=2)
    parser.add_argument("programs", nargs="+", metavar="FILE.tutti")
    options = parser.parse_args()
    differs = False
    for program in options.programs:
        verdict = compare(
            options.tutti, program, options.inputs, (options.low, options.high)
        )
        differs = differs or not verdict.startswith("same")
        print(f"{pathlib.Path(program).name}: {verdict}", flush=True)
    sys.exit(1 if differs else 0)


if __name__ == "__main__":
    main()
