"""bench/all_reduce.cpp's measurement with torch.distributed over gloo, started once a rank with
torchrun's variables: gloo_all_reduce.py BATCHES BYTES:CALLS...

gloo works in place; zeros stay zeros, however often they are summed."""

import json
import statistics
import sys
import time

import torch
import torch.distributed as distributed

torch.set_num_threads(1)
distributed.init_process_group("gloo")
batches = int(sys.argv[1])
for size in sys.argv[2:]:
    nbytes, calls = map(int, size.split(":"))
    values = torch.zeros(nbytes // 4)
    seconds = []
    for batch in range(-1, batches):  # the first warms up
        distributed.barrier()
        begin = time.perf_counter()
        for _ in range(calls):
            distributed.all_reduce(values)
        if batch >= 0:
            seconds.append((time.perf_counter() - begin) / calls)
    if distributed.get_rank() == 0:
        print(json.dumps({"key": str(nbytes), "seconds": statistics.median(seconds)}), flush=True)
distributed.destroy_process_group()
