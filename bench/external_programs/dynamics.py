"""Differential equations in time, and filters that follow them."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental.ode import odeint

from registry import program


def lorenz(state, rate):
    x, y, z = state
    return jnp.stack([10.0 * (y - x), x * (rate - z) - y, x * y - 8 / 3 * z])


@program("loop", small={"batch": 4, "steps": 20}, large={"batch": 4096, "steps": 200})
def runge_kutta(draw, batch, steps):
    """The Lorenz system under vmap, a scan over fixed steps"""

    def solve(state, rate):
        def step(state, _):
            h = 0.005
            k1 = lorenz(state, rate)
            k2 = lorenz(state + h / 2 * k1, rate)
            k3 = lorenz(state + h / 2 * k2, rate)
            k4 = lorenz(state + h * k3, rate)
            return state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

        return lax.scan(step, state, None, length=steps)[0]

    return jax.vmap(solve), (draw.normal(batch, 3), draw.uniform(20, 30, batch))


@program(
    "loop", small={"batch": 2, "times": 3}, large={"batch": 64, "times": 20}, tolerance=1e-2
)
def adaptive_ode_solver(draw, batch, times):
    """jax.experimental.ode.odeint under vmap: a while_loop with a condition for each row"""

    def solve(state, rate, t):
        def pull(y, t, rate):
            return jnp.stack([y[1], rate * (1 - y[0] ** 2) * y[1] - y[0] + 0.1 * jnp.cos(t)])

        return odeint(pull, state, t, rate, rtol=1e-4, atol=1e-4)

    t = np.linspace(0, 0.25 * times, times, dtype=np.float32)
    solve_all = jax.vmap(solve, (0, 0, None))
    return solve_all, (draw.normal(batch, 2), draw.uniform(0.5, 2, batch), t)


@program(
    "memory", small={"paths": 16, "steps": 10}, large={"paths": 10_000, "steps": 100},
    tolerance=1e-2,
)
def sde_solver(draw, paths, steps):
    """Heston's model by Euler's method: two random numbers a step, the price of an option"""

    def price(key, start, strike):
        def step(carry, key):
            log_price, variance = carry
            noise = jax.random.normal(key, (2, paths))
            positive = jnp.maximum(variance, 0.0)
            root = jnp.sqrt(positive / steps)
            other = -0.7 * noise[0] + np.sqrt(1 - 0.49).astype(np.float32) * noise[1]
            log_price = log_price - 0.5 * positive / steps + root * noise[0]
            variance = variance + 2.0 * (0.04 - positive) / steps + 0.3 * root * other
            return (log_price, variance), log_price.mean()

        first = jnp.full(paths, jnp.log(start)), jnp.full(paths, 0.04)
        (log_price, _), means = lax.scan(step, first, jax.random.split(key, steps))
        return jnp.maximum(jnp.exp(log_price) - strike, 0).mean(), means

    return price, (draw.key(), np.float32(1.0), np.float32(1.05))


@program(
    "loop", small={"steps": 10, "states": 4, "seen": 2}, large={"steps": 1000, "states": 8,
    "seen": 4},
)
def kalman_filter(draw, steps, states, seen):
    """A scan of small products and a solve in each step"""

    def run(transition, emission, noise, error, observations):
        def step(carry, y):
            mean, covariance = carry
            mean = transition @ mean
            covariance = transition @ covariance @ transition.T + noise
            innovation = y - emission @ mean
            scale = emission @ covariance @ emission.T + error
            gain = jax.scipy.linalg.solve(scale, emission @ covariance, assume_a="pos").T
            mean = mean + gain @ innovation
            covariance = covariance - gain @ emission @ covariance
            _, log_determinant = jnp.linalg.slogdet(scale)
            likelihood = -0.5 * (innovation @ jnp.linalg.solve(scale, innovation)
                                 + log_determinant)
            return (mean, covariance), (mean, likelihood)

        first = jnp.zeros(states), jnp.eye(states)
        _, (means, likelihoods) = lax.scan(step, first, observations)
        return means, likelihoods.sum()

    turned, _ = np.linalg.qr(draw.normal(states, states))
    return run, (
        (0.95 * turned).astype(np.float32), draw.normal(seen, states),
        0.1 * np.eye(states, dtype=np.float32), 0.2 * np.eye(seen, dtype=np.float32),
        draw.normal(steps, seen),
    )


@program(
    "loop", small={"particles": 32, "steps": 5}, large={"particles": 2000, "steps": 50},
    tolerance=1e-2,
)
def particle_filter(draw, particles, steps):
    """Weights, and resampling by a search in their cumulative sum. Who is chosen hangs on the last
    bits, so only the likelihood is compared."""

    def run(key, observations):
        def step(carry, inputs):
            x, total = carry
            y, key = inputs
            for_noise, for_choice = jax.random.split(key)
            x = 0.9 * x + jnp.sin(x) + 0.5 * jax.random.normal(for_noise, (particles,))
            weights = jax.scipy.stats.norm.logpdf(y, x, 0.7)
            total = total + jax.nn.logsumexp(weights) - jnp.log(particles)
            cumulative = jnp.cumsum(jax.nn.softmax(weights))
            places = (jnp.arange(particles) + jax.random.uniform(for_choice)) / particles
            chosen = jnp.searchsorted(cumulative, places)
            x = x[jnp.minimum(chosen, particles - 1)]
            return (x, total), None

        keys = jax.random.split(key, steps)
        (_, total), _ = lax.scan(step, (jnp.zeros(particles), 0.0), (observations, keys))
        return total

    return run, (draw.key(), draw.normal(steps))


@program("loop", small={"batch": 4, "steps": 10}, large={"batch": 512, "steps": 200})
def cart_pole_policy_gradient(draw, batch, steps):
    """Rollouts of a policy under vmap, rewards to go, a gradient through all steps"""

    def act(p, state):
        return jnp.tanh(state @ p["into"] + p["bias"]) @ p["out"]

    def move(state, force):
        x, dx, angle, turn = state
        sin, cos = jnp.sin(angle), jnp.cos(angle)
        push = (force + 0.05 * turn**2 * sin) / 1.1
        turning = (9.8 * sin - cos * push) / (0.5 * (4 / 3 - 0.1 * cos**2 / 1.1))
        moving = push - 0.05 * turning * cos / 1.1
        return jnp.stack([x + 0.02 * dx, dx + 0.02 * moving, angle + 0.02 * turn,
                          turn + 0.02 * turning])

    def rollout(p, state, noise):
        def step(carry, noise):
            state, alive = carry
            logits = act(p, state)
            right = (logits[1] - logits[0] + noise) > 0
            likelihood = jax.nn.log_softmax(logits)[right.astype(jnp.int32)]
            state = move(state, jnp.where(right, 10.0, -10.0))
            alive = alive & (jnp.abs(state[0]) < 2.4) & (jnp.abs(state[2]) < 0.21)
            return (lax.stop_gradient(state), alive), (likelihood, alive.astype(jnp.float32))

        _, (likelihood, reward) = lax.scan(step, (state, jnp.array(True)), noise)
        back = lambda later, now: (now + 0.99 * later, now + 0.99 * later)
        _, to_go = lax.scan(back, 0.0, reward, reverse=True)
        return -(likelihood * lax.stop_gradient(to_go)).mean()

    def loss(p, states, noise):
        return jax.vmap(rollout, (None, 0, 0))(p, states, noise).mean()

    parameters = {"into": draw.normal(4, 16), "bias": draw.normal(16),
                  "out": draw.normal(16, 2, scale=0.3)}
    noise = draw.generator.logistic(size=(batch, steps)).astype(np.float32)
    return jax.value_and_grad(loss), (parameters, draw.normal(batch, 4, scale=0.03), noise)
