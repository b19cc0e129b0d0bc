"""What bench/compare measures: a table of rows, and the programs that rows take their figures from.

A program prints lines of JSON, {"key": ..., "seconds": ...}; a row names a program and a key. To
add a row, add a Program for each side that has none yet, and call row() once."""

import dataclasses
import os
import pathlib
import shutil
import subprocess
import typing

PEERS = pathlib.Path(__file__).resolve().parent / "peers"


class Missing(Exception):
    """Why a program can't run here."""


@dataclasses.dataclass(frozen=True)
class Context:
    """Where things are; from compare's options."""

    build: pathlib.Path
    python: str

    def ours(self, name):
        program = self.build / "bin" / name
        if not program.exists():
            raise Missing(f"{program} is not built: ninja -C {self.build} tutti_benches")
        return str(program)

    def compiled_peer(self, compiler, source):
        """Compiles a C program of peers/ once."""
        if shutil.which(compiler) is None:
            raise Missing(f"no {compiler}")
        program = self.build / "peers" / source.stem
        if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
            program.parent.mkdir(parents=True, exist_ok=True)
            done = subprocess.run(
                [compiler, "-O2", "-o", program, source], capture_output=True, text=True
            )
            if done.returncode != 0:
                raise Missing(f"{source.name} does not compile:\n{done.stderr}")
        return str(program)

    def needs_module(self, module):
        done = subprocess.run([self.python, "-c", f"import {module}"], capture_output=True)
        if done.returncode != 0:
            raise Missing(f"{self.python} has no {module} (--python PATH?)")


@dataclasses.dataclass(frozen=True)
class Program:
    """`command(context, keys)` is what to run for some keys at once, or raises Missing. It is
    started `ranks` times, as ranks with torchrun's variables, or once if that is 0 (it may start
    ranks itself)."""

    name: str
    command: typing.Callable
    ranks: int = 0
    environment: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Limit:
    """A peer that needs no program: what ours may take."""

    name: str
    seconds: float


@dataclasses.dataclass(frozen=True)
class Row:
    """`goal` is the largest ratio of our time to the best peer's that we want."""

    name: str
    key: str
    ours: Program
    peers: tuple
    goal: float
    unit: str = "us"


ROWS = []


def row(*arguments, **named):
    ROWS.append(Row(*arguments, **named))


# ---- all_reduce between two processes

ALL_REDUCE_BATCHES = 11
# Bytes, and how many calls a batch has; the same for all programs.
ALL_REDUCE_CALLS = {16: 500, 64 << 10: 50, 1 << 20: 10, 64 << 20: 1}


def all_reduce_sizes(keys):
    return [f"{key}:{ALL_REDUCE_CALLS[int(key)]}" for key in keys]


def our_all_reduce(context, keys):
    return [
        context.ours("bench_all_reduce"),
        f"--batches={ALL_REDUCE_BATCHES}",
        *all_reduce_sizes(keys),
    ]


def mpi_all_reduce(context, keys):
    if shutil.which("mpirun") is None:
        raise Missing("no mpirun")
    program = context.compiled_peer("mpicc", PEERS / "mpi_all_reduce.c")
    return [
        *("mpirun", "-n", "2", "--oversubscribe", "--bind-to", "none"),
        *("--mca", "btl", "self,vader"),  # shared memory
        *(["--allow-run-as-root"] if os.geteuid() == 0 else []),
        program,
        str(ALL_REDUCE_BATCHES),
        *all_reduce_sizes(keys),
    ]


def gloo_all_reduce(context, keys):
    context.needs_module("torch.distributed")
    return [
        context.python,
        str(PEERS / "gloo_all_reduce.py"),
        str(ALL_REDUCE_BATCHES),
        *all_reduce_sizes(keys),
    ]


ALL_REDUCE = Program("tutti", our_all_reduce, ranks=2)
ALL_REDUCE_PEERS = (
    Program("openmpi", mpi_all_reduce),
    # Otherwise gloo asks the name service for this host's address, which may not be there.
    Program("gloo", gloo_all_reduce, ranks=2, environment={"GLOO_SOCKET_IFNAME": "lo"}),
)

for label, size in (("16B", 16), ("64KiB", 64 << 10), ("1MiB", 1 << 20), ("64MiB", 64 << 20)):
    row(
        f"all_reduce/{label}",
        key=str(size),
        ours=ALL_REDUCE,
        peers=ALL_REDUCE_PEERS,
        goal=1.0 if size == 16 else 0.5,
    )

