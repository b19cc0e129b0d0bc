"""The cases of data/collectives.jsonl without their numbers: which op runs on which ranks, on what."""

import dataclasses
import itertools

from arrays import FLOATS
from rows import random_of

WORLDS = (2, 3, 4, 8)
WHOLE = ("u8", "i8", "i32", "i64")
GLOO = (*FLOATS, *WHOLE)
REDUCTIONS = {
    "sum": GLOO, "mean": tuple(FLOATS), "product": GLOO, "min": GLOO, "max": GLOO,
    "bit_and": (*WHOLE, "bool"), "bit_or": (*WHOLE, "bool"), "bit_xor": (*WHOLE, "bool"),
}
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
