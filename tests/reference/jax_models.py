"""Models: training steps, inference, gradients."""

import jax
import jax.numpy as jnp
from jax import lax
import numpy as np

from jax_registry import program


def draw_mlp(draw):
    return {"w1": draw.normal(6, 8, scale=0.4), "b1": draw.normal(8, scale=0.1),
            "w2": draw.normal(8, 4, scale=0.4), "b2": draw.normal(4, scale=0.1)}


def mlp_loss(p, x, labels):
    logits = jax.nn.relu(x @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"]
    return -jnp.mean(jnp.sum(jax.nn.one_hot(labels, 4) * jax.nn.log_softmax(logits), -1))


def adam(p, m, v, gradient, step, rate=1e-2):
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, gradient)
    v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, gradient)
    move = lambda p, m, v: p - rate * (m / (1 - 0.9**step)) / (jnp.sqrt(v / (1 - 0.999**step)) + 1e-8)
    return jax.tree.map(move, p, m, v), m, v


def zeros_like(p):
    return jax.tree.map(np.zeros_like, p)


def draw_batch(draw):
    return draw.normal(5, 6), draw.integers(0, 4, 5)


@program(lambda d: (draw_mlp(d), *draw_batch(d)))
def mlp_sgd_step(p, x, labels):
    """A step of gradient descent on an MLP"""
    loss, gradient = jax.value_and_grad(mlp_loss)(p, x, labels)
    return loss, jax.tree.map(lambda p, g: p - 0.1 * g, p, gradient)


def draw_mlp_adam(d):
    p = draw_mlp(d)
    return (p, zeros_like(p), zeros_like(p), np.float32(3), *draw_batch(d))


@program(draw_mlp_adam, donated=(0, 1, 2))
def mlp_adam_step(p, m, v, step, x, labels):
    """A step of Adam on an MLP, its state donated"""
    loss, gradient = jax.value_and_grad(mlp_loss)(p, x, labels)
    return loss, *adam(p, m, v, gradient, step)


@program(lambda d: (draw_mlp(d), *draw_batch(d)), exported=True)
def mlp_exported(p, x, labels):
    """A loss and its gradient, by jax.export"""
    return jax.value_and_grad(mlp_loss)(p, x, labels)


@program(lambda d: (draw_mlp(d), *draw_batch(d)))
def mlp_per_example_gradients(p, x, labels):
    """vmap of grad"""
    one = lambda x, label: jax.grad(mlp_loss)(p, x[None], label[None])
    return jax.vmap(one)(x, labels)


@program(lambda d: (draw_mlp(d), *draw_batch(d)))
def mlp_hessian_product(p, x, labels):
    """jvp of grad"""
    ones = jax.tree.map(jnp.ones_like, p)
    return jax.jvp(jax.grad(lambda p: mlp_loss(p, x, labels)), (p,), (ones,))[1]


@program(lambda d: (draw_mlp(d), *draw_batch(d)))
def mlp_rematerialized(p, x, labels):
    """jax.checkpoint: optimization_barrier"""
    return jax.grad(jax.checkpoint(mlp_loss))(p, x, labels)


@program(lambda d: (draw_mlp(d), *draw_batch(d)))
def mlp_mixed_bf16(p, x, labels):
    """A loss in bf16 with a gradient in f32"""
    half = lambda tree: jax.tree.map(lambda a: a.astype(jnp.bfloat16), tree)
    return jax.grad(lambda p: mlp_loss(half(p), half(x), labels).astype(jnp.float32))(p)


def draw_gpt(d):
    s = 0.3
    block = lambda: {"norm1": d.normal(8), "shift1": d.normal(8), "qkv": d.normal(8, 24, scale=s),
                     "out": d.normal(8, 8, scale=s), "norm2": d.normal(8), "shift2": d.normal(8),
                     "up": d.normal(8, 16, scale=s), "down": d.normal(16, 8, scale=s)}
    return {"tokens": d.normal(11, 8, scale=s), "places": d.normal(6, 8, scale=s),
            "blocks": [block(), block()]}


