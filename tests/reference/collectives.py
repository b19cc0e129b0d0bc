#!/usr/bin/env python3
"""Makes data/collectives.jsonl: what torch.distributed's collectives give, on Gloo. See README.md.

    collectives.py                     makes the file
    collectives.py --check             says whether the file is what would be made, byte for byte
    collectives.py --show all_to_all   prints an op's cases

A line is a case: an op on a world of 2, 3, 4 or 8 processes.

    {"op": "reduce", "by": "reduce", "world": 3, "dtype": "f32", "form": "list", "groups": [[2, 0]],
     "reduce": "sum", "root": 1, "exact": true,
     "inputs": ["f32[2] 1 2", null, "f32[2] 3 4"], "results": ["f32[2] 4 6", null, null]}

inputs, results: of every rank; null for ranks in no group, and where the library leaves a result
    open (elsewhere than at a root). A number means: the same as that rank's.
groups: the ranks' lists. A single one: world (all ranks, sorted), order (all, not sorted), list
    (some, not sorted). Several: a partition, of halves of the world or of the rows or columns of a
    DeviceMesh of 2 x n/2 ranks.
root, pairs: places in a group's list.
axis: of the parts; all_to_all cuts along it and joins along `concat_axis`.
sizes: of uneven parts along the axis; for all_to_all a square matrix, in rows: what each member
    sends to each.
by: the function of torch.distributed that ran; one of "functional" is of its
    _functional_collectives. Lists of tensors were cut and joined by torch.split and torch.cat, and
    all_to_all_single had its axis moved to the front, as the library has it.
exact: false where rounding depends on the order of combination.

What differs from Tutti, or is not here:

    i16, u16, u32, u64        Gloo has them in send and recv only
    sum, product, min, max    of bool: the library takes them as or, and; Tutti refuses
    NaN, 0 and -0             not in min and max: what Gloo gives depends on the order of the ranks
    16 bits                   Gloo rounds after each addition, Tutti once: all cases are exact
    uneven gathers, scatters  Gloo refuses; made by an all_to_all_single of the same parts
    collective_permute        made by batch_isend_irecv; zeros where nothing arrives
"""

import argparse
import dataclasses
import datetime
import itertools
import json
import pathlib
import sys
import tempfile

from arrays import FLOATS, INTEGERS, make
import numpy as np
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional
from torch.distributed.device_mesh import init_device_mesh
import torch.multiprocessing as processes
from rows import random_of

FILE = pathlib.Path(__file__).parent / "data" / "collectives.jsonl"
WORLDS = (2, 3, 4, 8)
TIMEOUT = datetime.timedelta(seconds=60)

WHOLE = ("u8", "i8", "i32", "i64")
GLOO = (*FLOATS, *WHOLE)
REDUCTIONS = {
    "sum": GLOO, "mean": tuple(FLOATS), "product": GLOO, "min": GLOO, "max": GLOO,
    "bit_and": (*WHOLE, "bool"), "bit_or": (*WHOLE, "bool"), "bit_xor": (*WHOLE, "bool"),
}
# Their names in torch.distributed, where they differ.
NAMES = {"mean": "avg", "bit_and": "band", "bit_or": "bor", "bit_xor": "bxor"}
MOVED = (*GLOO, "bool")
SENT = (*MOVED, "i16", "u16", "u32", "u64")


