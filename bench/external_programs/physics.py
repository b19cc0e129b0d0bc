"""Simulations on grids and of particles, and networks that solve equations."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax

from registry import program
from training import with_state


@program(
    "product",
    small={"points": 16, "width": 16, "layers": 2},
    large={"points": 2048, "width": 64, "layers": 4},
)
def pinn_training_step(draw, points, width, layers):
    """The residual of Burgers' equation, its second derivative in it, and a gradient of that"""

    def u(p, t, x):
        h = jnp.stack([t, x])
        for w, b in p[:-1]:
            h = jnp.tanh(h @ w + b)
        return (h @ p[-1][0] + p[-1][1])[0]

    u_t, u_x = jax.grad(u, 1), jax.grad(u, 2)
    u_xx = jax.grad(u_x, 2)

    def residual(p, t, x):
        return u_t(p, t, x) + u(p, t, x) * u_x(p, t, x) - 0.01 / jnp.pi * u_xx(p, t, x)

    def loss(p, t, x):
        inside = jax.vmap(residual, (None, 0, 0))(p, t, x)
        first = jax.vmap(u, (None, None, 0))(p, 0.0, x) + jnp.sin(jnp.pi * x)
        return jnp.square(inside).mean() + jnp.square(first).mean()

    widths = [2, *[width] * layers, 1]
    parameters = [
        (draw.normal(a, b, scale=a**-0.5), draw.normal(b, scale=0.1))
        for a, b in zip(widths, widths[1:])
    ]
    t, x = draw.uniform(0, 1, points), draw.uniform(-1, 1, points)
    return with_state(loss, optax.adam(1e-3), parameters, t, x)


@program("memory", small={"side": 16, "steps": 10}, large={"side": 1024, "steps": 20})
def heat_stencil(draw, side, steps):
    """Five points, cut out of the array; the rim stays"""

    def body(_, u):
        inside = u[1:-1, 1:-1]
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        return u.at[1:-1, 1:-1].set(inside + 0.2 * (around - 4 * inside))

    return lambda u: lax.fori_loop(0, steps, body, u), (draw.normal(side, side),)


@program("memory", small={"side": 16, "steps": 10}, large={"side": 512, "steps": 20})
def reaction_diffusion(draw, side, steps):
    """Gray-Scott on a torus, by jnp.roll"""

    def laplacian(u):
        return sum(jnp.roll(u, shift, axis) for axis in (0, 1) for shift in (-1, 1)) - 4 * u

    def body(carry, _):
        u, v = carry
        reaction = u * v * v
        u_new = u + 0.16 * laplacian(u) - reaction + 0.035 * (1 - u)
        v_new = v + 0.08 * laplacian(v) + reaction - 0.1 * v
        return (u_new, v_new), v_new.mean()

    def simulate(u, v):
        return lax.scan(body, (u, v), None, length=steps)

    return simulate, (draw.uniform(0.5, 1, side, side), draw.uniform(0, 0.5, side, side))


@program("memory", small={"side": 16, "steps": 5}, large={"side": 256, "steps": 20})
def lattice_boltzmann(draw, side, steps):
    """Nine directions: collision by einsum, streaming by rolls"""
    ways = np.array([[x, y] for x in (0, 1, -1) for y in (0, 1, -1)])
    weights = np.array([[4 / 9, 1 / 9, 1 / 36][abs(x) + abs(y)] for x, y in ways], np.float32)
    directions = ways.astype(np.float32)

    def body(f, _):
        density = f.sum(-1)
        velocity = jnp.einsum("xyk,kd->xyd", f, directions) / density[..., None]
        along = jnp.einsum("xyd,kd->xyk", velocity, directions)
        square = jnp.square(velocity).sum(-1, keepdims=True)
        equilibrium = density[..., None] * weights * (
            1 + 3 * along + 4.5 * along**2 - 1.5 * square
        )
        f = f - (f - equilibrium) / 0.6
        moved = [jnp.roll(f[..., k], (int(x), int(y)), (0, 1)) for k, (x, y) in enumerate(ways)]
        return jnp.stack(moved, -1), jnp.square(velocity).mean()

    def simulate(f):
        return lax.scan(body, f, None, length=steps)

    return simulate, (weights * draw.uniform(0.9, 1.1, side, side, 9),)


