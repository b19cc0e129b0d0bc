"""Solvers, optimisation and statistics."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax

from registry import program
from training import with_state


@program("loop", small={"side": 8}, large={"side": 256}, tolerance=1e-2)
def conjugate_gradient(draw, side):
    """jax.scipy.sparse.linalg.cg on a grid: a while_loop with scalar products"""

    def apply(u):
        p = jnp.pad(u, 1)
        return 4.1 * u - p[:-2, 1:-1] - p[2:, 1:-1] - p[1:-1, :-2] - p[1:-1, 2:]

    def solve(b):
        return jax.scipy.sparse.linalg.cg(apply, b, tol=1e-5, maxiter=500)[0]

    return solve, (draw.normal(side, side),)


@program("loop", small={"size": 16}, large={"size": 512}, x64=True)
def conjugate_gradient_f64(draw, size):
    """Of a dense matrix, written out, in double precision"""

    def solve(a, b):
        def going(carry):
            _, _, _, square, i = carry
            return (square > 1e-16) & (i < 200)

        def body(carry):
            x, r, p, square, i = carry
            ap = a @ p
            alpha = square / jnp.vdot(p, ap)
            x, r = x + alpha * p, r - alpha * ap
            new = jnp.vdot(r, r)
            return x, r, r + new / square * p, new, i + 1

        first = jnp.zeros_like(b), b, b, jnp.vdot(b, b), 0
        return lax.while_loop(going, body, first)[0]

    a = draw.generator.standard_normal((size, size)) / size**0.5
    return solve, (a @ a.T + np.eye(size), draw.generator.standard_normal(size))


@program("memory", small={"points": 16, "steps": 10}, large={"points": 512, "steps": 20})
def sinkhorn(draw, points, steps):
    """Optimal transport between clouds of points, with logarithms"""

    def cost(x, y):
        distances = jnp.square(x[:, None] - y[None]).sum(-1)
        weight = -jnp.log(points)

        def body(_, potentials):
            f, g = potentials
            f = -0.1 * jax.nn.logsumexp((g[None] - distances) / 0.1 + weight, axis=1)
            g = -0.1 * jax.nn.logsumexp((f[:, None] - distances) / 0.1 + weight, axis=0)
            return f, g

        f, g = lax.fori_loop(0, steps, body, (jnp.zeros(points), jnp.zeros(points)))
        plan = jnp.exp((f[:, None] + g[None] - distances) / 0.1 + 2 * weight)
        return (plan * distances).sum(), f, g

    return cost, (draw.normal(points, 3), draw.normal(points, 3))


@program(
    "product",
    small={"points": 64, "width": 2, "clusters": 4, "steps": 5},
    large={"points": 20_000, "width": 16, "clusters": 32, "steps": 10},
)
def k_means(draw, points, width, clusters, steps):
    def run(x, centers):
        def body(_, centers):
            distances = (
                jnp.square(x).sum(-1)[:, None] - 2 * x @ centers.T + jnp.square(centers).sum(-1)
            )
            nearest = jnp.argmin(distances, -1)
            sums = jax.ops.segment_sum(x, nearest, clusters)
            counts = jax.ops.segment_sum(jnp.ones(points), nearest, clusters)
            return jnp.where(counts[:, None] > 0, sums / jnp.maximum(counts, 1)[:, None], centers)

        return lax.fori_loop(0, steps, body, centers)

    middles = draw.normal(clusters, width, scale=5.0)
    x = middles[draw.integers(0, clusters, points)] + draw.normal(points, width)
    return run, (x, middles + draw.normal(clusters, width))


@program("loop", small={"length": 20, "states": 8}, large={"length": 1000, "states": 64})
def hmm_forward(draw, length, states):
    """The likelihood of a sequence, and its gradient"""

    def likelihood(first, transition, emission, seen):
        log_transition = jax.nn.log_softmax(transition)
        log_emission = jax.nn.log_softmax(emission)

        def step(alpha, symbol):
            alpha = jax.nn.logsumexp(alpha[:, None] + log_transition, axis=0)
            return alpha + log_emission[:, symbol], None

        alpha = jax.nn.log_softmax(first) + log_emission[:, seen[0]]
        alpha, _ = lax.scan(step, alpha, seen[1:])
        return jax.nn.logsumexp(alpha)

    arguments = (draw.normal(states), draw.normal(states, states), draw.normal(states, 10),
                 draw.integers(0, 10, length))
    return jax.value_and_grad(likelihood, (0, 1, 2)), arguments


@program("loop", small={"length": 20, "states": 8}, large={"length": 2000, "states": 64})
def viterbi(draw, length, states):
    """The best path: a scan of maxima and a scan backwards along them"""

    def best_path(transition, emissions):
        def step(score, emission):
            candidates = score[:, None] + transition
            return candidates.max(0) + emission, jnp.argmax(candidates, 0)

        score, pointers = lax.scan(step, emissions[0], emissions[1:])
        last = jnp.argmax(score)

        def back(state, pointer):
            return pointer[state], state

        first, path = lax.scan(back, last, pointers, reverse=True)
        return jnp.concatenate([first[None], path]), score.max()

    return best_path, (draw.normal(states, states), draw.normal(length, states))


@program("loop", small={"length": 12}, large={"length": 400})
def time_warping(draw, length):
    """The soft distance of two series: one scan inside another"""

    def distance(x, y):
        costs = jnp.square(x[:, None] - y[None])

        def row(above, cost):
            def cell(left, inputs):
                up, diagonal, here = inputs
                best = -0.1 * jax.nn.logsumexp(-jnp.stack([left, up, diagonal]) / 0.1)
                return here + best, here + best

            diagonal = jnp.concatenate([above[:1], above[:-1]])
            _, new = lax.scan(cell, jnp.float32(1e3), (above, diagonal, cost))
            return new, None

        first = jnp.cumsum(costs[0])
        return lax.scan(row, first, costs[1:])[0][-1]

    return distance, (draw.normal(length), draw.normal(length))


@program(
    "loop", small={"chains": 4, "steps": 10}, large={"chains": 1000, "steps": 200}, tolerance=1e-2
)
def metropolis(draw, chains, steps):
    """Chains under vmap, each with its own key"""

    def log_density(x):
        return -0.5 * (x[0] ** 2 + 5 * (x[1] - 0.3 * x[0] ** 2) ** 2)

    def chain(key, x):
        def step(carry, key):
            x, density = carry
            for_move, for_choice = jax.random.split(key)
            moved = x + 0.7 * jax.random.normal(for_move, (2,))
            new = log_density(moved)
            accept = jnp.log(jax.random.uniform(for_choice)) < new - density
            x, density = jnp.where(accept, moved, x), jnp.where(accept, new, density)
            return (x, density), (x, accept)

        _, (xs, accepted) = lax.scan(step, (x, log_density(x)), jax.random.split(key, steps))
        return xs.mean(0), accepted.mean()

    def run(key, x):
        return jax.vmap(chain)(jax.random.split(key, chains), x)

    return run, (draw.key(), draw.normal(chains, 2))


@program(
    "loop", small={"rows": 32, "width": 4, "steps": 3}, large={"rows": 2000, "width": 32,
    "steps": 50}, tolerance=1e-2,
)
def hamiltonian_monte_carlo(draw, rows, width, steps):
    """Logistic regression: gradients in a loop in a scan"""

    def run(key, x, labels, weights):
        def energy(w):
            logits = x @ w
            return (jax.nn.softplus(logits) - labels * logits).sum() + 0.5 * w @ w

        slope = jax.grad(energy)

        def step(w, key):
            for_push, for_choice = jax.random.split(key)
            push = jax.random.normal(for_push, w.shape)

            def leap(_, carry):
                w, p = carry
                p = p - 0.005 * slope(w)
                w = w + 0.01 * p
                return w, p - 0.005 * slope(w)

            moved, p = lax.fori_loop(0, 8, leap, (w, push))
            change = energy(w) + 0.5 * push @ push - energy(moved) - 0.5 * p @ p
            accept = jnp.log(jax.random.uniform(for_choice)) < change
            return jnp.where(accept, moved, w), accept

        return lax.scan(step, weights, jax.random.split(key, steps))

    labels = draw.integers(0, 2, rows).astype(np.float32)
    return run, (draw.key(), draw.normal(rows, width), labels, draw.normal(width, scale=0.1))


@program("product", small={"points": 16}, large={"points": 512}, tolerance=1e-2)
def gaussian_process_step(draw, points):
    """The likelihood by a Cholesky decomposition, its gradient, a step of Adam"""

    def loss(p, x, y):
        distance = jnp.square(x[:, None] - x[None]).sum(-1)
        kernel = jnp.exp(p["scale"] - 0.5 * distance * jnp.exp(p["inverse"]))
        covariance = kernel + jnp.exp(p["noise"]) * jnp.eye(points)
        lower = jnp.linalg.cholesky(covariance)
        solved = jax.scipy.linalg.solve_triangular(lower, y, lower=True)
        return 0.5 * solved @ solved + jnp.log(jnp.diagonal(lower)).sum()

    parameters = {name: np.float32(value) for name, value in
                  (("scale", 0.0), ("inverse", 0.0), ("noise", -1.0))}
    x = draw.normal(points, 3)
    return with_state(loss, optax.adam(1e-2), parameters, x, draw.normal(points))


@program(
    "loop", small={"rows": 32, "width": 4, "steps": 3}, large={"rows": 5000, "width": 50,
    "steps": 10}, tolerance=1e-2,
)
def lbfgs(draw, rows, width, steps):
    """optax.lbfgs with its line search: loops with conditions in a scan"""
    optimizer = optax.lbfgs(memory_size=5)

    def minimize(w, x, labels):
        def loss(w):
            logits = x @ w
            return (jax.nn.softplus(logits) - labels * logits).mean() + 0.01 * w @ w

        value_and_grad = optax.value_and_grad_from_state(loss)

        def step(carry, _):
            w, state = carry
            value, gradient = value_and_grad(w, state=state)
            updates, state = optimizer.update(
                gradient, state, w, value=value, grad=gradient, value_fn=loss
            )
            return (optax.apply_updates(w, updates), state), value

        (w, _), values = lax.scan(step, (w, optimizer.init(w)), None, length=steps)
        return w, values

    labels = draw.integers(0, 2, rows).astype(np.float32)
    return minimize, (draw.normal(width), draw.normal(rows, width), labels)


@program("memory", small={"paths": 64, "steps": 8}, large={"paths": 50_000, "steps": 32})
def option_sensitivities(draw, paths, steps):
    """An Asian option by simulation, and its derivatives by the market's numbers"""

    def price(market, noise):
        spot, rate, volatility = market
        dt = 1.0 / steps
        moves = (rate - 0.5 * volatility**2) * dt + volatility * jnp.sqrt(dt) * noise
        prices = spot * jnp.exp(jnp.cumsum(moves, axis=1))
        return jnp.exp(-rate) * jnp.maximum(prices.mean(1) - 1.0, 0.0).mean()

    market = np.float32(1.0), np.float32(0.03), np.float32(0.2)
    return jax.value_and_grad(price), (market, draw.normal(paths, steps))


@program(
    "loop", small={"side": 16, "most": 20}, large={"side": 512, "most": 50}, tolerance=1e-3
)
def mandelbrot(draw, side, most):
    """A while_loop until all points have left, or for so many steps"""

    def count(real, imaginary):
        def going(carry):
            i, x, y, _ = carry
            return (i < most) & jnp.any(x * x + y * y <= 4)

        def body(carry):
            i, x, y, steps = carry
            inside = x * x + y * y <= 4
            x, y = (jnp.where(inside, x * x - y * y + real, x),
                    jnp.where(inside, 2 * x * y + imaginary, y))
            return i + 1, x, y, steps + inside

        zeros = jnp.zeros_like(real)
        return lax.while_loop(going, body, (0, zeros, zeros, zeros.astype(jnp.int32)))[3]

    real, imaginary = np.meshgrid(*[np.linspace(-1.5, 1.0, side, dtype=np.float32)] * 2)
    return count, (real, imaginary)