@dataclasses.dataclass
class Case:
    """A line of the file without its numbers. `shape` is that of a rank's input, the same on all
    unless `sizes` say how long a member's is along the axis. `values` chooses the numbers."""

    op: str
    by: str
    world: int
    dtype: str
    form: str
    shape: tuple
    reduce: str | None = None
    root: int | None = None
    axis: int | None = None
    concat_axis: int | None = None
    sizes: list | None = None
    pairs: list | None = None
    values: str = "plain"

    @property
    def groups(self):
        return groups_of(self.world)[self.form]

    @property
    def members(self):
        return len(self.groups[0])

    @property
    def exact(self):
        return self.values != "rounded"

    def shape_of(self, position):
        shape = list(self.shape)
        if self.op in ("all_gather", "gather") and self.sizes:
            shape[self.axis] = self.sizes[position]
        if self.op == "all_to_all" and self.sizes:
            shape[self.axis] = sum(self.row(position))
        return tuple(shape)

    def row(self, position):
        """What a member sends to each."""
        return self.sizes[position * self.members:(position + 1) * self.members]

    def column(self, position):
        """What a member receives from each."""
        return self.sizes[position::self.members]

    def facts(self):
        out = {"op": self.op, "by": self.by, "world": self.world, "dtype": self.dtype,
               "form": self.form, "groups": self.groups}
        for name in ("reduce", "root", "axis", "concat_axis", "sizes", "pairs"):
            if getattr(self, name) is not None:
                out[name] = getattr(self, name)
        return out | {"exact": self.exact}


def groups_of(world):
    """The group forms of a world."""
    everyone = list(range(world))
    forms = {"world": [everyone], "order": [everyone[1::2] + everyone[::2]]}
    if world > 2:
        forms["list"] = [{3: [2, 0], 4: [2, 0, 3], 8: [6, 1, 3, 0, 7]}[world]]
    if world >= 4:
        half = world // 2
        forms["halves"] = forms["rows"] = [everyone[:half], everyone[half:]]
        forms["columns"] = [[i, i + half] for i in range(half)]
    return forms


# ---- The table: what runs.

def pick(names, *items):
    """A sequence of the items, each as often as the others, that begins somewhere else for other
    names."""
    start = int(random_of(*names).integers(len(items)))
    return itertools.islice(itertools.cycle(items), start, None)


SHAPES = ((5,), (4, 6), (), (2, 3, 4), (0,), (3, 1, 2), (8, 3), (1,), (7,), (2, 2, 3), (2, 0, 3),
          (3, 3), (2, 1, 2, 3))


def all_forms(op, dtypes, in_world, elsewhere):
    """(world, form, dtype): all dtypes or so many for a whole world and for other groups, another
    choice each time."""
    chosen = pick([op], *dtypes)
    for world in WORLDS:
        for form in groups_of(world):
            count = in_world if form == "world" else elsewhere
            for dtype in itertools.islice(chosen, min(count, len(dtypes))):
                yield world, form, dtype


def reduction_cases(op, in_world, elsewhere, details):
    """Cases of an op that combines. `details`: (world, form) -> the other fields."""
    for reduce, dtypes in REDUCTIONS.items():
        for world, form, dtype in all_forms(f"{op} {reduce}", dtypes, in_world, elsewhere):
            yield Case(op=op, world=world, dtype=dtype, form=form, reduce=reduce,
                       **details(world, form))
    for reduce in ("sum", "mean", "product"):
        for world, form, dtype in all_forms(f"{op} {reduce}", ("f32", "f64"), 1, 1):
            if form in ("world", "order", "columns"):
                yield Case(op=op, world=world, dtype=dtype, form=form, reduce=reduce,
                           values="rounded", **details(world, form))


def all_reduce_cases():
    shapes = pick(["all_reduce"], *SHAPES)
    yield from reduction_cases("all_reduce", 8, 2,
                               lambda *_: {"by": "all_reduce", "shape": next(shapes)})
    for world, form, dtype in all_forms("all_reduce corners", tuple(FLOATS), 2, 0):
        yield Case("all_reduce", "all_reduce", world, dtype, form, (6,), reduce="sum",
                   values="sum corners")


def reduce_cases():
    shapes = pick(["reduce"], *SHAPES)
    roots = itertools.count()

    def details(world, form):
        members = len(groups_of(world)[form][0])
        return {"by": "reduce", "shape": next(shapes), "root": next(roots) % members}

    yield from reduction_cases("reduce", 2, 1, details)