# ---- 64 all_reduce_ launched together, between two processes


def our_coalesced(how):
    return Program(
        "tutti" if how == "together" else how,
        lambda context, keys: [context.ours("bench_coalesced"), how, *keys],
        ranks=2,
        environment={"TUTTI_THREADS": "1"},
    )


TOGETHER = our_coalesced("together")
row(
    "collectives/coalesced_64x256B_cpu",
    key="256_cpu",
    ours=TOGETHER,
    peers=(our_coalesced("each"),),
    goal=0.125,
)
row(
    "collectives/coalesced_64x1MiB",
    key=str(1 << 20),
    ours=TOGETHER,
    peers=(our_coalesced("flat"),),
    goal=1.05,
    unit="ms",
)

# ---- A sum over two processes with what follows it, in one kernel or in several


def our_norm_of_sum(how):
    return Program(
        "tutti" if how == "one" else how,
        lambda context, keys: [context.ours("bench_norm_of_sum"), how, *keys],
        ranks=2,
        environment={"TUTTI_THREADS": "1"},
    )


for rows in (4, 1024):
    row(
        f"collectives/norm_of_sum_{rows}x1024",
        key=str(rows),
        ours=our_norm_of_sum("one"),
        peers=(our_norm_of_sum("two"), our_norm_of_sum("three")),
        goal=1.0,
    )

# ---- The front end: calls of a compiled function, and tracing


def our_dispatch(context, keys):
    return [context.ours("bench_dispatch"), *keys]


def small_function_peer(name, module):
    def command(context, keys):
        context.needs_module(module)
        return [context.python, str(PEERS / "small_function.py"), name, *keys]

    return Program(name, command)


DISPATCH = Program("tutti", our_dispatch)
JAX = small_function_peer("jax", "jax")
MLX = small_function_peer("mlx", "mlx.core")
TORCH = small_function_peer("torch", "torch")
DRJIT = small_function_peer("drjit", "drjit")

row(
    "call/30_ops_16_elements",
    key="call_30",
    ours=DISPATCH,
    peers=(JAX, MLX, TORCH, DRJIT),
    goal=0.33,  # 2 us where the best peer takes 6
)
for label in ("30", "1000"):
    row(
        f"trace/{label}_ops",
        key=f"trace_{label}",
        ours=DISPATCH,
        peers=(MLX, TORCH),
        goal=0.5,
        unit="ns",
    )

# ---- Loops


LOOPS = Program("tutti", lambda context, keys: [context.ours("bench_loops"), *keys])
UNROLLED = Program(
    "unrolled",
    lambda context, keys: [context.ours("bench_loops"), "--unrolled", *keys],
)
row("loops/step_16", key="step_16", ours=LOOPS, peers=(JAX,), goal=1.0, unit="ns")
row(
    "loops/step_16_limit",
    key="step_16",
    ours=LOOPS,
    peers=(Limit("40 ns", 40e-9),),
    goal=1.0,
    unit="ns",
)
row("loops/gpt", key="gpt", ours=LOOPS, peers=(UNROLLED,), goal=1.05, unit="ms")
row("loops/gpt_compile", key="gpt_compile", ours=LOOPS, peers=(UNROLLED,), goal=0.33, unit="s")

# ---- What is done with a program before code is generated for it


def our_passes(*options):
    return lambda context, keys: [context.ours("bench_passes"), *options, *keys]


PASSES = Program("tutti", our_passes())
for label in ("10000", "100000"):
    row(
        f"passes/growth_{label}_nodes",
        key=f"nodes_{label}",
        ours=PASSES,
        peers=(Program("n log n", our_passes("--scaled=1000")),),
        goal=1.0,
        unit="ms",
    )
row(
    "passes/100000_nodes",
    key="nodes_100000",
    ours=PASSES,
    peers=(Limit("3 s", 3.0),),
    goal=1.0,
    unit="ms",
)

# ---- A training step of a small GPT, with two threads in all

GPT_STEPS = 15


def our_gpt(context, keys):
    return [context.ours("bench_gpt"), f"--steps={GPT_STEPS}", *keys]


def torch_gpt(context, keys):
    context.needs_module("torch.distributed")
    return [context.python, str(PEERS / "torch_gpt.py"), str(GPT_STEPS)]


