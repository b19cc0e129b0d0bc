"""Families of operations: order, indexing, random numbers, numbers' corners, control flow."""

import jax
import jax.numpy as jnp
from jax import lax
import numpy as np

from jax_registry import program

NAN, INF = np.float32(np.nan), np.float32(np.inf)


def corners(d):
    values = np.array([NAN, INF, -INF, 0.0, -0.0, 1, -1, 0.5, -2.5, 3e38, -3e38, 1e-38], np.float32)
    return values, d.generator.permutation(values)


# ---- Order and running totals.

def draw_order(d):
    x = d.normal(4, 7)
    x[0, 2] = x[0, 5] = NAN
    x[1, :4] = [0.0, -0.0, INF, -INF]
    return x, d.integers(0, 3, 4, 7)


@program(draw_order)
def sort_rows_and_columns(x, i):
    """sort along each axis, both ways, NaN last, stable"""
    return (jnp.sort(x), jnp.sort(x, axis=0), jnp.sort(i, descending=True), jnp.argsort(x),
            jnp.argsort(i, axis=0, stable=True), jnp.argsort(i, descending=True))


@program(draw_order)
def sort_by_several_keys(x, i):
    """lexsort, sort of pairs"""
    return (jnp.lexsort((i[0], i[1])), lax.sort((i, x), dimension=1, num_keys=1),
            lax.sort((i, x, -i), dimension=0, num_keys=2))


@program(draw_order)
def approximate_top_k(x, i):
    """approx_max_k and approx_min_k, which are exact on a CPU"""
    return lax.approx_max_k(i.astype(jnp.float32), 3), lax.approx_min_k(-x[2:], 2, reduction_dimension=0)


@program(draw_order)
def top_k_and_argmax(x, i):
    """The largest and where they are; ties, NaN"""
    return (lax.top_k(x[2:], 3), lax.top_k(i, 2), jnp.argmax(x, 1), jnp.argmin(x, 0),
            jnp.argmax(i), jnp.argmin(i, 1, keepdims=True))


@program(lambda d: (d.normal(3, 9), d.integers(-3, 4, 3, 9)))
def running_totals(x, i):
    """cumsum, cumprod, cummax, cummin, cumlogsumexp, reversed too"""
    return (jnp.cumsum(x, 1), jnp.cumsum(i, 0), jnp.cumprod(x, 1), lax.cummax(x, 1),
            lax.cummin(i, 1, reverse=True), lax.cumlogsumexp(x, 1), lax.cumsum(x, 1, reverse=True))


@program(lambda d: (d.normal(8), d.normal(8)))
def associative_scan(a, b):
    """A linear recurrence by associative_scan"""
    return lax.associative_scan(lambda f, g: (f[0] * g[0], g[0] * f[1] + g[1]), (a, b))


@program(lambda d: (np.sort(d.normal(9)), d.normal(5)))
def searchsorted(edges, x):
    """Binary search (a loop) and its other methods"""
    return (jnp.searchsorted(edges, x), jnp.searchsorted(edges, edges, side="right"),
            jnp.searchsorted(edges, x, method="compare_all"),
            jnp.searchsorted(edges, x, method="sort"))


@program(lambda d: (d.normal(10), d.uniform(-2, 2, 10)))
def median_and_quantiles(x, y):
    """Statistics made of sorts"""
    return (jnp.median(x), jnp.quantile(x, jnp.array([0.1, 0.5, 0.9])),
            jnp.interp(y, jnp.sort(x), y), jnp.histogram(y, 4, (-2.0, 2.0))[0])


# ---- Indexing.

