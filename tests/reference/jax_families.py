"""Programs that have much of one family each: what the importer's first version was made for."""

import jax
import jax.numpy as jnp
from jax import lax
import numpy as np

from jax_registry import program


def draw_layers(d):
    return [(d.normal(8, 5), d.normal(5)), (d.normal(5, 3), d.normal(3))]


def draw_order(d):
    x = d.normal(4, 9)
    x[0, 3], x[1, 2], x[1, 5], x[2, 1], x[3, 2] = np.nan, 0.0, -0.0, np.inf, x[3, 5]
    return x, d.integers(0, 3, 4, 9)


def draw_bits(d):
    x = np.r_[d.normal(14), [0.5, -0.5, 1.5, -0.0, np.inf, np.nan]].astype(np.float32)
    return x, np.arange(20, dtype=np.int32) - 6


def draw_special(_):
    x = np.concatenate([np.linspace(-6, 6, 31), [0, 1e-6, 30, -30.5, 80, 1e20, np.inf, np.nan]])
    u = np.concatenate([np.linspace(-1, 1, 21), [1e-6, 0.9999999, np.nan, 2]])
    return (x.astype(np.float32), u.astype(np.float32),
            np.linspace(0.1, 6, 12).astype(np.float32))


def draw_transformer(d):
    scaled = lambda *sizes: d.normal(*sizes, scale=0.3)
    p = {"embedding": scaled(11, 8), "scale": scaled(8), "shift": scaled(8), "qkv": scaled(8, 24),
         "out": scaled(8, 8), "up": scaled(8, 16), "down": scaled(16, 8)}
    return p, d.integers(0, 11, 2, 5)


@program(lambda d: (draw_layers(d), d.normal(4, 8)))
def mlp(layers, x):
    """Layers and log_softmax"""
    (w1, b1), (w2, b2) = layers
    return jax.nn.log_softmax(jnp.tanh(x @ w1 + b1) @ w2 + b2)


@program(lambda d: (draw_layers(d), d.normal(4, 8)))
def mlp_step(layers, x):
    """A step of gradient descent on it"""
    loss = lambda layers: -mlp(layers, x)[:, 0].mean()
    return jax.tree.map(lambda p, g: p - 0.1 * g, layers, jax.grad(loss)(layers))


def lstm(w, xs):
    def step(carry, x):
        h, c = carry
        i, f, g, o = jnp.split(jnp.concatenate([h, x]) @ w, 4)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    return lax.scan(step, (jnp.zeros(3), jnp.zeros(3)), xs)[1].sum()


@program(lambda d: (d.normal(5, 12), d.normal(6, 2)))
def lstm_gradient(w, xs):
    """An LSTM over a sequence, and its gradient"""
    return jax.value_and_grad(lstm)(w, xs)


def transformer(p, tokens):
    h = p["embedding"][tokens]
    mean = h.mean(-1, keepdims=True)
    variance = h.var(-1, keepdims=True)
    n = (h - mean) * lax.rsqrt(variance + 1e-5) * p["scale"] + p["shift"]
    q, k, v = (jnp.moveaxis(t.reshape(2, 5, 2, 4), 2, 1) for t in jnp.split(n @ p["qkv"], 3, -1))
    scores = jnp.einsum("bhid,bhjd->bhij", q, k) / 2
    scores = jnp.where(jnp.tril(jnp.ones((5, 5), bool)), scores, -jnp.inf)
    h = h + jnp.moveaxis(jax.nn.softmax(scores) @ v, 1, 2).reshape(2, 5, 8) @ p["out"]
    h = h + jax.nn.gelu(h @ p["up"]) @ p["down"]
    logits = jax.nn.log_softmax(h @ p["embedding"].T)
    return -jnp.take_along_axis(logits[:, :-1], tokens[:, 1:, None], -1).mean()


@program(draw_transformer)
def transformer_gradient(p, tokens):
    """A block with a causal mask, and its gradient"""
    return jax.value_and_grad(transformer)(p, tokens)


@program(lambda d: (d.normal(2, 6, 6, 3), d.normal(3, 3, 3, 4)))
def convolutions(x, w):
    """Convolution, pooling, their gradients, windows with holes"""
    layout = ("NHWC", "HWIO", "NHWC")
    conv = lambda x, w: lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=layout)
    pool = lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "VALID")
    return (
        conv(x, w),
        pool(x),
        jax.grad(lambda x: (pool(x) ** 2).sum())(x),
        lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 1, 1), "SAME",
                          window_dilation=(1, 2, 1, 1)),
        *jax.grad(lambda x, w: (conv(x, w) ** 2).sum(), (0, 1))(x, w),
    )


