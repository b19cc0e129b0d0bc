"""Transformers: training, and decoding with a cache of keys and values."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax

from registry import TOLERANCES, program
from training import cross_entropy, with_state


class Block(nn.Module):
    heads: int
    dropout: float = 0.0
    decode: bool = False

    @nn.compact
    def __call__(self, x, mask=None):
        width = x.shape[-1]
        attention = nn.MultiHeadDotProductAttention(
            self.heads, dropout_rate=self.dropout, deterministic=self.dropout == 0.0,
            decode=self.decode,
        )
        x = x + attention(nn.LayerNorm()(x), mask=mask)
        y = nn.gelu(nn.Dense(4 * width)(nn.LayerNorm()(x)))
        return x + nn.Dropout(self.dropout, deterministic=self.dropout == 0.0)(nn.Dense(width)(y))


class VisionTransformer(nn.Module):
    patch: int
    width: int
    heads: int
    layers: int

    @nn.compact
    def __call__(self, images):
        patch = (self.patch, self.patch)
        x = nn.Conv(self.width, patch, patch, padding="VALID")(images)
        x = x.reshape(x.shape[0], -1, self.width)
        first = self.param("class", nn.initializers.zeros, (1, 1, self.width))
        x = jnp.concatenate([jnp.tile(first, (x.shape[0], 1, 1)), x], 1)
        x = x + self.param("places", nn.initializers.normal(0.02), (1, *x.shape[1:]))
        for _ in range(self.layers):
            x = Block(self.heads)(x)
        return nn.Dense(10)(nn.LayerNorm()(x)[:, 0])


@program(
    "product",
    small={"batch": 1, "side": 16, "patch": 4, "width": 32, "heads": 2, "layers": 1},
    large={"batch": 16, "side": 32, "patch": 4, "width": 128, "heads": 4, "layers": 4},
)
def vit_training_step(draw, batch, side, patch, width, heads, layers):
    model = VisionTransformer(patch, width, heads, layers)
    images, labels = draw.normal(batch, side, side, 3), draw.integers(0, 10, batch)

    def loss(parameters, images, labels):
        return cross_entropy(model.apply(parameters, images), labels)

    schedule = optax.warmup_cosine_decay_schedule(0.0, 1e-3, 100, 10_000)
    parameters = model.init(jax.random.key(0), images)
    return with_state(loss, optax.adamw(schedule), parameters, images, labels)


class Gpt2(nn.Module):
    vocabulary: int
    width: int
    heads: int
    layers: int
    dropout: float = 0.0

    @nn.compact
    def __call__(self, tokens):
        embed = nn.Embed(self.vocabulary, self.width)
        places = self.param("places", nn.initializers.normal(0.02), (tokens.shape[1], self.width))
        x = embed(tokens) + places
        mask = nn.make_causal_mask(tokens)
        for _ in range(self.layers):
            x = Block(self.heads, self.dropout)(x, mask)
        return embed.attend(nn.LayerNorm()(x))


@program(
    "product",
    small={"batch": 1, "length": 16, "vocabulary": 64, "width": 32, "heads": 2, "layers": 1},
    large={"batch": 4, "length": 128, "vocabulary": 4000, "width": 256, "heads": 8, "layers": 4},
    tolerance=1e-2,
)
def gpt2_training_step(draw, batch, length, **sizes):
    """With dropout, whose numbers are drawn in the step. The gradient of the keys' shift is zero
    but for rounding, which Adam makes larger."""
    model = Gpt2(**sizes, dropout=0.1)
    tokens = draw.integers(0, sizes["vocabulary"], batch, length + 1)

    def loss(parameters, tokens, key):
        logits = model.apply(parameters, tokens[:, :-1], rngs={"dropout": key})
        return cross_entropy(logits, tokens[:, 1:])

    keys = {"params": jax.random.key(0), "dropout": jax.random.key(1)}
    parameters = model.init(keys, tokens[:, :-1])
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(3e-4))
    return with_state(loss, optimizer, parameters, tokens, draw.key())


def layer_norm(x, p):
    x = x - x.mean(-1, keepdims=True)
    return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * p["scale"] + p["shift"]


@program(
    "product",
    small={"batch": 1, "context": 32, "steps": 8, "width": 32, "heads": 2, "layers": 2,
           "vocabulary": 64},
    large={"batch": 4, "context": 256, "steps": 32, "width": 256, "heads": 8, "layers": 4,
           "vocabulary": 4000},
)
def gpt2_decoding(draw, batch, context, steps, width, heads, layers, vocabulary):
    """Greedy decoding: a scan over the steps, caches that are updated in place"""
    s = 0.05

    def norm():
        return {"scale": np.ones(width, np.float32), "shift": draw.normal(width, scale=s)}

    blocks = [
        {"norm1": norm(), "qkv": draw.normal(width, 3 * width, scale=s),
         "out": draw.normal(width, width, scale=s), "norm2": norm(),
         "up": draw.normal(width, 4 * width, scale=s),
         "down": draw.normal(4 * width, width, scale=s)}
        for _ in range(layers)
    ]
    parameters = {"tokens": draw.normal(vocabulary, width, scale=s),
                  "places": draw.normal(context, width, scale=s), "blocks": blocks, "norm": norm()}
    size = width // heads
    caches = [tuple(draw.normal(batch, heads, context, size) for _ in "kv") for _ in range(layers)]

    def attention(p, x, cache, place):
        q, k, v = jnp.split(x @ p["qkv"], 3, -1)
        q, k, v = (t.reshape(batch, heads, 1, size) for t in (q, k, v))
        keys = lax.dynamic_update_slice(cache[0], k, (0, 0, place, 0))
        values = lax.dynamic_update_slice(cache[1], v, (0, 0, place, 0))
        scores = jnp.einsum("bhqd,bhkd->bhqk", q, keys) / np.sqrt(size).astype(np.float32)
        scores = jnp.where(jnp.arange(context) <= place, scores, -1e9)
        y = jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores), values)
        return y.reshape(batch, width) @ p["out"], (keys, values)

    def decode(parameters, caches, token, place):
        def step(carry, _):
            caches, token, place = carry
            x = parameters["tokens"][token] + parameters["places"][place]
            updated = []
            for p, cache in zip(parameters["blocks"], caches):
                y, cache = attention(p, layer_norm(x, p["norm1"]), cache, place)
                x = x + y
                x = x + jax.nn.gelu(layer_norm(x, p["norm2"]) @ p["up"]) @ p["down"]
                updated.append(cache)
            logits = layer_norm(x, parameters["norm"]) @ parameters["tokens"].T
            token = jnp.argmax(logits, -1)
            return (updated, token, place + 1), token

        (caches, _, _), tokens = lax.scan(step, (caches, token, place), None, length=steps)
        return tokens, caches

    token = draw.integers(0, vocabulary, batch)
    return decode, (parameters, caches, token, np.int32(context // 2))


def rotate(x, places):
    """Rotary embeddings of [batch, length, heads, size]."""
    half = x.shape[-1] // 2
    angles = places[..., None] / 10_000 ** (jnp.arange(half) / half)
    cos, sin = jnp.cos(angles)[:, :, None], jnp.sin(angles)[:, :, None]
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def draw_llama(draw, width, heads, groups, layers, vocabulary):
    s = 0.05
    size = width // heads
    hidden = 3 * width
    blocks = {
        "norm1": np.ones((layers, width), np.float32),
        "q": draw.normal(layers, width, heads, size, scale=s),
        "k": draw.normal(layers, width, groups, size, scale=s),
        "v": draw.normal(layers, width, groups, size, scale=s),
        "out": draw.normal(layers, heads, size, width, scale=s),
        "norm2": np.ones((layers, width), np.float32),
        "gate": draw.normal(layers, width, hidden, scale=s),
        "up": draw.normal(layers, width, hidden, scale=s),
        "down": draw.normal(layers, hidden, width, scale=s),
    }
    return {"tokens": draw.normal(vocabulary, width), "blocks": blocks,
            "norm": np.ones(width, np.float32), "head": draw.normal(width, vocabulary, scale=s)}


def root_mean_square_norm(x, scale):
    return x * lax.rsqrt(jnp.mean(jnp.square(x), -1, keepdims=True) + 1e-6) * scale


def llama_layer(p, x, places, attend):
    h = root_mean_square_norm(x, p["norm1"])
    q = rotate(jnp.einsum("blw,whs->blhs", h, p["q"]), places)
    k = rotate(jnp.einsum("blw,wgs->blgs", h, p["k"]), places)
    v = jnp.einsum("blw,wgs->blgs", h, p["v"])
    y, kept = attend(q, k, v)
    x = x + jnp.einsum("blhs,hsw->blw", y, p["out"])
    h = root_mean_square_norm(x, p["norm2"])
    return x + (jax.nn.silu(h @ p["gate"]) * (h @ p["up"])) @ p["down"], kept


@program(
    "product",
    small={"batch": 1, "length": 16, "width": 32, "heads": 4, "groups": 2, "layers": 2,
           "vocabulary": 64},
    large={"batch": 1, "length": 256, "width": 512, "heads": 8, "groups": 2, "layers": 4,
           "vocabulary": 4000},
)
def llama_prefill(draw, batch, length, width, heads, groups, layers, vocabulary):
    """A scan over the layers; jax.nn.dot_product_attention with fewer keys than queries"""

    def prefill(parameters, tokens):
        places = jnp.broadcast_to(jnp.arange(length), (batch, length))

        def layer(x, p):
            def attend(q, k, v):
                return jax.nn.dot_product_attention(q, k, v, is_causal=True), (k, v)

            return llama_layer(p, x, places, attend)

        x, caches = lax.scan(layer, parameters["tokens"][tokens], parameters["blocks"])
        return root_mean_square_norm(x[:, -1], parameters["norm"]) @ parameters["head"], caches

    parameters = draw_llama(draw, width, heads, groups, layers, vocabulary)
    return prefill, (parameters, draw.integers(0, vocabulary, batch, length))


@program(
    "memory",
    small={"batch": 1, "context": 32, "width": 32, "heads": 4, "groups": 2, "layers": 2,
           "vocabulary": 64},
    large={"batch": 1, "context": 512, "width": 512, "heads": 8, "groups": 2, "layers": 4,
           "vocabulary": 4000},
)
def llama_decoding_step(draw, batch, context, width, heads, groups, layers, vocabulary):
    """One token: a scan over the layers, whose caches come and go, then one is drawn"""
    size = width // heads

    def step(parameters, caches, token, place, key):
        places = jnp.full((batch, 1), place)

        def layer(x, inputs):
            p, (keys, values) = inputs

            def attend(q, k, v):
                kept = (lax.dynamic_update_slice_in_dim(keys, k, place, 1),
                        lax.dynamic_update_slice_in_dim(values, v, place, 1))
                mask = (jnp.arange(context) <= place)[None, None, None]
                return jax.nn.dot_product_attention(q, *kept, mask=mask), kept

            return llama_layer(p, x, places, attend)

        x = parameters["tokens"][token][:, None]
        x, caches = lax.scan(layer, x, (parameters["blocks"], caches))
        logits = root_mean_square_norm(x[:, 0], parameters["norm"]) @ parameters["head"]
        best, tokens = lax.top_k(logits / 0.8, 40)
        chosen = jax.random.categorical(key, best)
        return jnp.take_along_axis(tokens, chosen[:, None], 1)[:, 0], caches

    parameters = draw_llama(draw, width, heads, groups, layers, vocabulary)
    caches = tuple(draw.normal(layers, batch, context, groups, size) for _ in "kv")
    token = draw.integers(0, vocabulary, batch)
    return step, (parameters, caches, token, np.int32(context // 2), draw.key())


@program(
    "product",
    small={"tokens": 32, "width": 16, "experts": 4, "capacity": 16},
    large={"tokens": 1024, "width": 128, "experts": 8, "capacity": 256},
)
def mixture_of_experts_step(draw, tokens, width, experts, capacity):
    """Two experts a token, each of a limited capacity; a loss that balances them"""

    def layer(p, x):
        shares = jax.nn.softmax(x @ p["router"])
        best, chosen = lax.top_k(shares, 2)
        best = best / best.sum(-1, keepdims=True)
        hot = jax.nn.one_hot(chosen, experts)  # [tokens, 2, experts]
        before = jnp.cumsum(hot.reshape(-1, experts), 0).reshape(hot.shape) - hot
        place = (before * hot).sum(-1).astype(jnp.int32)
        into = hot[..., None] * jax.nn.one_hot(place, capacity)[:, :, None]
        inputs = jnp.einsum("tkec,tw->ecw", into, x)
        hidden = jax.nn.gelu(jnp.einsum("ecw,ewh->ech", inputs, p["up"]))
        outputs = jnp.einsum("ech,ehw->ecw", hidden, p["down"])
        y = jnp.einsum("tkec,tk,ecw->tw", into, best, outputs)
        balance = experts * (shares.mean(0) * hot.sum(1).mean(0)).sum()
        return y, balance

    def loss(p, x, target):
        y, balance = layer(p, x)
        return jnp.square(x + y - target).mean() + 0.01 * balance

    parameters = {
        "router": draw.normal(width, experts),
        "up": draw.normal(experts, width, 4 * width, scale=0.1),
        "down": draw.normal(experts, 4 * width, width, scale=0.1),
    }
    x, target = draw.normal(tokens, width), draw.normal(tokens, width)
    return with_state(loss, optax.adamw(1e-3), parameters, x, target)


@program(
    "product",
    small={"batch": 2, "length": 16, "width": 32, "heads": 2},
    large={"batch": 8, "length": 128, "width": 256, "heads": 4},
    tolerance=TOLERANCES["bfloat16"],
)
def transformer_block_bf16_gradient(draw, batch, length, width, heads):
    """Mixed precision: computes in bf16, parameters and gradients in f32"""
    model = nn.Sequential([
        nn.MultiHeadDotProductAttention(heads, dtype=jnp.bfloat16),
        nn.Dense(4 * width, dtype=jnp.bfloat16),
        nn.gelu,
        nn.Dense(width, dtype=jnp.bfloat16),
    ])
    x = draw.normal(batch, length, width)

    def loss(parameters, x):
        return jnp.square(model.apply(parameters, x).astype(jnp.float32)).mean()

    return jax.value_and_grad(loss), (model.init(jax.random.key(0), x), x)