def layer_norm(x, scale, shift):
    centered = x - x.mean(-1, keepdims=True)
    return centered * lax.rsqrt(jnp.mean(centered**2, -1, keepdims=True) + 1e-5) * scale + shift


def attention(p, x):
    batch, time, width = x.shape
    split = lambda t: t.reshape(batch, time, 2, width // 2).transpose(0, 2, 1, 3)
    q, k, v = map(split, jnp.split(x @ p["qkv"], 3, axis=-1))
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(width // 2).astype(np.float32)
    scores = jnp.where(jnp.tril(jnp.ones((time, time), bool)), scores, -1e9)
    y = jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores), v)
    return y.transpose(0, 2, 1, 3).reshape(x.shape) @ p["out"]


def gpt_logits(p, tokens):
    h = p["tokens"][tokens] + p["places"][:tokens.shape[1]]
    for b in p["blocks"]:
        h = h + attention(b, layer_norm(h, b["norm1"], b["shift1"]))
        h = h + jax.nn.gelu(layer_norm(h, b["norm2"], b["shift2"]) @ b["up"]) @ b["down"]
    return h @ p["tokens"].T


def gpt_loss(p, tokens):
    shares = jax.nn.log_softmax(gpt_logits(p, tokens[:, :-1]))
    return -jnp.take_along_axis(shares, tokens[:, 1:, None], axis=-1).mean()


@program(lambda d: (draw_gpt(d), d.integers(0, 11, 2, 6)))
def gpt_logits_of_tokens(p, tokens):
    """A small GPT, forwards"""
    return gpt_logits(p, tokens)


def draw_gpt_adam(d):
    p = draw_gpt(d)
    return p, zeros_like(p), zeros_like(p), np.float32(1), d.integers(0, 11, 2, 7)


@program(draw_gpt_adam)
def gpt_adam_step(p, m, v, step, tokens):
    """A step of Adam on a small GPT"""
    loss, gradient = jax.value_and_grad(gpt_loss)(p, tokens)
    return loss, *adam(p, m, v, gradient, step)


@program(lambda d: (draw_gpt(d), d.integers(0, 11, 1, 3)))
def gpt_greedy_decoding(p, prompt):
    """fori_loop around a model: argmax, dynamic_update_slice"""
    tokens = jnp.zeros((1, 6), jnp.int32).at[:, :3].set(prompt)

    def body(i, tokens):
        logits = gpt_logits(p, tokens)
        best = jnp.argmax(lax.dynamic_index_in_dim(logits, i - 1, 1, keepdims=False), -1)
        return lax.dynamic_update_slice(tokens, best[:, None].astype(jnp.int32), (0, i))

    return lax.fori_loop(3, 6, body, tokens)


def convolve(x, w, strides=(1, 1), padding="SAME", **rest):
    return lax.conv_general_dilated(x, w, strides, padding,
                                    dimension_numbers=("NCHW", "OIHW", "NCHW"), **rest)


def pooled(x, kind, initial, size, stride):
    return lax.reduce_window(x, initial, kind, (1, 1, size, size), (1, 1, stride, stride), "VALID")


def cnn(p, x):
    h = convolve(x, p["first"])
    h = (h - p["mean"]) * lax.rsqrt(p["variance"] + 1e-5) * p["scale"] + p["shift"]
    h = pooled(jax.nn.relu(h), lax.max, -jnp.inf, 2, 2)
    h = convolve(h, p["depthwise"], feature_group_count=4)
    h = convolve(h, p["strided"], (2, 2), rhs_dilation=(1, 1))
    h = pooled(jax.nn.silu(h), lax.add, 0.0, 2, 2) / 4
    return h.reshape(h.shape[0], -1) @ p["dense"]