@program(lambda d: (d.normal(2, 4, 9), d.normal(5, 4, 3)))
def convolution_forms(x, w):
    """Dilated, of groups of features and of the batch, jnp.convolve"""
    conv = lax.conv_general_dilated
    return (
        conv(x, w, (1,), [(2, -1)], lhs_dilation=(2,), rhs_dilation=(2,)),
        conv(jnp.tile(x, (1, 2, 1)), jnp.tile(w, (2, 1, 1)), (1,), "SAME", feature_group_count=2),
        conv(jnp.tile(x, (2, 1, 1)), jnp.tile(w, (2, 1, 1)), (1,), "VALID", batch_group_count=2),
        jnp.convolve(x[0, 0], w[0, 0]),
    )


@program(draw_order)
def sorts(x, i):
    """Sorts, argmax, top_k and unique with NaN, infinity and both zeros"""
    return (jnp.sort(x), jnp.argsort(x), jnp.argmax(x, 1), jnp.argmin(x, 0),
            lax.top_k(jnp.nan_to_num(x), 3), jnp.sort(x, descending=True),
            jnp.argsort(x, axis=0, descending=True), lax.sort((i, x), num_keys=2),
            lax.sort((i, i + 1), num_keys=1), jnp.sort(i > 1), jnp.unique(i, size=3))


@program(lambda d: (d.normal(5, 13),))
def cumulative(x):
    """Running sums, products, extremes"""
    return (jnp.cumsum(x, 0), lax.cumsum(x, 1, reverse=True), jnp.cumprod(x, 1), lax.cummax(x, 1),
            lax.cummin(x, 0, reverse=True), lax.cumlogsumexp(x, 1))


@program(lambda d: (d.normal(5, 7),))
def reductions_of_all_kinds(x):
    """reduce with initial values, of bool, of two operands"""
    return (x.sum(), x.max(0), x.min(1), jnp.prod(x, 1), jnp.any(x > 1, 0), jnp.all(x > -3, 1),
            jnp.std(x, 0), jnp.sum(x > 0), lax.reduce(x, np.float32(3), lax.add, (0,)),
            lax.reduce(x.astype(int), np.int32(0), lax.bitwise_xor, (0, 1)),
            lax.reduce((x, x + 1), (np.float32(0), np.float32(1)),
                       lambda a, b: (a[0] + b[0], a[1] * b[1]), (1,)))


@program(lambda d: (d.normal(4, 8), np.array([1, 2, -1, 7, 2], np.int32)))
def indexing(x, i):
    """gather and scatter in many forms"""
    return (x[i], x[:, i], x[i, i], x.at[i].set(1.0), x.at[i].add(2.0), x.at[:, i].max(0.3),
            x.at[i, i].mul(2.0), x.at[i].min(jnp.arange(40.0).reshape(5, 8) - 20),
            x.at[i].set(jnp.arange(40.0).reshape(5, 8)), x.at[1:3, i[0]].set(5.0),
            (x > 0).at[i].set(True), lax.dynamic_slice(x, (i[0], i[3]), (2, 2)),
            lax.dynamic_update_slice(x, jnp.ones((2, 3)), (i[1], i[3])),
            jnp.take_along_axis(x, i[None] * jnp.ones((4, 1), int), 1),
            jax.vmap(lambda r, j: lax.dynamic_slice(r, (j,), (3,)))(x, i[:4]),
            jax.vmap(lambda r, j: r.at[j].set(3.0))(x, i[:4]),
            jnp.take(x, i, axis=0, mode="fill"), jnp.where(x > 0, size=5)[0],
            jax.grad(lambda x: (x[i] ** 2).sum())(x))