@program(lambda d: (d.normal(6, 5), d.integers(0, 5, 4), np.array([1, 1, -1, 7], np.int32)))
def gathers(x, i, out_of_range):
    """Index arrays in one and two dimensions, out of range too, with a gradient"""
    return (x[i], x[:, i], x[i, i[::-1]], jnp.take(x, out_of_range, 0, mode="clip"),
            jnp.take(x, out_of_range, 0, mode="fill"), jnp.take(x, out_of_range, 1, mode="wrap"),
            x.at[out_of_range].get(mode="fill", fill_value=-1.0),
            jax.grad(lambda x: jnp.sum(x[i] ** 2))(x))


@program(lambda d: (d.normal(6, 5), np.array([0, 2, 2, 9], np.int32), d.normal(4, 5)))
def scatters(x, i, updates):
    """set, add, multiply, min, max at repeated and dropped indices"""
    rows = x.at[i]
    return (rows.add(updates), rows.multiply(updates), rows.min(updates), rows.max(updates),
            x.at[i[:2]].set(updates[:2]), x.at[i[3:]].set(updates[3:], mode="drop"),
            x.at[2:4, 1].add(3.0), x.at[i[:2], i[1:3]].set(7.0))


@program(lambda d: (d.normal(8, 3), np.array([0, 3, 3, 1, 0, 3, 5, 1], np.int32)))
def segments(x, ids):
    """segment_sum, segment_max, bincount"""
    return (jax.ops.segment_sum(x, ids, 6), jax.ops.segment_max(x, ids, 6),
            jax.ops.segment_prod(x, ids, 6), jnp.bincount(ids, length=6))


@program(lambda d: (d.normal(4, 6), d.integers(0, 6, 4, 2), d.integers(0, 5, 4)))
def along_axis_and_one_hot(x, i, labels):
    """take_along_axis, put_along_axis, one_hot, with gradients"""
    taken = lambda x: jnp.take_along_axis(x, i, 1)
    return (taken(x), jax.grad(lambda x: jnp.sum(jnp.sin(taken(x))))(x), jax.nn.one_hot(labels, 5),
            jnp.put_along_axis(x, i[:, :1], 9.0, 1, inplace=False), jnp.choose(labels % 4, x[:, :4], mode="clip"))


@program(lambda d: (d.normal(5, 6), np.int32(4), np.int32(-1)))
def dynamic_slices(x, i, j):
    """dynamic_slice and its update, moved back where they do not fit, with gradients"""
    cut = lambda x: lax.dynamic_slice(x, (i, j), (3, 2))
    put = lambda x, y: lax.dynamic_update_slice(x, y, (j, i))
    return (cut(x), put(x, cut(x)), jax.grad(lambda x: jnp.sum(cut(x) * put(x, cut(x))[:3, :2]))(x),
            jax.vmap(lambda row, i: lax.dynamic_slice(row, (i,), (2,)))(x, jnp.arange(5)))


@program(lambda d: (d.normal(4, 5), d.integers(0, 9, 3)))
def paddings(x, i):
    """Negative, interior, and the modes of jnp.pad"""
    return (lax.pad(x, np.float32(9), [(1, -2, 0), (-1, 3, 2)]),
            lax.pad(i, np.int32(-1), [(2, 0, 1)]), jnp.pad(x, 2, mode="reflect"),
            jnp.pad(x, ((1, 0), (0, 2)), mode="edge"), jnp.pad(x, 1, mode="wrap"),
            jax.grad(lambda x: jnp.sum(lax.pad(x, np.float32(1), [(-1, 1, 1), (0, -1, 0)]) ** 2))(x))


@program(lambda d: (d.normal(2, 3, 4), d.normal(3, 4)))
def shapes(x, y):
    """Strided slices, flips, rolls, stacks, tiles, transposes"""
    return (x[:, ::2, 1::2], x[:, ::-1], jnp.roll(x, (1, -2), (0, 2)), jnp.stack([y, -y], 1),
            jnp.concatenate([x[0], y]), jnp.tile(y, (2, 1)), jnp.repeat(y, 2, 1), x.transpose(2, 0, 1),
            x.reshape(6, 4), jnp.broadcast_to(y, (2, 3, 4)), jnp.rot90(y), jnp.triu(y, 1),
            jnp.tril(y, -1), jnp.eye(3, 4, 1), jnp.diag(y[:, :3]), jnp.linspace(0, 1, 5) + y[0, 0])