def draw_cnn(d):
    channel = lambda low, high: d.uniform(low, high, 4, 1, 1)
    p = {"first": d.normal(4, 2, 3, 3, scale=0.3), "mean": channel(-1, 1),
         "variance": channel(0.5, 2), "scale": channel(0.5, 2), "shift": channel(-1, 1),
         "depthwise": d.normal(4, 1, 3, 3, scale=0.3), "strided": d.normal(6, 4, 3, 3, scale=0.3),
         "dense": d.normal(6, 3)}
    return p, d.normal(2, 2, 8, 8)


@program(draw_cnn)
def cnn_inference(p, x):
    """Convolutions (plain, depthwise, strided), batch norm, max and average pooling"""
    return cnn(p, x)


@program(draw_cnn)
def cnn_gradient(p, x):
    """The gradients of the same, select_and_scatter among them"""
    return jax.grad(lambda p, x: jnp.sum(jnp.tanh(cnn(p, x))), (0, 1))(p, x)


@program(lambda d: (d.normal(2, 3, 7, 8), d.normal(4, 3, 3, 2)))
def convolution_kinds(x, w):
    """Strides, dilations, transposed, uneven padding, with the gradients of a dilated one"""
    dilated = lambda x, w: convolve(x, w, (2, 1), [(2, 1), (0, 3)], rhs_dilation=(2, 3))
    return (convolve(x, w, (3, 2), "VALID"), dilated(x, w),
            convolve(x, w, padding=[(1, 1), (1, 1)], lhs_dilation=(2, 3)),
            jax.grad(lambda x, w: jnp.sum(dilated(x, w)**2), (0, 1))(x, w))


@program(lambda d: (d.normal(2, 9, 3), d.normal(4, 3, 5), d.normal(1, 2, 4, 4, 3),
                    d.normal(2, 3, 2, 2, 2)))
def convolutions_1d_3d(x, w, volume, kernel):
    """Convolutions of one and three spatial dimensions"""
    return (lax.conv_general_dilated(x, w, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC")),
            lax.conv_general_dilated(volume, kernel[:, :2], (1, 2, 1), "VALID",
                                     dimension_numbers=("NCDHW", "OIDHW", "NCDHW")))


def draw_recurrent(gates):
    return lambda d: (d.normal(3 + 4, gates * 4, scale=0.4), d.normal(gates * 4), d.normal(5, 2, 3))


def lstm(w, b, xs):
    def step(carry, x):
        h, c = carry
        i, f, g, o = jnp.split(jnp.concatenate([x, h], -1) @ w + b, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zeros = jnp.zeros((xs.shape[1], 4))
    return lax.scan(step, (zeros, zeros), xs)


@program(draw_recurrent(4))
def lstm_scan(w, b, xs):
    """An LSTM as a scan"""
    return lstm(w, b, xs)


@program(draw_recurrent(4))
def lstm_scan_gradient(w, b, xs):
    """The gradient of a scan"""
    return jax.grad(lambda w, b, xs: jnp.sum(lstm(w, b, xs)[1]**2), (0, 1, 2))(w, b, xs)


@program(draw_recurrent(3))
def gru_while_loop(w, b, xs):
    """A GRU as a while_loop that stops at small changes or at the end"""

    def step(carry):
        t, h, _ = carry
        both = jnp.concatenate([xs[t], h], -1)
        r, z = jnp.split(jax.nn.sigmoid(both @ w[:, :8] + b[:8]), 2, -1)
        n = jnp.tanh(jnp.concatenate([xs[t], r * h], -1) @ w[:, 8:] + b[8:])
        new = (1 - z) * n + z * h
        return t + 1, new, jnp.max(jnp.abs(new - h))

    go_on = lambda carry: (carry[0] < xs.shape[0]) & (carry[2] > 1e-3)
    return lax.while_loop(go_on, step, (0, jnp.zeros((2, 4)), jnp.float32(1)))


@program(draw_recurrent(1), exported=True)
def rnn_scan_reverse_exported(w, b, xs):
    """A scan backwards in time, by jax.export"""
    step = lambda h, x: (jnp.tanh(jnp.concatenate([x, h], -1) @ w + b),) * 2
    return lax.scan(step, jnp.zeros((2, 4)), xs, reverse=True)