@program(draw_bits)
def bits_of_numbers(x, i):
    """Bitcasts, counts of bits, shifts, roundings"""
    return (lax.bitcast_convert_type(x, jnp.int32), lax.bitcast_convert_type(x, jnp.uint8),
            lax.bitcast_convert_type(i.reshape(-1, 2, 2).astype(jnp.uint16), jnp.uint32),
            lax.population_count(i * 77), lax.clz(i * 77), lax.shift_right_logical(i - 5, 2),
            lax.shift_right_arithmetic(i - 5, 1), lax.reduce_precision(x, 5, 10),
            lax.reduce_precision(x * 1e30, 5, 7), lax.sign(x),
            lax.round(x * 3, lax.RoundingMethod.AWAY_FROM_ZERO), i**5, jnp.power(i, i % 4),
            i // 2, i % 3, jnp.floor_divide(x, 0.3), jnp.mod(x, 0.3), ~i, x.astype(jnp.int8))


@program(draw_special)
def special_functions_far(x, u, a):
    """Special functions, at poles and far away"""
    return (lax.erf(x), lax.erfc(x), lax.lgamma(x), lax.digamma(x), jnp.sinh(x), jnp.cosh(x),
            jnp.tan(x), jnp.arcsinh(x), jnp.arccosh(x), lax.nextafter(x, x * 2 + 1),
            lax.bessel_i1e(x), jnp.isinf(x), jnp.arctan(x), lax.erf_inv(u), jnp.arcsin(u),
            jnp.arccos(u), jnp.arctanh(u), lax.zeta(a + 1.1, a[::-1]),
            lax.polygamma(jnp.round(a), a[::-1]), lax.igamma(a, a[::-1]))


@program(lambda d: (np.int32(3), d.normal(4, 8)))
def control_flow(i, x):
    """cond, switch, while_loop, fori_loop"""
    return (lax.cond(i > 2, lambda x: x + 1, lambda x: x * 2, x),
            lax.switch(i, [lambda x: x, lambda x: x + 5, jnp.sin], x),
            lax.while_loop(lambda c: c[0] < 10, lambda c: (c[0] + 1, c[1] * x + c[0]), (0, x)),
            lax.fori_loop(0, 5, lambda j, a: a + x[j % 4], jnp.zeros(8)))


@program(lambda d: (np.array([0, 7], np.uint32),))
def random_numbers(key):
    """jax.random with threefry"""
    return (jax.random.uniform(key, (5,)), jax.random.normal(key, (3, 4)),
            jax.random.randint(key, (4,), 0, 10), jax.random.permutation(key, 10),
            jax.random.split(key))


@program(lambda d: (np.array([1, 2, 3, 4], np.uint32),))
def random_philox(key):
    """jax.random with rbg"""
    key = jax.random.wrap_key_data(key, impl="rbg")
    return (jax.random.uniform(key, (5,)), jax.random.bits(key, (3, 4)),
            jax.random.bits(key, (6,), np.uint8), jax.random.key_data(jax.random.split(key)))


def draw_matrices(d):
    return d.normal(2, 4, 4), d.normal(2, 4, 3)


@program(draw_matrices)
def cholesky_factors(x, b):
    """Cholesky of a batch, upper and lower, of one that has none, with a gradient"""
    square = x @ jnp.swapaxes(x, 1, 2) + jnp.eye(4)
    solve = lambda a: jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(a), True), b[0])
    return (jnp.linalg.cholesky(square), jnp.linalg.cholesky(square[0], upper=True),
            jnp.linalg.cholesky(square - 3 * jnp.eye(4)), solve(square[0]),
            jax.grad(lambda a: jnp.sum(jnp.linalg.cholesky(a)**2 * b[0, 0, 0]))(square[1]))


@program(draw_matrices)
def triangular_systems(x, b):
    """Every side, triangle, transpose and diagonal, and a gradient"""
    a = x + 3 * jnp.eye(4)
    solve = lax.linalg.triangular_solve
    forms = [solve(a, b if left else jnp.swapaxes(b, 1, 2), left_side=left, lower=lower,
                   transpose_a=transposed, unit_diagonal=unit)
             for left in (True, False) for lower in (True, False)
             for transposed in (True, False) for unit in (True, False)]
    gradient = jax.grad(lambda a: jnp.sum(solve(a, b, left_side=True, lower=True)**2))
    return forms, gradient(a)


@program(draw_matrices)
def linear_systems(x, b):
    """LU: solve, inverse, determinants, singular and oblong matrices, with gradients"""
    singular = x[0].at[:, 1].set(0.0)
    return (jnp.linalg.solve(x, b), jnp.linalg.inv(x), jnp.linalg.det(x), jnp.linalg.slogdet(x[1]),
            jax.scipy.linalg.lu_factor(singular), lax.linalg.lu(b), lax.linalg.lu(b[0].T),
            jax.grad(lambda x: jnp.sum(jnp.linalg.solve(x, b)))(x),
            jax.grad(lambda x: jnp.linalg.slogdet(x)[1])(x[0]))


@program(lambda d: (d.normal(5, 5, dtype=np.float64), d.normal(5, dtype=np.float64)), x64=True)
def linear_systems_f64(x, b):
    """The same in f64, and a Gaussian process"""
    kernel = jnp.exp(-(b[:, None] - b)**2) + 0.1 * jnp.eye(5)
    factor = jax.scipy.linalg.cho_factor(kernel)
    likelihood = -0.5 * b @ jax.scipy.linalg.cho_solve(factor, b) - jnp.log(jnp.diag(factor[0])).sum()
    return jnp.linalg.solve(x, b), jnp.linalg.inv(x), likelihood, jax.scipy.linalg.expm(0.2 * x)
