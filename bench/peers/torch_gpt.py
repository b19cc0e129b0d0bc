"""bench/gpt.cpp's measurement with torch: torch_gpt.py STEPS [cuda]. Eager on the CPU, compiled with
CUDA graphs on a GPU. Started once, or once a rank with torchrun's variables, where DistributedDataParallel over gloo sums the gradients. The model is
that of examples/char_gpt.h, of equally many parameters; OMP_NUM_THREADS says how many threads
compute."""

import json
import os
import statistics
import sys
import time

import torch
import torch.distributed as distributed
from torch import nn
from torch.nn import functional

BATCH, CONTEXT, WIDTH, HEADS, LAYERS, VOCABULARY = 16, 128, 128, 4, 4, 128
FIRST = 3  # steps that warm up


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)

    def attention(self, x):
        batch, context, _ = x.shape
        parts = self.qkv(x).view(batch, context, 3, HEADS, WIDTH // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.out(mixed.transpose(1, 2).reshape(batch, context, WIDTH))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(functional.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Parameter(torch.zeros(CONTEXT, WIDTH))
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, x, y):
        hidden = self.tokens(x) + self.positions
        for block in self.blocks:
            hidden = block(hidden)
        scores = self.head(self.norm(hidden))
        return functional.cross_entropy(scores.view(-1, VOCABULARY), y.view(-1))


steps = int(sys.argv[1])
device = sys.argv[2] if len(sys.argv) > 2 else "cpu"
if device == "cpu":
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
torch.manual_seed(0)
model = Gpt().to(device)
rank, rows = 0, BATCH
if "RANK" in os.environ:
    distributed.init_process_group("gloo")
    rank = distributed.get_rank()
    rows = BATCH // distributed.get_world_size()
    model = nn.parallel.DistributedDataParallel(model)
if device != "cpu":
    model = torch.compile(model, mode="reduce-overhead")
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)

text = [0, 0]
generator = torch.Generator().manual_seed(1)
for noise in torch.randint(4, (1 << 15,), generator=generator).tolist():
    text.append((text[-1] * 5 + text[-2] + noise) % VOCABULARY)
text = torch.tensor(text)

seconds = []
for _ in range(FIRST + steps):
    starts = torch.randint(len(text) - CONTEXT - 1, (BATCH,), generator=generator)
    starts = starts[rank * rows : (rank + 1) * rows]
    x = torch.stack([text[start : start + CONTEXT] for start in starts])
    y = torch.stack([text[start + 1 : start + 1 + CONTEXT] for start in starts])
    begin = time.perf_counter()
    loss = model(x.to(device), y.to(device))
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    optimiser.step()
    loss.item()
    seconds.append(time.perf_counter() - begin)
if rank == 0:
    median = statistics.median(seconds[FIRST:])
    print(json.dumps({"key": "step", "seconds": median}), flush=True)
if distributed.is_initialized():
    distributed.barrier()
    distributed.destroy_process_group()
