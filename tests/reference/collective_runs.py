"""Runs the cases of collective_cases.py with torch.distributed, one process a rank."""

import dataclasses
import datetime
import json
import pathlib

from arrays import FLOATS, INTEGERS, make
from collective_cases import groups_of, table
import numpy as np
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional
from torch.distributed.device_mesh import init_device_mesh
from rows import random_of

TIMEOUT = datetime.timedelta(seconds=60)
# Names of reductions in torch.distributed, where they differ.
NAMES = {"mean": "avg", "bit_and": "band", "bit_or": "bor", "bit_xor": "bxor"}


# ---- Numbers.

CORNERS = (np.nan, np.inf, -np.inf, -0.0, 0.0, 2.0**-14, -1.5, 96.0)


def float_values(case, random, shape, position):
    if case.values == "rounded":
        return random.uniform(-2, 2, shape)
    if case.values == "sum corners":
        # Only zeros below 0; infinities of one sign, at one rank and at all; a NaN at one; large
        # numbers that cancel exactly.
        first = position == 0
        return [-0.0, np.inf if first else 3.0, -np.inf, np.nan if first else 1.0,
                (-1.0)**position * 2.0**15, 0.0 if first else -0.0]
    if case.reduce in ("sum", "mean"):
        return random.integers(-8, 9, shape)
    if case.reduce == "product":
        return random.choice([-2, -1, -0.5, 0.5, 1, 2], shape)
    if case.reduce:  # min, max; no zeros
        return random.choice([-np.inf, *range(-99, 0), *range(1, 100), np.inf], shape)
    return random.choice([*CORNERS, *range(-9, 10)], shape)


def input_of(case, position, rank):
    """What a rank gives."""
    random = random_of(json.dumps(case.facts()), case.values, str(rank))
    shape = case.shape_of(position)
    if case.dtype in FLOATS:
        return make(float_values(case, random, shape, position), case.dtype, shape)
    if case.dtype == "bool":
        return torch.from_numpy(np.asarray(random.random(shape) < 0.5))
    dtype = INTEGERS[case.dtype]
    info = np.iinfo(dtype)
    low, high = int(info.min), int(info.max)
    if info.bits > 8 and case.reduce in ("sum", "product"):  # smaller ones wrap
        high = 3 if case.reduce == "product" else 10**6
        low = -high
    return torch.from_numpy(np.asarray(random.integers(low, high, shape, dtype, endpoint=True)))


# ---- What runs in a process.

@dataclasses.dataclass
class Group:
    """A rank's own group."""

    ranks: list
    process_group: dist.ProcessGroup
    position: int

    @property
    def size(self):
        return len(self.ranks)

    def is_root(self, case):
        return self.position == case.root


def pieces(x, axis, sizes):
    return [piece.contiguous() for piece in torch.split(x, sizes, axis)]