# ---- Products and reductions.

@program(lambda d: (d.normal(2, 3, 4), d.normal(2, 4, 5), d.normal(3, 3), d.normal(4)))
def einsums(a, b, c, v):
    """einsum of many kinds"""
    e = lambda *x: jnp.einsum(*x, precision="highest")
    return (e("bij,bjk->bik", a, b), e("bij,bjk->kb", a, b), e("ii->i", c), e("ii", c),
            e("bij,j->bi", a, v), e("i,j->ij", v, v), e("bij,cij->bc", a, a), e("bij->ij", a),
            e("bij,bjk,il->blk", a, b, c), e("...i,...i", a, v), e("bij->jib", a))


@program(lambda d: (d.normal(3, 4, 2), d.normal(4, 2, 5), d.integers(-9, 9, 3, 4),
                    d.integers(-9, 9, 4, 2, dtype=np.int8)))
def dot_products(a, b, i, j):
    """tensordot, vdot, outer, kron, products of integers, a gradient"""
    return (jnp.tensordot(a, b, 2), jnp.tensordot(a, b, ((1, 2), (0, 1))), jnp.vdot(a, a),
            jnp.outer(a[0, 0], b[0, 0]), jnp.kron(a[0], b[:2, :, 0]), i @ i.T,
            lax.dot_general(i, j, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32),
            jax.grad(lambda b: jnp.sum(jnp.tensordot(a, b, 2) ** 2))(b))


@program(lambda d: (d.normal(4, 5), d.integers(-20, 20, 4, 5)))
def reductions(x, i):
    """Sums, products, extremes, any, all, of floats and integers"""
    return (x.sum(), x.mean(0), x.prod(1), x.max(), x.min(0), x.var(1), jnp.any(x > 1.5, 0),
            jnp.all(i > -15, 1), i.sum(1), i.max(0), i.prod(), jnp.count_nonzero(x > 0),
            jax.nn.logsumexp(x, 1), jnp.linalg.norm(x, axis=0), jnp.ptp(x, 1))


@program(lambda d: (d.normal(4, 6), d.integers(0, 64, 4, 6)))
def reductions_of_own(x, i):
    """lax.reduce with computations of one's own, of one and two operands"""
    largest = lambda a, b: (jnp.maximum(a[0], b[0]), jnp.where(a[0] >= b[0], a[1], b[1]))
    return (lax.reduce(x, np.float32(0), lambda a, b: a + b + a * b, (1,)),
            lax.reduce(i, np.int32(0), lax.bitwise_or, (0,)),
            lax.reduce(i, np.int32(-1), lambda a, b: a & b, (0, 1)),
            lax.reduce((jnp.abs(x), i), (np.float32(-1), np.int32(-1)), largest, (1,)))


@program(lambda d: (d.normal(2, 7, 6),))
def window_reductions(x):
    """reduce_window with padding, dilation, strides, and gradients"""
    window = lambda x, kind, initial: lax.reduce_window(
        x, initial, kind, (1, 3, 2), (1, 2, 1), ((0, 0), (1, 1), (0, 1)))
    return (window(x, lax.max, -jnp.inf), window(x, lax.min, jnp.inf), window(x, lax.add, 0.0),
            lax.reduce_window(x, 1.0, lax.mul, (2, 2, 2), (1, 1, 1), "VALID"),
            lax.reduce_window(x, 0.0, lax.add, (1, 2, 2), (1, 1, 1), "VALID",
                              window_dilation=(1, 3, 2)),
            jax.grad(lambda x: jnp.sum(window(x, lax.max, -jnp.inf) ** 2))(x),
            jax.grad(lambda x: jnp.sum(window(x, lax.add, 0.0) ** 2))(x))


