"""Work on images and large arrays with no model in it."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax

from registry import program


@program("memory", small={"batch": 2, "side": 16}, large={"batch": 16, "side": 128})
def image_augmentation(draw, batch, side):
    """Crops, flips, rotation, colours, each image by its own key"""

    def augment(key, image):
        keys = jax.random.split(key, 5)
        margin = side // 8
        padded = jnp.pad(image, ((margin, margin), (margin, margin), (0, 0)), "reflect")
        corner = jax.random.randint(keys[0], (2,), 0, 2 * margin)
        image = lax.dynamic_slice(padded, (corner[0], corner[1], 0), image.shape)
        image = jnp.where(jax.random.bernoulli(keys[1]), image[:, ::-1], image)
        angle = jax.random.uniform(keys[2], minval=-0.3, maxval=0.3)
        middle = (side - 1) / 2
        y, x = jnp.meshgrid(jnp.arange(side) - middle, jnp.arange(side) - middle, indexing="ij")
        sin, cos = jnp.sin(angle), jnp.cos(angle)
        places = [cos * y - sin * x + middle, sin * y + cos * x + middle]
        turn = lambda channel: jax.scipy.ndimage.map_coordinates(channel, places, order=1)
        image = jax.vmap(turn, -1, -1)(image)
        image = image * jax.random.uniform(keys[3], minval=0.8, maxval=1.2)
        contrast = jax.random.uniform(keys[4], minval=0.8, maxval=1.2)
        return jnp.clip((image - image.mean()) * contrast + image.mean(), 0, 1)

    def augment_all(key, images):
        return jax.vmap(augment)(jax.random.split(key, batch), images)

    return augment_all, (draw.key(), draw.uniform(0, 1, batch, side, side, 3))


@program("memory", small={"side": 16}, large={"side": 512})
def bilateral_filter(draw, side):
    """A window of 7 by 7 whose weights depend on the values"""
    reach = 3

    def smooth(image):
        padded = jnp.pad(image, reach, "edge")
        total = weights = jnp.zeros_like(image)
        for i in range(2 * reach + 1):
            for j in range(2 * reach + 1):
                other = lax.dynamic_slice(padded, (i, j), image.shape)
                near = ((i - reach) ** 2 + (j - reach) ** 2) / 8
                weight = jnp.exp(-near - jnp.square(other - image) / 0.02)
                total, weights = total + weight * other, weights + weight
        return total / weights

    return smooth, (draw.uniform(0, 1, side, side),)


@program("memory", small={"side": 32}, large={"side": 1024})
def histogram_equalization(draw, side):
    """Counts by scatter, their cumulative sum, a table that is looked up; a median by sorting"""

    def equalize(image):
        bins = jnp.clip((image * 255).astype(jnp.int32), 0, 255)
        counts = jnp.zeros(256, jnp.int32).at[bins.reshape(-1)].add(1)
        table = jnp.cumsum(counts) / image.size
        return table[bins], counts, jnp.median(image, axis=1)

    return equalize, (draw.uniform(0, 1, side, side) ** 2,)


@program("memory", small={"rows": 16, "width": 64}, large={"rows": 4096, "width": 1024})
def norm_and_softmax(draw, rows, width):
    """Layer norm, gelu, softmax and an entropy of each row, with gradients"""

    def loss(x, scale, shift):
        y = jax.nn.standardize(x, epsilon=1e-5) * scale + shift
        shares = jax.nn.softmax(jax.nn.gelu(y) * 2)
        return -(shares * jnp.log(shares + 1e-9)).sum(-1).mean()

    arguments = draw.normal(rows, width), np.ones(width, np.float32), draw.normal(width)
    return jax.value_and_grad(loss, (0, 1, 2)), arguments


@program("memory", small={"layers": 4, "width": 16}, large={"layers": 12, "width": 512})
def optimizer_update(draw, layers, width):
    """optax alone: clipping by the norm of all gradients, AdamW, parts that do not decay"""
    parameters = [
        {"kernel": draw.normal(width, width), "bias": draw.normal(width)} for _ in range(layers)
    ]
    gradients = [
        {"kernel": draw.normal(width, width), "bias": draw.normal(width)} for _ in range(layers)
    ]
    decays = lambda tree: jax.tree.map(lambda leaf: leaf.ndim > 1, tree)
    schedule = optax.warmup_cosine_decay_schedule(0.0, 1e-3, 10, 1000)
    optimizer = optax.chain(
        optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=0.01, mask=decays)
    )

    def update(parameters, state, gradients):
        updates, state = optimizer.update(gradients, state, parameters)
        return optax.apply_updates(parameters, updates), state

    _, state = optimizer.update(gradients, optimizer.init(parameters), parameters)
    return update, (parameters, state, gradients)


@program(
    "product", small={"rows": 16, "width": 32}, large={"rows": 512, "width": 1024}, tolerance=1e-2
)
def int8_linear_layers(draw, rows, width):
    """Products of integers of 8 bits, scaled between them"""

    def run(x, layers):
        for w, scale in layers:
            step = jnp.abs(x).max(-1, keepdims=True) / 127
            q = jnp.round(x / step).astype(jnp.int8)
            y = lax.dot_general(q, w, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32)
            x = jax.nn.relu(y.astype(jnp.float32) * step * scale)
        return x

    layers = [
        (draw.integers(-127, 128, width, width).astype(np.int8), draw.uniform(1e-4, 1e-3, width))
        for _ in range(3)
    ]
    return run, (draw.normal(rows, width), layers)


@program("memory", small={"length": 64}, large={"length": 16_384})
def spectral_filter(draw, length):
    """Fourier transforms: no part of what the importer reads yet"""

    def smooth(x):
        waves = jnp.fft.rfft(x)
        return jnp.fft.irfft(waves * jnp.exp(-0.01 * jnp.arange(waves.shape[-1])), length)

    return smooth, (draw.normal(8, length),)


@program("product", small={"rows": 16, "width": 4}, large={"rows": 512, "width": 64})
def least_squares(draw, rows, width):
    """By a QR decomposition, which the importer does not read yet"""

    def solve(a, b):
        q, r = jnp.linalg.qr(a)
        return jax.scipy.linalg.solve_triangular(r, q.T @ b)

    return solve, (draw.normal(rows, width), draw.normal(rows))