def even(x, axis, group):
    return [x.shape[axis] // group.size] * group.size


def empty(x, axis, size):
    shape = list(x.shape)
    shape[axis] = size
    return x.new_empty(shape)


def reduction(case):
    return getattr(dist.ReduceOp, NAMES.get(case.reduce, case.reduce).upper())


def run_all_reduce(case, x, group):
    dist.all_reduce(x, reduction(case), group.process_group)
    return x


def run_reduce(case, x, group):
    dist.reduce(x, op=reduction(case), group=group.process_group, group_dst=case.root)
    return x if group.is_root(case) else None


def run_reduce_scatter(case, x, group):
    sizes = case.sizes or even(x, case.axis, group)
    if case.by == "functional.reduce_scatter_single":
        name = NAMES.get(case.reduce, case.reduce)
        return functional.wait_tensor(
            functional.reduce_scatter_single(x, name, case.axis, group.process_group))
    out = empty(x, case.axis, sizes[group.position])
    if case.by == "reduce_scatter_tensor":
        dist.reduce_scatter_tensor(out, x, reduction(case), group.process_group)
    else:
        dist.reduce_scatter(out, pieces(x, case.axis, sizes), reduction(case), group.process_group)
    return out


def run_broadcast(case, x, group):
    dist.broadcast(x, group=group.process_group, group_src=case.root)
    return x


def exchange(case, x, group, send_sizes, receive_sizes):
    """Parts along the axis from each to each."""
    x = x.movedim(case.axis, 0).contiguous()
    out = empty(x, 0, sum(receive_sizes))
    dist.all_to_all_single(out, x, receive_sizes, send_sizes, group.process_group)
    return out.movedim(0, case.axis)


def run_all_gather(case, x, group):
    if case.by == "all_to_all_single":
        send = [x.shape[case.axis]] * group.size
        return exchange(case, torch.cat([x] * group.size, case.axis), group, send, case.sizes)
    if case.by == "all_gather_into_tensor":
        out = empty(x, 0, group.size * x.shape[0])
        dist.all_gather_into_tensor(out, x, group.process_group)
        return out
    if case.by == "functional.all_gather_single":
        return functional.wait_tensor(
            functional.all_gather_single(x, case.axis, group.process_group))
    out = [torch.empty_like(x) for _ in group.ranks]
    dist.all_gather(out, x, group.process_group)
    return torch.cat(out, case.axis)


def run_gather(case, x, group):
    at_root = group.is_root(case)
    if case.by == "all_to_all_single":
        send = [x.shape[case.axis] if i == case.root else 0 for i in range(group.size)]
        out = exchange(case, x, group, send, case.sizes if at_root else [0] * group.size)
        return out if at_root else None
    out = [torch.empty_like(x) for _ in group.ranks] if at_root else None
    dist.gather(x, out, group=group.process_group, group_dst=case.root)
    return torch.cat(out, case.axis) if at_root else None


def run_scatter(case, x, group):
    at_root = group.is_root(case)
    nothing = [0] * group.size
    if case.by == "all_to_all_single":
        receive = [case.sizes[group.position] if i == case.root else 0 for i in range(group.size)]
        if not at_root:
            return exchange(case, empty(x, case.axis, 0), group, nothing, receive)
        return exchange(case, x, group, case.sizes, receive)
    sizes = even(x, case.axis, group)
    out = empty(x, case.axis, sizes[group.position])
    dist.scatter(out, pieces(x, case.axis, sizes) if at_root else None, group=group.process_group,
                 group_src=case.root)
    return out


def run_all_to_all(case, x, group):
    if case.by == "all_to_all_single":
        send = case.row(group.position) if case.sizes else even(x, 0, group)
        receive = case.column(group.position) if case.sizes else send
        return exchange(case, x, group, send, receive)
    parts_out = pieces(x, case.axis, even(x, case.axis, group))
    parts_in = [torch.empty_like(part) for part in parts_out]
    dist.all_to_all(parts_in, parts_out, group.process_group)
    return torch.cat(parts_in, case.concat_axis)


def run_permute(case, x, group):
    out = torch.zeros_like(x)
    messages = []
    for source, target in case.pairs:
        if source == group.position:
            messages.append(dist.P2POp(dist.isend, x, group=group.process_group, group_peer=target))
        if target == group.position:
            messages.append(dist.P2POp(dist.irecv, out, group=group.process_group,
                                       group_peer=source))
    for work in dist.batch_isend_irecv(messages) if messages else []:
        work.wait()
    return out


RUN = {
    "all_reduce": run_all_reduce, "reduce": run_reduce, "reduce_scatter": run_reduce_scatter,
    "broadcast": run_broadcast, "all_gather": run_all_gather, "gather": run_gather,
    "scatter": run_scatter, "all_to_all": run_all_to_all, "collective_permute": run_permute,
}


def join_groups(rank, world):
    """This rank's groups by form; every process makes all of them, in the same order."""
    mesh = None
    if world >= 4:
        mesh = init_device_mesh("cpu", (2, world // 2), mesh_dim_names=("down", "across"))
    joined = {}
    for form, groups in groups_of(world).items():
        for ranks in groups:
            if form in ("rows", "columns"):
                made = mesh.get_group("across" if form == "rows" else "down")
            else:
                made = dist.new_group(ranks, sort_ranks=False)
            if rank not in ranks:
                continue
            if dist.get_process_group_ranks(made) != ranks or \
                    dist.get_rank(made) != ranks.index(rank):
                raise ValueError(f"{form} of {world} has other ranks than {ranks}")
            joined[form] = Group(ranks, made, ranks.index(rank))
    return joined


def text_of(x):
    """ "f32[2] 1 -0.5": exactly, as the shortest text of a double."""
    if x is None:
        return None
    names = {np.dtype(dtype): name for name, dtype in INTEGERS.items()}
    dtype = next((name for name, known in FLOATS.items() if x.dtype == known), None) or \
        ("bool" if x.dtype == torch.bool else names[x.numpy().dtype])
    numbers = [repr(n).removesuffix(".0") if isinstance(n, float) else str(int(n))
               for n in x.reshape(-1).tolist()]
    return " ".join([f"{dtype}[{','.join(str(n) for n in x.shape)}]", *numbers])


def run_rank(rank, world, folder):
    """Runs a world's cases as one of its ranks, and writes down what it gave and got."""
    dist.init_process_group("gloo", init_method=f"file://{folder}/store{world}", rank=rank,
                            world_size=world, timeout=TIMEOUT)
    joined = join_groups(rank, world)
    lines = []
    for case in table():
        if case.world != world:
            continue
        group = joined.get(case.form)
        if group is None:
            lines.append([None, None])
            continue
        x = input_of(case, group.position, rank)
        given = text_of(x)
        try:
            got = text_of(RUN[case.op](case, x, group))
        except Exception as error:
            raise RuntimeError(f"in {case}") from error
        lines.append([given, got])
    (pathlib.Path(folder) / f"{world}.{rank}.json").write_text(json.dumps(lines))
    dist.barrier()
    dist.destroy_process_group()