def parts(members, axis, each):
    """A shape whose axis has `members` parts of a size, or of several sizes."""
    whole = sum(each) if isinstance(each, list) else members * each
    return [(whole,), (whole, 3), (whole, 2, 2)] if axis == 0 else [(3, whole), (2, whole, 2)]


def uneven(name, members):
    """Uneven sizes, a zero among them where there are many members."""
    return [int(n) for n in random_of(name, str(members)).permutation(
        [3, 1, 2, 0, 1, 4, 2, 1][:members])]


def reduce_scatter_cases():
    ways = pick(["reduce_scatter"], ("reduce_scatter_tensor", 0, 1), ("reduce_scatter", 0, 2),
                ("functional.reduce_scatter_single", 1, 1), ("reduce_scatter", 1, 1),
                ("reduce_scatter", 0, None), ("reduce_scatter_tensor", 0, 0),
                ("reduce_scatter", 1, None))
    turn = itertools.count()

    def details(world, form):
        members = len(groups_of(world)[form][0])
        by, axis, each = next(ways)
        sizes = uneven("reduce_scatter", members) if each is None else None
        shapes = parts(members, axis, each if sizes is None else sizes)
        out = {"by": by, "axis": axis, "shape": shapes[next(turn) % len(shapes)]}
        return out | ({"sizes": sizes} if sizes else {})

    yield from reduction_cases("reduce_scatter", 3, 1, details)


def broadcast_cases():
    shapes = pick(["broadcast"], *SHAPES)
    roots = itertools.count()
    for world, form, dtype in all_forms("broadcast", MOVED, 9, 3):
        members = len(groups_of(world)[form][0])
        yield Case("broadcast", "broadcast", world, dtype, form, next(shapes),
                   root=next(roots) % members)


def gather_cases():
    """all_gather and gather."""
    shapes = pick(["all_gather"], *(shape for shape in SHAPES if len(shape) > 1), (5,), (0,))
    roots = itertools.count()
    for op, ways in (
            ("all_gather", ("all_gather_into_tensor", "all_gather", "functional.all_gather_single",
                            "all_to_all_single")),
            ("gather", ("gather", "gather", "all_to_all_single"))):
        by = pick([op], *ways)
        axes = itertools.count()
        for world, form, dtype in all_forms(op, MOVED, 12, 4):
            case = Case(op, next(by), world, dtype, form, next(shapes), axis=0)
            if op == "gather":
                case.root = next(roots) % case.members
            if case.by == "all_to_all_single":
                case.sizes = uneven(op, case.members)
            if case.by != "all_gather_into_tensor":
                case.axis = next(axes) % len(case.shape)
            yield case


def scatter_cases():
    ways = pick(["scatter"], ("scatter", 0, 1), ("scatter", 1, 2), ("all_to_all_single", 0, None),
                ("scatter", 1, 1), ("scatter", 0, 0), ("all_to_all_single", 1, None))
    turn = itertools.count()
    for world, form, dtype in all_forms("scatter", MOVED, 9, 4):
        by, axis, each = next(ways)
        members = len(groups_of(world)[form][0])
        sizes = uneven("scatter", members) if each is None else None
        shapes = parts(members, axis, each if sizes is None else sizes)
        number = next(turn)
        yield Case("scatter", by, world, dtype, form, shapes[number % len(shapes)],
                   root=number % members, axis=axis, sizes=sizes)


