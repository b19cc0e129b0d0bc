"""bench/attention.cpp's measurements with torch: torch_attention.py KEY..."""

import json
import statistics
import sys
import time

import torch
from torch.nn.functional import scaled_dot_product_attention

BATCHES, HEADS, SIZE = 15, 8, 64


def measure(call):
    seconds = []
    for batch in range(-2, BATCHES):  # the first two warm up
        begin = time.perf_counter()
        call()
        if batch >= 0:
            seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)


for key in sys.argv[1:]:
    time_steps = int(key.split("_")[0])
    backward = key.endswith("_gradient")
    q, k, v, weight = (torch.randn(1, HEADS, time_steps, SIZE) for _ in range(4))
    for x in (q, k, v):
        x.requires_grad_(backward)

    def call():
        out = scaled_dot_product_attention(q, k, v, is_causal=True)
        if backward:
            torch.autograd.grad((out * weight).sum(), (q, k, v))

    print(json.dumps({"key": key, "seconds": measure(call)}), flush=True)
