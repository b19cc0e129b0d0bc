"""Programs of four devices in a mesh of two dimensions, and programs whose shardings are the custom
calls that JAX printed before it had Shardy. Arguments and results are whole."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P
import numpy as np

from jax_devices import data_parallel_step, draw_parallel, on
from jax_registry import program


@on((2, 2), ("dp", "tp"), (P("dp", None), P(None, "tp")), P("dp", "tp"),
    checked=True)
def product(x, w):
    y = x @ w
    y = y - lax.pmean(y, "dp") + lax.psum(y, "tp") + lax.axis_index("dp")
    gathered = lax.all_gather(x, "dp", tiled=True)
    scattered = lax.psum_scatter(gathered, "dp", tiled=True)
    moved = lax.ppermute(y, "dp", [(0, 1), (1, 0)])
    exchanged = lax.all_to_all(y, "tp", 0, 1, tiled=True)
    return y + scattered.sum() + moved + exchanged.sum()


def draw_product(d):
    return d.normal(4, 8), d.normal(8, 4)


def draw_split(d):
    mesh = jax.sharding.Mesh(np.array(jax.devices()).reshape(2, 2), ("dp", "tp"))
    return jax.device_put(d.normal(4, 8), NamedSharding(mesh, P("dp", None))), d.normal(8, 4)


@program(draw_product)
def sharded_product(x, w):
    """Every collective on a 2x2 mesh"""
    return product(x, w)


@program(draw_product)
def sharded_step(x, w):
    """The gradient through it"""
    return w - 0.1 * jax.grad(lambda w: product(x, w).sum())(w)


@program(draw_product)
def sharded_in_parts(x, w):
    """Whole values behind a shard_map"""
    return jnp.sin(product(x, w)).sum(0), w.sum()


@program(draw_split)
def sharded_argument(x, w):
    """An argument that the caller has split"""
    return product(jnp.sin(x), w).T


@program(draw_parallel)
def sharded_mean_of_gradients(w, x):
    """pmean of gradients on 4 devices"""

    @on(4, ("i",), (P(), P("i")), (P(), P()), checked=True)
    def step(w, x):
        loss, gradient = jax.value_and_grad(lambda w: jnp.mean((x @ w)**2))(w)
        return lax.pmean(loss, "i"), w - 0.1 * lax.pmean(gradient, "i")

    return step(w, x)


@program(draw_parallel)
def sharded_steps_in_scan(w, x):
    """A scan of data-parallel steps"""

    def step(w, _):
        loss, w = data_parallel_step(4)(w, x)
        return w, loss

    return lax.scan(step, w, None, length=3)


@program(lambda d: (d.normal(8, 3), d.normal(8, 3), d.normal(8, 3)))
def ring_attention(q, k, v):
    """Attention whose keys and values go round a ring"""

    @on(4, ("i",), (P("i"), P("i"), P("i")), P("i"))
    def attend(q, k, v):
        def step(carry, _):
            most, total, y, k, v = carry
            scores = q @ k.T
            larger = jnp.maximum(most, scores.max(1, keepdims=True))
            shares, scale = jnp.exp(scores - larger), jnp.exp(most - larger)
            total = total * scale + shares.sum(1, keepdims=True)
            y = y * scale + shares @ v
            k, v = (lax.ppermute(a, "i", [(i, (i + 1) % 4) for i in range(4)]) for a in (k, v))
            return (larger, total, y, k, v), None

        start = (jnp.full((2, 1), -jnp.inf), jnp.zeros((2, 1)), jnp.zeros((2, 3)), k, v)
        (_, total, y, _, _), _ = lax.scan(step, start, None, length=4)
        return y / total

    return attend(q, k, v)


@program(lambda d: (d.normal(8, 4), d.normal(4, 4)))
def sharded_along_one_axis(x, w):
    """A shard_map over one axis of a mesh of two"""
    mesh = jax.sharding.Mesh(np.array(jax.devices()).reshape(2, 2), ("a", "b"))
    outer = jax.shard_map(lambda x: (lax.psum(jnp.tanh(x), "a"), x * 2), mesh=mesh, axis_names={"a"},
                          in_specs=P("a"), out_specs=(P(), P("a")))
    total, twice = outer(x)
    return total @ w, twice


# ---- By custom calls.

@program(draw_product, gspmd=True)
def gspmd_product(x, w):
    """Every collective on a 2x2 mesh"""
    return product(x, w)


@program(draw_split, gspmd=True)
def gspmd_argument(x, w):
    """An argument that the caller has split, and whole values around a shard_map"""
    return product(jnp.sin(x), w + 1).T, w.sum()


@program(draw_parallel, gspmd=True)
def gspmd_data_parallel(w, x):
    """A step on 2 devices"""
    return data_parallel_step(2)(w, x)


@program(draw_parallel, gspmd=True, exported=True)
def gspmd_exported(w, x):
    """A step on 4 devices, by jax.export"""
    return data_parallel_step(4)(w, x)


@program(lambda d: (d.normal(8, 6), d.normal(6, 4)), gspmd=True)
def gspmd_orders_of_axes(x, w):
    """Axes of a 2x2 mesh in either order, one dimension over both, one over none"""

    @on((2, 2), ("dp", "tp"), (P(("tp", "dp"), None), P("tp", "dp")),
        (P(("tp", "dp")), P("dp", "tp"), P(None, "tp"), P()))
    def body(x, w):
        total = lax.psum(x, ("dp", "tp"))
        return x, w * 2, lax.all_gather(w, "tp", tiled=True), total

    return body(x, w)


@program(lambda d: (d.normal(4, 6), d.normal(6, 8), d.normal(8, 6), d.normal(4, 6)), gspmd=True)
def gspmd_mlp_step(x, up, down, y):
    """A step of an MLP: the batch over one axis, features over the other, gradients summed"""

    @on((2, 2), ("dp", "tp"), (P("dp"), P(None, "tp"), P("tp"), P("dp")),
        (P(), P(None, "tp"), P("tp")))
    def step(x, up, down, y):
        def loss(up, down):
            return jnp.sum((lax.psum(jnp.tanh(x @ up) @ down, "tp") - y)**2)

        value, (of_up, of_down) = jax.value_and_grad(loss, (0, 1))(up, down)
        return (lax.psum(value, "dp"), up - 0.01 * lax.psum(of_up, "dp"),
                down - 0.01 * lax.psum(of_down, "dp"))

    return step(x, up, down, y)


@program(lambda d: (d.normal(8, 4),), gspmd=True)
def gspmd_collectives(x):
    """Each collective on 4 devices"""

    @on(4, ("i",), P("i"), (P(), P(None, "i"), P("i"), P("i"), P("i")))
    def body(x):
        return (lax.all_gather(x, "i", tiled=True), lax.all_to_all(x, "i", 1, 0, tiled=True),
                lax.psum_scatter(lax.all_gather(x, "i", tiled=True), "i", tiled=True),
                lax.ppermute(x, "i", [(i, (i + 1) % 4) for i in range(4)]),
                x * lax.axis_index("i") + lax.psum(x, "i", axis_index_groups=[[0, 3], [1, 2]]))

    return body(x)


@program(lambda d: (d.normal(4, 6),), gspmd=True)
def gspmd_constraint(x):
    """with_sharding_constraint without a shard_map: computed whole"""
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("i",))
    return jnp.sum(lax.with_sharding_constraint(jnp.sin(x), NamedSharding(mesh, P("i"))), 1)
