"""Models that make images and samples: diffusion, flows, variational autoencoders, adversaries."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax

from registry import program
from training import with_state


class Denoiser(nn.Module):
    features: int

    @nn.compact
    def __call__(self, x, time):
        half = self.features // 2
        angles = time[:, None] * jnp.exp(-jnp.log(10_000.0) * jnp.arange(half) / half)
        embedded = jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], -1)
        embedded = nn.Dense(self.features)(nn.swish(nn.Dense(4 * self.features)(embedded)))
        h = nn.Conv(self.features, (3, 3))(x)
        for _ in range(2):
            y = nn.Conv(self.features, (3, 3))(nn.swish(nn.GroupNorm(4)(h)))
            y = y + embedded[:, None, None]
            h = h + nn.Conv(self.features, (3, 3))(nn.swish(nn.GroupNorm(4)(y)))
        down = nn.Conv(2 * self.features, (3, 3), (2, 2))(h)
        down = down + nn.Conv(2 * self.features, (3, 3))(nn.swish(nn.GroupNorm(4)(down)))
        batch, height, width, channels = down.shape
        up = jax.image.resize(down, (batch, 2 * height, 2 * width, channels), "nearest")
        h = nn.Conv(self.features, (3, 3))(jnp.concatenate([h, up], -1))
        return nn.Conv(x.shape[-1], (3, 3))(nn.swish(nn.GroupNorm(4)(h)))


def shares_of_signal(steps):
    """The cumulative products of a cosine schedule."""
    place = jnp.arange(steps + 1) / steps
    curve = jnp.cos((place + 0.008) / 1.008 * jnp.pi / 2) ** 2
    return jnp.clip(curve[1:] / curve[0], 1e-4, 0.9999)


@program(
    "product",
    small={"batch": 1, "side": 8, "features": 8},
    large={"batch": 8, "side": 32, "features": 32},
)
def diffusion_training_step(draw, batch, side, features):
    """Draws times and noise, predicts the noise; keeps an average of the parameters"""
    model = Denoiser(features)
    images = draw.normal(batch, side, side, 3)
    parameters = model.init(jax.random.key(0), images, jnp.ones(batch))

    def loss(parameters, images, key):
        for_time, for_noise = jax.random.split(key)
        time = jax.random.randint(for_time, (batch,), 0, 1000)
        noise = jax.random.normal(for_noise, images.shape)
        share = shares_of_signal(1000)[time][:, None, None, None]
        noisy = jnp.sqrt(share) * images + jnp.sqrt(1 - share) * noise
        return jnp.square(model.apply(parameters, noisy, time.astype(jnp.float32)) - noise).mean()

    step, arguments = with_state(loss, optax.adam(2e-4), parameters, images, draw.key())

    def step_with_average(average, *arguments):
        parameters, state, value = step(*arguments)
        return optax.incremental_update(parameters, average, 0.001), parameters, state, value

    return step_with_average, (parameters, *arguments)


@program(
    "product",
    small={"batch": 1, "side": 8, "features": 8, "steps": 5},
    large={"batch": 4, "side": 32, "features": 16, "steps": 10},
)
def diffusion_sampling(draw, batch, side, features, steps):
    """Denoising steps in a fori_loop, a random number each"""
    model = Denoiser(features)
    parameters = model.init(jax.random.key(0), jnp.ones((batch, side, side, 3)), jnp.ones(batch))

    def sample(parameters, key):
        first, key = jax.random.split(key)
        shares = shares_of_signal(steps)

        def body(i, x):
            at = steps - 1 - i
            share = shares[at]
            before = jnp.where(at > 0, shares[at - 1], 1.0)
            noise = model.apply(parameters, x, jnp.full(batch, at, jnp.float32))
            clean = jnp.clip((x - jnp.sqrt(1 - share) * noise) / jnp.sqrt(share), -1, 1)
            fresh = jax.random.normal(jax.random.fold_in(key, at), x.shape)
            sigma = 0.5 * jnp.sqrt((1 - before) / (1 - share) * (1 - share / before))
            x = jnp.sqrt(before) * clean + jnp.sqrt(1 - before - sigma**2) * noise
            return x + sigma * fresh

        return lax.fori_loop(0, steps, body, jax.random.normal(first, (batch, side, side, 3)))

    return sample, (parameters, draw.key())


@program(
    "product",
    small={"batch": 16, "width": 4, "hidden": 16, "layers": 4},
    large={"batch": 2048, "width": 16, "hidden": 128, "layers": 8},
)
def normalizing_flow_step(draw, batch, width, hidden, layers):
    """Affine couplings (RealNVP): a training step by the likelihood"""
    half = width // 2

    def coupling(p, x):
        h = jnp.tanh(x @ p["into"] + p["bias"])
        scale, shift = jnp.split(h @ p["out"], 2, -1)
        return jnp.tanh(scale), shift

    def loss(layers, x):
        total = jnp.zeros(batch)
        for i, p in enumerate(layers):
            a, b = x[:, :half], x[:, half:]
            if i % 2:
                a, b = b, a
            scale, shift = coupling(p, a)
            x = jnp.concatenate([a, b * jnp.exp(scale) + shift], -1)
            total = total + scale.sum(-1)
        likelihood = jax.scipy.stats.norm.logpdf(x).sum(-1) + total
        return -likelihood.mean()

    parameters = [
        {"into": draw.normal(half, hidden, scale=0.3), "bias": draw.normal(hidden, scale=0.1),
         "out": draw.normal(hidden, 2 * half, scale=0.1)}
        for _ in range(layers)
    ]
    return with_state(loss, optax.adam(1e-3), parameters, draw.normal(batch, width))


@program(
    "product",
    small={"batch": 4, "pixels": 64, "hidden": 32, "code": 4},
    large={"batch": 256, "pixels": 784, "hidden": 500, "code": 20},
)
def variational_autoencoder_step(draw, batch, pixels, hidden, code):
    class Autoencoder(nn.Module):
        @nn.compact
        def __call__(self, x, key):
            h = nn.relu(nn.Dense(hidden)(x))
            mean, logvar = nn.Dense(code)(h), nn.Dense(code)(h)
            z = mean + jnp.exp(0.5 * logvar) * jax.random.normal(key, mean.shape)
            return nn.Dense(pixels)(nn.relu(nn.Dense(hidden)(z))), mean, logvar

    model = Autoencoder()
    x = draw.uniform(0, 1, batch, pixels)

    def loss(parameters, x, key):
        logits, mean, logvar = model.apply(parameters, x, key)
        reconstruction = optax.sigmoid_binary_cross_entropy(logits, x).sum(-1)
        divergence = -0.5 * (1 + logvar - mean**2 - jnp.exp(logvar)).sum(-1)
        return (reconstruction + divergence).mean()

    parameters = model.init(jax.random.key(0), x, jax.random.PRNGKey(1))
    return with_state(loss, optax.adam(1e-3), parameters, x, draw.key())


@program(
    "product",
    small={"batch": 2, "side": 8, "features": 4},
    large={"batch": 16, "side": 32, "features": 32},
)
def adversarial_training_step(draw, batch, side, features):
    """A generator of transposed convolutions against a critic whose gradient is held to 1: a
    gradient of a gradient"""

    class Generator(nn.Module):
        @nn.compact
        def __call__(self, z):
            x = nn.Dense(side // 4 * (side // 4) * 2 * features)(z)
            x = nn.relu(x.reshape(-1, side // 4, side // 4, 2 * features))
            x = nn.relu(nn.ConvTranspose(features, (4, 4), (2, 2))(x))
            return jnp.tanh(nn.ConvTranspose(3, (4, 4), (2, 2))(x))

    class Critic(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.leaky_relu(nn.Conv(features, (4, 4), (2, 2))(x), 0.2)
            x = nn.leaky_relu(nn.Conv(2 * features, (4, 4), (2, 2))(x), 0.2)
            return nn.Dense(1)(x.reshape(x.shape[0], -1))[:, 0]

    generator, critic = Generator(), Critic()
    images, z = draw.normal(batch, side, side, 3), draw.normal(batch, 16)
    share = draw.uniform(0, 1, batch, 1, 1, 1)

    def critic_loss(p, q, images, z, share):
        made = generator.apply(q, z)
        between = share * images + (1 - share) * made
        slope = jax.grad(lambda x: critic.apply(p, x).sum())(between)
        length = jnp.sqrt(jnp.square(slope).sum((1, 2, 3)) + 1e-12)
        away = critic.apply(p, made).mean() - critic.apply(p, images).mean()
        return away + 10 * jnp.square(length - 1).mean()

    def step(p, q, images, z, share):
        value, gradient = jax.value_and_grad(critic_loss)(p, q, images, z, share)
        p = jax.tree.map(lambda p, g: p - 1e-3 * g, p, gradient)
        gradient = jax.grad(lambda q: -critic.apply(p, generator.apply(q, z)).mean())(q)
        return p, jax.tree.map(lambda q, g: q - 1e-3 * g, q, gradient), value

    p, q = critic.init(jax.random.key(0), images), generator.init(jax.random.key(1), z)
    return step, (p, q, images, np.asarray(z), share)
