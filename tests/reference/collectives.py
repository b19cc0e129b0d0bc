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
import json
import pathlib
import sys
import tempfile

from collective_cases import WORLDS, table
from collective_runs import RUN, run_rank
import torch.multiprocessing as processes

FILE = pathlib.Path(__file__).parent / "data" / "collectives.jsonl"


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