# ---- Random numbers: the bits are JAX's own.

def draw_key(words):
    return lambda d: (d.integers(0, 2**31, words, dtype=np.uint32),)


@program(draw_key(2))
def random_threefry(bits):
    """uniform, normal, bernoulli, bits, split, fold_in of the default generator"""
    key = jax.random.wrap_key_data(bits, impl="threefry2x32")
    a, b = jax.random.split(key)
    return (jax.random.uniform(a, (3, 5)), jax.random.normal(b, (7,)),
            jax.random.bernoulli(a, 0.3, (9,)), jax.random.bits(b, (4,)),
            jax.random.key_data(jax.random.fold_in(key, 5)), jax.random.randint(b, (5,), -3, 9),
            jax.random.bits(a, (5,), "uint8"))


@program(draw_key(2))
def random_distributions(bits):
    """categorical, gumbel, exponential, laplace, truncated_normal, cauchy"""
    keys = jax.random.split(jax.random.wrap_key_data(bits, impl="threefry2x32"), 6)
    return (jax.random.categorical(keys[0], jnp.arange(12.0).reshape(3, 4)),
            jax.random.gumbel(keys[1], (4,)), jax.random.exponential(keys[2], (4,)),
            jax.random.laplace(keys[3], (4,)), jax.random.truncated_normal(keys[4], -1, 2, (4,)),
            jax.random.cauchy(keys[5], (4,)))


@program(draw_key(2))
def random_permutation(bits):
    """permutation and choice: sorts of random bits"""
    key = jax.random.wrap_key_data(bits, impl="threefry2x32")
    return (jax.random.permutation(key, 11), jax.random.choice(key, 9, (4,), replace=False),
            jax.random.permutation(key, jnp.arange(12).reshape(4, 3), axis=1, independent=True))


@program(draw_key(4))
def random_rbg(bits):
    """uniform and normal of rbg: rng_bit_generator"""
    key = jax.random.wrap_key_data(bits, impl="rbg")
    return (jax.random.uniform(key, (5,)), jax.random.normal(key, (3, 3)),
            jax.random.bits(key, (7,)), jax.random.bernoulli(key, 0.5, (6,)))


def bits_of(algorithm, dtypes, state, shapes):
    def of(dtype):
        pairs = [lax.rng_bit_generator(state, shape, dtype=dtype, algorithm=algorithm)
                 for shape in shapes]
        return (jnp.stack([after for after, _ in pairs]),
                jnp.concatenate([bits.ravel() for _, bits in pairs]))

    return [of(dtype) for dtype in dtypes]


@program(lambda d: (np.array([0xdeadbeef12345678, 2**64 - 3], np.uint64),), x64=True)
def generators_of_bits(state):
    """rng_bit_generator with each algorithm and width: even and odd sizes, a counter that runs over"""
    shapes = [(), (1,), (5,), (6,), (4, 3), (3, 4), (3, 5), (3, 3, 2), (7, 3, 5)]
    widths = [np.uint8, np.uint16, np.uint32, np.uint64]
    return (bits_of(lax.RandomAlgorithm.RNG_THREE_FRY, widths, state, shapes),
            bits_of(lax.RandomAlgorithm.RNG_PHILOX, widths, state, shapes),
            bits_of(lax.RandomAlgorithm.RNG_DEFAULT, widths, state, shapes[4:6]))


@program(lambda d: (*draw_key(2)(d), d.normal(4, 6)))
def dropout(bits, x):
    """Dropout with its gradient"""
    key = jax.random.wrap_key_data(bits, impl="threefry2x32")
    drop = lambda x: jnp.where(jax.random.bernoulli(key, 0.75, x.shape), x / 0.75, 0)
    return drop(x), jax.grad(lambda x: jnp.sum(drop(x) ** 2))(x)