def all_to_all_cases():
    # The function, and the axes along which it cuts and joins; None: uneven parts.
    ways = pick(["all_to_all"], ("all_to_all_single", 0, 0), ("all_to_all", 0, 0),
                ("all_to_all", 1, 0), ("all_to_all_single", 0, None), ("all_to_all", 0, 1),
                ("all_to_all_single", 1, None), ("all_to_all", 1, 1),
                ("all_to_all_single", 0, None))
    turn = itertools.count()
    for world, form, dtype in all_forms("all_to_all", MOVED, 12, 5):
        by, axis, concat_axis = next(ways)
        members = len(groups_of(world)[form][0])
        number = next(turn)
        case = Case("all_to_all", by, world, dtype, form, (), axis=axis)
        if concat_axis is None:
            case.sizes = [int(n) for n in
                          random_of("all_to_all", str(number)).integers(0, 4, members**2)]
            case.shape = ((0, 2), (0,), (0, 1, 2))[number % 3] if axis == 0 else (2, 0)
        else:
            case.concat_axis = concat_axis
            shapes = parts(members, axis, 1 + number % 2)
            case.shape = shapes[number % len(shapes)]
            if concat_axis >= len(case.shape):
                case.shape = (*case.shape, 3)
        yield case


def permute_cases():
    shapes = pick(["collective_permute"], *SHAPES)
    kinds = pick(["collective_permute"], "ring", "back", "chain", "swap")
    for world, form, dtype in all_forms("collective_permute", SENT, 13, 4):
        members = len(groups_of(world)[form][0])
        pairs = {
            "ring": [[i, (i + 1) % members] for i in range(members)],
            "back": [[i, (i - 1) % members] for i in range(members)],
            "chain": [[i, i + 1] for i in range(members - 1)],
            "swap": [[0, members - 1], [members - 1, 0]],
        }[next(kinds)]
        yield Case("collective_permute", "batch_isend_irecv", world, dtype, form, next(shapes),
                   pairs=pairs)


def table():
    for cases in (all_reduce_cases, reduce_cases, reduce_scatter_cases, broadcast_cases,
                  gather_cases, scatter_cases, all_to_all_cases, permute_cases):
        yield from cases()


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


# ---- The file.

def shared(texts):
    """Equal arrays once: the number of the first rank that has it."""
    return [text if text is None or texts.index(text) == rank else texts.index(text)
            for rank, text in enumerate(texts)]


def whole_file():
    numbers = {}
    with tempfile.TemporaryDirectory() as folder:
        for world in WORLDS:
            processes.start_processes(run_rank, (world, folder), world, start_method="fork")
            ranks = [json.loads((pathlib.Path(folder) / f"{world}.{rank}.json").read_text())
                     for rank in range(world)]
            numbers[world] = zip(*ranks)
    lines = []
    for case in table():
        ranks = next(numbers[case.world])
        lines.append(case.facts() | {"inputs": shared([given for given, _ in ranks]),
                                     "results": shared([got for _, got in ranks])})
    return "".join(json.dumps(line) + "\n" for line in lines)


def check():
    made = whole_file()
    if not FILE.exists():
        print("no file")
        return False
    kept = FILE.read_text()
    if made == kept:
        print(f"all {len(kept.splitlines())} cases are as the file says")
        return True
    new, old = made.splitlines(), kept.splitlines()
    different = [(a, b) for a, b in zip(new, old) if a != b]
    print(f"{len(new)} cases, {len(old)} in the file; {len(different)} of them differ. The first:")
    for pair in different[:1]:
        print("made:", pair[0], "file:", pair[1], sep="\n")
    return False


def show(op):
    for line in FILE.read_text().splitlines():
        case = json.loads(line)
        if case["op"] != op:
            continue
        arrays = case.pop("inputs"), case.pop("results")
        print(*(f"{key}={value}" for key, value in case.items()))
        for what, texts in zip(("input", "result"), arrays):
            for rank, text in enumerate(texts):
                print(f"  {what} {rank}: {texts[text] if isinstance(text, int) else text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--show", metavar="OP", choices=sorted(RUN))
    options = parser.parse_args()
    if options.show:
        show(options.show)
        return 0
    if options.check:
        return 0 if check() else 1
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(whole_file())
    return 0


if __name__ == "__main__":
    sys.exit(main())
