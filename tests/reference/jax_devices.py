"""Programs of two and four devices. Arguments and results are whole."""

import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P
import numpy as np

from jax_registry import program


def on(count_or_sizes, names, inputs, outputs, checked=False):
    """shard_map over a mesh of the first devices. checked: JAX keeps book of what is the same on
    all devices."""
    sizes = np.atleast_1d(count_or_sizes)
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:np.prod(sizes)]).reshape(sizes), names)
    return functools.partial(jax.shard_map, mesh=mesh, in_specs=inputs, out_specs=outputs,
                             check_vma=checked)


def data_parallel_step(count):
    @on(count, ("data",), (P(), P("data")), (P(), P()))
    def step(w, x):
        loss, gradient = jax.value_and_grad(lambda w: jnp.mean(jnp.tanh(x @ w) ** 2))(w)
        return lax.pmean(loss, "data"), w - 0.1 * lax.psum(gradient, "data") / count

    return step


def draw_parallel(d):
    return d.normal(3, 2), d.normal(8, 3)


@program(draw_parallel)
def data_parallel_2(w, x):
    """psum of gradients on 2 devices"""
    return data_parallel_step(2)(w, x)


@program(draw_parallel)
def data_parallel_4(w, x):
    """psum of gradients on 4 devices"""
    return data_parallel_step(4)(w, x)


@program(draw_parallel, exported=True)
def data_parallel_exported(w, x):
    """The same by jax.export"""
    return data_parallel_step(2)(w, x)


@program(lambda d: (d.normal(4, 6), d.normal(6, 8), d.normal(8, 6)))
def tensor_parallel_mlp(x, up, down):
    """Columns, then rows of weights on 4 devices, one psum"""

    @on(4, ("model",), (P(), P(None, "model"), P("model", None)), P())
    def layer(x, up, down):
        return lax.psum(jax.nn.gelu(x @ up) @ down, "model")

    return layer(x, up, down)


@program(lambda d: (d.normal(4, 6), d.normal(6, 8), d.normal(8, 6)))
def tensor_parallel_gradient(x, up, down):
    """The gradient through a shard_map"""

    @on(2, ("model",), (P(), P(None, "model"), P("model", None)), P())
    def layer(x, up, down):
        return lax.psum(jnp.tanh(x @ up) @ down, "model")

    return jax.grad(lambda *w: jnp.sum(layer(x, *w) ** 2), (0, 1))(up, down)


def collective(name, subject, count, output, body):
    """A program of one collective on devices along an axis i."""

    def function(x):
        return on(count, ("i",), P("i"), output)(body)(x)

    function.__name__ = name
    function.__doc__ = subject
    program(lambda d: (d.normal(8, 4),))(function)


RING = [(i, (i + 1) % 4) for i in range(4)]

collective("all_gather", "all_gather, stacked and in a row", 4, (P(None, "i"), P()),
           lambda x: (lax.all_gather(x, "i"), lax.all_gather(x, "i", tiled=True)))
collective("reduce_scatter", "psum_scatter along each axis", 2, (P("i"), P("i")),
           lambda x: (lax.psum_scatter(x, "i", tiled=True),
                      lax.psum_scatter(x, "i", scatter_dimension=1, tiled=True)))
collective("all_to_all", "all_to_all between axes", 4, P(None, "i"),
           lambda x: lax.all_to_all(x, "i", 1, 0, tiled=True))
collective("ppermute_ring", "ppermute in a ring, and one that leaves zeros", 4, (P("i"), P("i")),
           lambda x: (lax.ppermute(x, "i", RING), lax.ppermute(x, "i", [(0, 2), (3, 1)])))
collective("pmax_pmin", "all_reduce of the largest and smallest", 4, (P(), P()),
           lambda x: (lax.pmax(x, "i"), lax.pmin(x, "i")))
collective("axis_index", "A device's own place", 4, P("i"),
           lambda x: x * lax.axis_index("i") + lax.axis_size("i"))
collective("psum_in_groups", "psum among pairs", 4, P("i"),
           lambda x: lax.psum(x, "i", axis_index_groups=[[0, 3], [1, 2]]))


@program(lambda d: (d.normal(4, 6), d.normal(6, 4)))
def mesh_2x2(x, w):
    """A 2x2 mesh: a product split both ways, psum along one axis and along both"""

    @on((2, 2), ("rows", "columns"), (P("rows", "columns"), P("columns", None)),
        (P("rows", None), P(), P(("rows", "columns"))))
    def product(x, w):
        y = lax.psum(x @ w, "columns")
        total = lax.psum(jnp.sum(y), ("rows", "columns"))
        place = 10 * lax.axis_index("rows") + lax.axis_index("columns")
        return y, total, jnp.full((2,), place)

    return product(x, w)


@program(lambda d: (d.normal(8, 4), d.normal(8, 4)))
def ring_of_steps(q, k):
    """ppermute in a fori_loop: parts go around while a sum is built"""

    @on(4, ("i",), (P("i"), P("i")), P("i"))
    def ring(q, k):
        def body(_, carry):
            k, total = carry
            return lax.ppermute(k, "i", RING), total + jnp.sum(q @ k.T, 1)

        return lax.fori_loop(0, 4, body, (k, jnp.zeros(2)))[1]

    return ring(q, k)


@program(lambda d: (d.normal(8, 4), d.normal(4, 4)))
def shard_map_between(x, w):
    """Whole values before and after a shard_map"""

    @on(2, ("i",), (P("i"), P()), P("i"))
    def part(x, w):
        return jax.nn.relu(x @ w) - lax.pmean(jnp.mean(x), "i")

    return jnp.sum(part(jnp.sin(x), w + 1), 0)
