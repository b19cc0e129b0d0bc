"""Which programs there are, as their files say it: listing them needs no JAX, nor anything else."""

import ast
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent
NOT_FAMILIES = {"families", "registry", "worker", "training"}

# What a program's large size spends its time on.
CLASSES = {
    "loop": "loops and small programs",
    "memory": "bound by memory",
    "product": "bound by products or convolutions",
}


def files():
    return [path for path in sorted(FOLDER.glob("*.py")) if path.stem not in NOT_FAMILIES]


def registrations(node):
    """The calls of program() among a statement's decorators."""
    return [
        decorator
        for decorator in getattr(node, "decorator_list", ())
        if isinstance(decorator, ast.Call) and getattr(decorator.func, "id", None) == "program"
    ]


def kinds():
    """The class of each program, by name: the first argument of @program(...)."""
    return {
        function.name: ast.literal_eval(call.args[0])
        for path in files()
        for function in ast.parse(path.read_text(), path.name).body
        for call in registrations(function)
    }
