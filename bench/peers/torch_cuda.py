"""bench/cuda.cpp's measurements with torch.compile: torch_cuda.py compile|copy KEY...

copy: the time in which the device copies as many bytes as the function reads and writes."""

import json
import statistics
import sys
import time

import torch
from torch.nn import functional

BATCHES, CALLS = 15, 20
ROWS, COLUMNS = 32 << 10, 2048


def chain(x):
    return functional.gelu(x * 1.01 + 0.1, approximate="tanh") * x


def softmax(x):
    return torch.softmax(x, -1)


def layer_norm(x):
    return functional.layer_norm(x, (COLUMNS,))


def replay(a):
    return torch.softmax(a.sum(0, keepdim=True) * a, -1)


def measure(call, calls, waits):
    seconds = []
    for batch in range(-2, BATCHES):  # the first two warm up
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        if waits:
            torch.cuda.synchronize()
        if batch >= 0:
            seconds.append((time.perf_counter() - begin) / calls)
    torch.cuda.synchronize()
    return statistics.median(seconds)


how, keys = sys.argv[1], sys.argv[2:]
functions = {"chain": chain, "softmax": softmax, "layer_norm": layer_norm, "replay": replay}
for key in keys:
    small = key == "replay"
    x = torch.ones(16, 16, device="cuda") if small else torch.randn(ROWS, COLUMNS, device="cuda")
    if how == "copy":
        if small:
            continue
        target = torch.empty_like(x)
        seconds = measure(lambda: target.copy_(x), CALLS, True)
    else:
        # "reduce-overhead" replays CUDA graphs, as we do.
        compiled = torch.compile(functions[key], mode="reduce-overhead" if small else None)
        seconds = measure(lambda: compiled(x), 100 if small else CALLS, not small)
    print(json.dumps({"key": key, "seconds": seconds}), flush=True)