row(
    "gpt/one_rank",
    key="step",
    ours=Program("tutti", our_gpt, environment={"TUTTI_THREADS": "2"}),
    peers=(Program("torch", torch_gpt, environment={"OMP_NUM_THREADS": "2"}),),
    goal=1.0,
    unit="ms",
)
row(
    "gpt/two_ranks",
    key="step",
    ours=Program("tutti", our_gpt, ranks=2, environment={"TUTTI_THREADS": "1"}),
    peers=(Program("ddp", torch_gpt, ranks=2, environment={"GLOO_SOCKET_IFNAME": "lo"}),),
    goal=1.0,
    unit="ms",
)

# ---- Attention, with two threads


def our_attention(how):
    return lambda context, keys: [context.ours("bench_attention"), how, *keys]


def torch_attention(context, keys):
    context.needs_module("torch")
    return [context.python, str(PEERS / "torch_attention.py"), *keys]


ATTENTION = Program("tutti", our_attention("whole"), environment={"TUTTI_THREADS": "2"})
ATTENTION_PEERS = (
    Program("parts", our_attention("parts"), environment={"TUTTI_THREADS": "2"}),
    Program("torch", torch_attention, environment={"OMP_NUM_THREADS": "2"}),
)
for key in ("1024", "2048", "1024_gradient", "2048_gradient"):
    row(
        f"attention/{key}", key=key, ours=ATTENTION, peers=ATTENTION_PEERS, goal=1.0, unit="ms"
    )

# ---- Single ops, with two threads


def our_ops(context, keys):
    return [context.ours("bench_ops"), *keys]


def torch_ops(context, keys):
    context.needs_module("torch")
    return [context.python, str(PEERS / "torch_ops.py"), *keys]


def convolution_primitive(context, keys):
    return [context.ours("bench_convolution_primitive"), *keys]


OPS = Program("tutti", our_ops, environment={"TUTTI_THREADS": "2"})
TORCH_OPS = Program("torch", torch_ops, environment={"OMP_NUM_THREADS": "2"})
PRIMITIVE = Program("onednn", convolution_primitive, environment={"OMP_NUM_THREADS": "2"})
for key in ("convolution", "convolution_input_gradient", "convolution_weight_gradient"):
    row(f"ops/{key}", key=key, ours=OPS, peers=(TORCH_OPS, PRIMITIVE), goal=1.0, unit="ms")
for key in (
    "depthwise",
    "depthwise_input_gradient",
    "depthwise_weight_gradient",
    "grouped_weight_gradient",
    "grouped_block_gradient",
    "channel_sums",
    "channel_variances",
    "max_pool",
    "split_gradient",
    "sort_rows",
    "sort_one_row",
    "topk_rows",
    "topk_one_row",
    "cumsum_rows",
    "cumsum_one_row",
    "normal",
    "scatter_rows",
):
    row(f"ops/{key}", key=key, ours=OPS, peers=(TORCH_OPS,), goal=1.0)

# ---- On a GPU


def our_cuda(context, keys):
    return [context.ours("bench_cuda"), *keys]


def our_cuda_gpt(context, keys):
    return [context.ours("bench_gpt"), "--device=cuda", "--steps=50", *keys]


def needs_gpu(context):
    context.needs_module("torch")
    probe = "import sys, torch; sys.exit(not torch.cuda.is_available())"
    if subprocess.run([context.python, "-c", probe], capture_output=True).returncode != 0:
        raise Missing("torch finds no GPU")


def torch_cuda(how):
    def command(context, keys):
        needs_gpu(context)
        return [context.python, str(PEERS / "torch_cuda.py"), how, *keys]

    return command


def torch_cuda_gpt(context, keys):
    needs_gpu(context)
    return [context.python, str(PEERS / "torch_gpt.py"), "50", "cuda"]


CUDA = Program("tutti", our_cuda)
CUDA_COPY = Program("copy", torch_cuda("copy"))
CUDA_TORCH = Program("torch.compile", torch_cuda("compile"))
for key in ("chain", "softmax", "layer_norm"):
    row(
        f"cuda/{key}",
        key=key,
        ours=CUDA,
        peers=(CUDA_COPY, CUDA_TORCH),
        goal=1.18,  # 85% of the bandwidth of a copy
    )
row("cuda/replay", key="replay", ours=CUDA, peers=(CUDA_TORCH,), goal=1.0)
row(
    "cuda/gpt",
    key="step",
    ours=Program("tutti", our_cuda_gpt),
    peers=(Program("torch.compile", torch_cuda_gpt),),
    goal=1.0,
    unit="ms",
)
