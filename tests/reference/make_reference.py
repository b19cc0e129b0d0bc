#!/usr/bin/env python3
"""Makes the reference files in tests/reference/data, or checks them. See README.md.

    make_reference.py                 makes all files
    make_reference.py --only exp,log  makes those ops' files
    make_reference.py --check         says how the files differ from what would be made
    make_reference.py --show exp      prints an op's cases
"""

import argparse
import json
import pathlib
import sys

from arrays import TOLERANCES, dtype_of, from_raw, numbers, raw
import numpy as np
import torch
from rows import cases_of

import elementwise
import indexing
import order
import products
import reductions
import shaping

FOLDER = pathlib.Path(__file__).parent / "data"
ALIGNMENT = 8


def table():
    rows = {}
    for family in (elementwise, shaping, reductions, order, indexing, products):
        for row in family.rows():
            rows.setdefault(row.op, []).append(row)
    return rows


def one_nan(array):
    """All NaNs with the same bits: which ones a processor gives means nothing."""
    if not isinstance(array, torch.Tensor):
        return array
    return torch.where(torch.isnan(array), torch.full_like(array, torch.nan), array)


class Packer:
    """Puts arrays one after another, each once, and says where they are: "f32[2,3]@64"."""

    def __init__(self):
        self.data = bytearray()
        self.places = {}

    def put(self, array):
        if array is None:
            return None
        sizes = ",".join(str(n) for n in array.shape)
        content = raw(one_nan(array))
        what = f"{dtype_of(array)}[{sizes}]"
        if (what, content) not in self.places:
            self.data += bytes(-len(self.data) % ALIGNMENT)
            self.places[what, content] = len(self.data)
            self.data += content
        return f"{what}@{self.places[what, content]}"


def make(rows):
    """An op's .json and .npy file as (cases, data)."""
    packer = Packer()
    cases = []
    for row in rows:
        for case in cases_of(row):
            entry = {"name": case.use.name, "dtype": case.dtype}
            if case.use.attributes:
                entry["attributes"] = case.use.attributes
            if case.use.ir_only:
                entry["ir_only"] = True
            entry["operands"] = [packer.put(x) for x in case.use.operands]
            entry["results"] = [packer.put(x) for x in case.results]
            if case.gradients:
                entry["cotangents"] = [packer.put(x) for x in case.cotangents]
                entry["gradients"] = [packer.put(x) for x in case.gradients]
            cases.append(entry)
    return cases, np.frombuffer(bytes(packer.data), np.uint8)


def text_of(cases):
    """One line a case, for readable differences."""
    return "[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n"


def read(op):
    return (json.loads((FOLDER / f"{op}.json").read_text()), np.load(FOLDER / f"{op}.npy"))


def array_at(place, data):
    what, at = place.split("@")
    dtype, sizes = what[:-1].split("[")
    shape = tuple(int(n) for n in sizes.split(",") if n)
    one = {"bool": 1, "bf16": 2}.get(dtype) or int(dtype[1:]) // 8
    count = one * int(np.prod(shape, dtype=np.int64))
    return from_raw(data[int(at):int(at) + count].tobytes(), dtype, shape)


def arrays_of(case):
    return [x for key in ("operands", "results", "cotangents", "gradients")
            for x in case.get(key, []) if x is not None]


def distance(new, old):
    """The largest difference of two arrays, 1 being the tolerance; infinite if not comparable."""
    if new.shape != old.shape or dtype_of(new) != dtype_of(old):
        return np.inf
    if raw(new) == raw(old):
        return 0
    if dtype_of(new) not in TOLERANCES:
        return np.inf
    relative, absolute = TOLERANCES[dtype_of(new)]
    a, b = numbers(new), numbers(old)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(all="ignore"):
        apart = np.abs(a - b) / (absolute + relative * np.abs(b))
    return float(np.max(np.where(same, 0, np.where(np.isnan(apart), np.inf, apart)), initial=0))


def facts_of(case):
    """All of a case but where its arrays are."""
    return {key: [what and what.split("@")[0] for what in value]
            if key in ("operands", "results", "cotangents", "gradients") else value
            for key, value in case.items()}


def check(op, rows):
    """Prints how an op's files differ; whether the tests would take the new ones for the old."""
    cases, data = make(rows)
    if not (FOLDER / f"{op}.json").exists():
        print(f"{op}: no files")
        return False
    old_cases, old_data = read(op)
    cases = json.loads(text_of(cases))
    if cases == old_cases and np.array_equal(data, old_data):
        return True
    if [facts_of(case) for case in cases] != [facts_of(case) for case in old_cases]:
        print(f"{op}: other cases")
        return False
    worst = max((distance(array_at(new, data), array_at(old, old_data)),
                 case["name"], case["dtype"])
                for case, old_case in zip(cases, old_cases)
                for new, old in zip(arrays_of(case), arrays_of(old_case)))
    print(f"{op}: differs by {worst[0]:.3g} of the tolerance in {worst[1]} ({worst[2]})")
    return worst[0] <= 1


def show(op):
    cases, data = read(op)
    for case in cases:
        print(case["name"], case["dtype"], case.get("attributes", ""))
        for key in ("operands", "results", "cotangents", "gradients"):
            for place in case.get(key, []):
                shown = "none" if place is None else numbers(array_at(place, data))
                print(f"  {key[:-1]} {place}: {shown}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="ops, separated by commas")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--show", metavar="OP")
    options = parser.parse_args()
    if options.show:
        show(options.show)
        return 0
    rows = table()
    chosen = options.only.split(",") if options.only else list(rows)
    unknown = [op for op in chosen if op not in rows]
    if unknown:
        parser.error(f"no rows for {', '.join(unknown)}")
    if options.check:
        good = [check(op, rows[op]) for op in chosen]
        print(f"{sum(good)} of {len(good)} ops are as the files say")
        return 0 if all(good) else 1
    FOLDER.mkdir(exist_ok=True)
    for op in chosen:
        cases, data = make(rows[op])
        (FOLDER / f"{op}.json").write_text(text_of(cases))
        np.save(FOLDER / f"{op}.npy", data)
    if not options.only:
        for file in FOLDER.iterdir():
            if file.suffix in (".json", ".npy") and file.stem not in rows:
                file.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
