"""bench/dispatch.cpp's measurements with a peer: small_function.py PEER KEY...

PEER is jax, mlx, torch (compiled where it is called, eager where ops are traced) or drjit. MLX
records ops as we do; an eager op of torch is computed at once, on 16 elements."""

import json
import statistics
import sys
import time

BATCHES = 21


def measure(count, f):
    """The seconds that one of `count` operations takes, which f() does."""
    seconds = []
    for batch in range(-1, BATCHES):  # the first warms up
        begin = time.perf_counter()
        f()
        if batch >= 0:
            seconds.append((time.perf_counter() - begin) / count)
    return statistics.median(seconds)


def measure_calls(call):
    calls = 200

    def repeat():
        for _ in range(calls):
            call()

    return measure(calls, repeat)


def measure_tracing(small_function, a, rounds):
    traces = 6000 // (3 * rounds)

    def repeat():
        for _ in range(traces):
            small_function(a, rounds)

    return measure(traces * 3 * rounds, repeat)


def with_tanh(tanh):
    def small_function(a, rounds):
        for _ in range(rounds):
            a = tanh(a) * 1.01 + 0.1
        return a

    return small_function


def jax_peer():
    import jax

    f = jax.jit(lambda a: with_tanh(jax.numpy.tanh)(a, 10))
    a = jax.numpy.ones(16)
    steps = 100_000
    loop = jax.jit(lambda a: jax.lax.fori_loop(0, steps, lambda i, h: jax.numpy.tanh(h), a))
    return {
        "call_30": lambda: measure_calls(lambda: jax.block_until_ready(f(a))),
        "step_16": lambda: measure(steps, lambda: jax.block_until_ready(loop(a))),
    }


def mlx_peer():
    import mlx.core as mx

    mx.set_default_device(mx.cpu)
    small_function = with_tanh(mx.tanh)
    f = mx.compile(lambda a: small_function(a, 10))
    a = mx.ones(16)
    mx.eval(a)
    return {
        "call_30": lambda: measure_calls(lambda: mx.eval(f(a))),
        "trace_30": lambda: measure_tracing(small_function, a, 10),
        "trace_1000": lambda: measure_tracing(small_function, a, 333),
    }


def torch_peer():
    import torch

    torch.set_num_threads(1)
    small_function = with_tanh(torch.tanh)
    a = torch.ones(16)
    compiled = torch.compile(lambda a: small_function(a, 10), dynamic=False)
    return {
        "call_30": lambda: measure_calls(lambda: compiled(a)),
        "trace_30": lambda: measure_tracing(small_function, a, 10),
        "trace_1000": lambda: measure_tracing(small_function, a, 333),
    }


def drjit_peer():
    import drjit as dr
    from drjit.llvm import Float

    small_function = with_tanh(dr.tanh)
    a = dr.full(Float, 1.0, 16)
    dr.eval(a)

    def call():  # Dr.Jit traces each time, and finds the kernel that it made for such a trace
        dr.eval(small_function(a, 10))
        dr.sync_thread()

    return {"call_30": lambda: measure_calls(call)}


PEERS = {"jax": jax_peer, "mlx": mlx_peer, "torch": torch_peer, "drjit": drjit_peer}

measurements = PEERS[sys.argv[1]]()
for key in sys.argv[2:]:
    print(json.dumps({"key": key, "seconds": measurements[key]()}), flush=True)