@program("memory", small={"side": 8, "steps": 4}, large={"side": 96, "steps": 10})
def wave_equation_gradient(draw, side, steps):
    """Three dimensions, forwards and backwards through a scan"""

    def energy(speed, u):
        def body(carry, _):
            u, before = carry
            p = jnp.pad(u, 1)
            laplacian = (
                p[:-2, 1:-1, 1:-1] + p[2:, 1:-1, 1:-1] + p[1:-1, :-2, 1:-1] + p[1:-1, 2:, 1:-1]
                + p[1:-1, 1:-1, :-2] + p[1:-1, 1:-1, 2:] - 6 * u
            )
            return (2 * u - before + speed * laplacian, u), None

        (u, _), _ = lax.scan(body, (u, u), None, length=steps)
        return jnp.square(u).mean()

    return jax.value_and_grad(energy), (
        draw.uniform(0.05, 0.1, side, side, side),
        draw.normal(side, side, side),
    )


@program("memory", small={"bodies": 16, "steps": 5}, large={"bodies": 1024, "steps": 5})
def n_body(draw, bodies, steps):
    """Gravity between all pairs, leapfrog"""

    def acceleration(x, mass):
        apart = x[None] - x[:, None]
        inverse = lax.rsqrt(jnp.square(apart).sum(-1) + 1e-2)
        return (apart * (mass * inverse**3)[..., None]).sum(1)

    def simulate(x, v, mass):
        def body(carry, _):
            x, v, a = carry
            v = v + 0.005 * a
            x = x + 0.01 * v
            a = acceleration(x, mass)
            return (x, v + 0.005 * a, a), 0.5 * (mass * jnp.square(v).sum(-1)).sum()

        return lax.scan(body, (x, v, acceleration(x, mass)), None, length=steps)

    arguments = draw.normal(bodies, 3), draw.normal(bodies, 3), draw.uniform(0, 1 / bodies, bodies)
    return simulate, arguments


@program("memory", small={"atoms": 16, "steps": 5}, large={"atoms": 512, "steps": 10})
def molecular_dynamics(draw, atoms, steps):
    """Forces by the gradient of an energy of pairs in a box"""
    box = 1.2 * np.ceil(atoms ** (1 / 3)).astype(np.float32)

    def energy(x):
        apart = x[None] - x[:, None]
        apart = apart - box * jnp.round(apart / box)
        square = jnp.square(apart).sum(-1) + jnp.eye(atoms)
        power = 1 / square**3
        pairs = jnp.where((square < 6.25) & ~jnp.eye(atoms, dtype=bool), power**2 - power, 0.0)
        return 2 * pairs.sum()

    def body(carry, _):
        x, v = carry
        v = v - 0.001 * jax.grad(energy)(x)
        return (jnp.mod(x + 0.001 * v, box), v), energy(x)

    def simulate(x, v):
        return lax.scan(body, (x, v), None, length=steps)

    side = int(np.ceil(atoms ** (1 / 3)))
    places = np.stack(np.meshgrid(*[np.arange(side)] * 3), -1).reshape(-1, 3)[:atoms]
    x = (1.2 * places + draw.uniform(0, 0.1, atoms, 3)).astype(np.float32)
    return simulate, (x, draw.normal(atoms, 3))


@program("memory", small={"side": 16, "steps": 10}, large={"side": 1024, "steps": 20})
def game_of_life(draw, side, steps):
    """Integers of 8 bits"""

    def body(_, board):
        near = sum(
            jnp.roll(board, (x, y), (0, 1)) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y
        )
        return ((near == 3) | ((near == 2) & (board == 1))).astype(jnp.uint8)

    board = draw.integers(0, 2, side, side).astype(np.uint8)
    return lambda board: lax.fori_loop(0, steps, body, board), (board,)
