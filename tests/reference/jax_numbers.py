"""Functions, dtypes and their corners; control flow; derivatives of one's own."""

import jax
import jax.numpy as jnp
from jax import lax
import numpy as np

from jax_registry import program

CORNERS = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1, -1, 0.5, -2.5, 1.5, 3e38, -3e38, 1e-30]


def draw_corners(dtype=np.float32):
    """Every pair of corners."""
    x, y = np.meshgrid(np.array(CORNERS, dtype), np.array(CORNERS, dtype))
    return lambda d: (x.ravel(), y.ravel())


# ---- Functions.

@program(lambda d: (d.uniform(-3, 3, 12), d.uniform(-0.95, 0.95, 12), d.uniform(0.2, 6, 12)))
def special_functions(x, inside, positive):
    """erf, erfinv, lgamma, digamma and others"""
    return (lax.erf(x), lax.erfc(x), lax.erf_inv(inside), lax.lgamma(positive), lax.lgamma(x),
            lax.digamma(positive), jax.scipy.special.logit(jnp.abs(inside)),
            jax.scipy.special.ndtr(x), jax.scipy.special.xlogy(x, positive),
            jax.nn.logsumexp(x), jnp.logaddexp(x, inside), jnp.sinc(x), lax.bessel_i0e(x),
            lax.igamma(positive, positive[::-1]), jax.scipy.stats.norm.logpdf(x))


@program(lambda d: (d.uniform(-3, 3, 12), d.uniform(-0.95, 0.95, 12), d.uniform(1.1, 6, 12)))
def elementary_functions(x, inside, large):
    """Exponentials, logarithms, trigonometric and hyperbolic functions and their inverses"""
    return (jnp.exp(x), jnp.expm1(inside), jnp.exp2(x), jnp.log(large), jnp.log1p(inside),
            jnp.log2(large), jnp.log10(large), jnp.sin(x), jnp.cos(x), jnp.tan(x), jnp.sinh(x),
            jnp.cosh(x), jnp.tanh(x), jnp.arcsin(inside), jnp.arccos(inside), jnp.arctan(x),
            jnp.arcsinh(x), jnp.arccosh(large), jnp.arctanh(inside), jnp.arctan2(x, inside),
            jnp.sqrt(large), lax.rsqrt(large), jnp.cbrt(x), jnp.power(large, x), jnp.hypot(x, large))


@program(lambda d: (d.uniform(-3, 3, 4, 6),))
def activations(x):
    """What jax.nn has, with gradients"""
    kinds = (jax.nn.relu, jax.nn.relu6, jax.nn.sigmoid, jax.nn.softplus, jax.nn.silu, jax.nn.gelu,
             jax.nn.elu, jax.nn.selu, jax.nn.leaky_relu, jax.nn.softmax, jax.nn.hard_tanh,
             lambda x: jax.nn.gelu(x, approximate=False), jax.nn.mish, jax.nn.glu)
    return [(f(x), jax.grad(lambda x: jnp.sum(f(x) * jnp.cos(f(x))))(x)) for f in kinds]


@program(draw_corners())
def corners_of_floats(x, y):
    """NaN, infinities, zeros: arithmetic, comparisons, min, max, remainder, power"""
    return (x + y, x * y, x / y, jnp.maximum(x, y), jnp.minimum(x, y), lax.rem(x, y), x < y, x == y,
            x != y, x >= y, lax.pow(x, y), lax.atan2(x, y), jnp.sign(x), jnp.abs(x), -x,
            lax.clamp(np.float32(-1), x, np.float32(2)), lax.nextafter(x, y), jnp.isnan(x),
            jnp.isfinite(x), jnp.copysign(x, y), jnp.signbit(x))


@program(draw_corners())
def corners_of_functions(x, y):
    """NaN, infinities, zeros: functions, rounding, casts, reductions"""
    finite = jnp.nan_to_num(x)
    return (jnp.exp(x), jnp.log(x), jnp.sqrt(x), jnp.tanh(x), lax.logistic(x), jnp.floor(x),
            jnp.ceil(x), jnp.round(x), lax.round(x), jnp.trunc(x), jnp.log1p(x), jnp.expm1(x),
            finite, jnp.isinf(y), x.max(), jnp.nanmax(x), jnp.nansum(jnp.clip(x, -5, 5)),
            jnp.where(x > y, x, y), jnp.rint(y))


@program(draw_corners())
def floats_to_integers(x, y):
    """Casts of floats in the integers' range, and back"""
    x = jnp.clip(jnp.nan_to_num(x), -100, 100)
    return [x.astype(t) for t in (jnp.int8, jnp.int16, jnp.int32, bool)] + [
        jnp.abs(x).astype(t) for t in (jnp.uint8, jnp.uint16, jnp.uint32)] + [
        lax.bitcast_convert_type(x, jnp.int32), x.astype(jnp.int16).astype(jnp.float16)]


# ---- Integers.

def draw_integers(dtype):
    info = np.iinfo(dtype)
    values = np.array([info.min, info.max, info.max - 1, info.max // 3, 0, 1, 2, 3, 7, 12], dtype)
    x, y = np.meshgrid(values, values)
    return lambda d: (x.ravel(), y.ravel())


def of_integers(x, y):
    bits = np.dtype(x.dtype).itemsize * 8
    shift = y % np.array(bits, x.dtype)
    return (x + y, x - y, x * y, lax.div(x, jnp.where(y == 0, 1, y)), x ^ y, x & y, x | y, ~x,
            lax.rem(x, jnp.where(y == 0, 1, y)), x // jnp.where(y == 0, 3, y), x << shift,
            x % jnp.where(y == 0, 3, y), lax.shift_right_logical(x, jnp.abs(shift)),
            lax.shift_right_arithmetic(x, jnp.abs(shift)), lax.population_count(x), lax.clz(x),
            jnp.minimum(x, y), jnp.maximum(x, y), x < y, jnp.sign(x), lax.integer_pow(x, 3))


for dtype in (np.int32, np.uint32, np.int8, np.uint16):
    def function(x, y):
        return of_integers(x, y)

    function.__name__ = f"integers_{np.dtype(dtype).name}"
    function.__doc__ = f"Arithmetic, bits and shifts of {np.dtype(dtype).name}"
    program(draw_integers(dtype))(function)


@program(draw_integers(np.int32))
def integer_corners(x, y):
    """Division by zero, MIN / -1, shifts by the width and more"""
    return (lax.div(x, y), lax.rem(x, y), lax.div(x, -jnp.ones_like(y)), lax.abs(x), -x,
            lax.shift_left(x, y), lax.shift_right_logical(x, y), lax.shift_right_arithmetic(x, y))


@program(lambda d: (d.integers(0, 2, 9).astype(bool), d.integers(0, 2, 9).astype(bool)))
def booleans(a, b):
    """Logic, sums and sorts of bools"""
    return (a & b, a | b, a ^ b, ~a, a.sum(), a.astype(jnp.float32) + b, jnp.sort(a), a == b, a < b,
            jnp.where(a, 1, 2), jnp.cumsum(b), jnp.any(a & b), jnp.argmax(b))


# ---- Other floating-point dtypes.

@program(lambda d: (d.normal(4, 8, scale=2.0), d.normal(8, 5)))
def bf16_arithmetic(x, w):
    """bf16 between casts: functions, products, sums"""
    x, w = x.astype(jnp.bfloat16), w.astype(jnp.bfloat16)
    wide = lambda *arrays: [a.astype(jnp.float32) for a in arrays]
    return wide(x + 1, x * x, jnp.exp(x), jnp.tanh(x), jnp.sort(x), x.max(1), jnp.sum(x, 0),
                jnp.dot(x, w, preferred_element_type=jnp.float32), jax.nn.softmax(x), x[:, ::2],
                lax.bitcast_convert_type(x, jnp.uint16), x / 3)


@program(lambda d: (d.normal(4, 8, dtype=np.float16), d.normal(8, 5, dtype=np.float16)))
def f16_arithmetic(x, w):
    """f16: functions, products in f32, loss scaling"""
    loss = lambda w: jnp.sum(jnp.dot(x, w, preferred_element_type=jnp.float32)) * 1024
    return (x + w[0, 0], jnp.exp(x), x.sum(1), jnp.dot(x, w, preferred_element_type=jnp.float32),
            jax.grad(loss)(w.astype(jnp.float32)) / 1024, x.astype(jnp.bfloat16).astype(jnp.float32),
            jnp.argmax(x, 1), x * np.float16(1e4), lax.reduce_precision(x, 5, 4))


@program(lambda d: (d.normal(4, 6, dtype=np.float64), d.integers(-9, 9, 4, 6, dtype=np.int64)),
         x64=True)
def f64_arithmetic(x, i):
    """f64 and i64: functions, products, sums, casts"""
    return (jnp.exp(x), lax.erf(x), lax.lgamma(x), x @ x.T, x.sum(0), jnp.sort(x), jnp.argsort(i),
            i * 2**40, i // 4, i >> 1, (x * 1e10).astype(jnp.int64), i.astype(jnp.float64) / 3,
            x.astype(jnp.float32), jnp.cumsum(i, 1), lax.erf_inv(jnp.tanh(x)))


@program(lambda d: (d.normal(3, 4, dtype=np.float64), d.normal(4, 2, dtype=np.float64)), x64=True)
def f64_step(w, v):
    """A gradient in f64"""
    loss = lambda w, v: jnp.mean(jnp.log1p(jnp.exp(jnp.tanh(w) @ v)))
    return jax.value_and_grad(loss, (0, 1))(w, v)


@program(lambda d: (d.integers(0, 2**31, 2, dtype=np.uint32),), x64=True)
def f64_random(bits):
    """Random numbers of 64 bits"""
    key = jax.random.wrap_key_data(bits, impl="threefry2x32")
    return (jax.random.uniform(key, (5,), jnp.float64), jax.random.normal(key, (5,), jnp.float64),
            jax.random.bits(key, (3,), jnp.uint64), jax.random.randint(key, (4,), 0, 2**40, jnp.int64))


# ---- Control flow.

@program(lambda d: (np.int32(1), d.normal(5)))
def cond_and_switch(i, x):
    """cond, switch with a clamped index, and their gradients"""
    branches = [jnp.sin, lambda x: x * x, lambda x: jnp.flip(x) - 1]
    return (lax.cond(i > 2, jnp.exp, lambda x: x + i, x), lax.switch(i, branches, x),
            lax.switch(i + 7, branches, x), lax.switch(i - 9, branches, x),
            jax.grad(lambda x: jnp.sum(lax.switch(i, branches, x)))(x),
            jax.vmap(lambda i, x: lax.cond(i > 0, jnp.cos, jnp.tan, x))(jnp.arange(5) - 2, x))


@program(lambda d: (np.int32(27), d.uniform(0.5, 2, 4)))
def loops(n, x):
    """while_loop of a number of steps known at run time, fori_loop both ways, vmap of a loop"""
    collatz = lambda n: lax.while_loop(
        lambda c: c[0] != 1, lambda c: (jnp.where(c[0] % 2 == 0, c[0] // 2, 3 * c[0] + 1), c[1] + 1),
        (n, 0))[1]
    return (collatz(n), jax.vmap(collatz)(jnp.arange(1, 6)),
            lax.fori_loop(0, n, lambda i, a: a * 0.9 + i, x),
            lax.while_loop(lambda a: jnp.max(a) < 100, lambda a: a * a + 0.1, x),
            jax.grad(lambda x: jnp.sum(lax.fori_loop(0, 4, lambda i, a: a * x + i, x)))(x))


@program(lambda d: (d.normal(3, 4), d.normal(4, 4, scale=0.5)))
def scan_in_scan(xs, w):
    """A scan in a scan, with a gradient"""

    def outer(h, row):
        def inner(h, number):
            h = jnp.tanh(w @ h + number)
            return h, h[0]

        h, heads = lax.scan(inner, h, row)
        return h, heads.sum()

    run = lambda xs: lax.scan(outer, jnp.zeros(4), xs)
    return run(xs), jax.grad(lambda xs: jnp.sum(run(xs)[0]))(xs)


@program(lambda d: (np.int32(5), d.uniform(1, 2, 4)))
def while_in_cond(i, x):
    """A while_loop in a branch, a branch in a while_loop, a scan in it"""
    halve = lambda x: lax.while_loop(lambda a: jnp.sum(a) > 1, lambda a: a / 2, x)
    step = lambda a: lax.cond(jnp.sum(a) > 9, lambda a: a - 3, lambda a: a * 2 + 1, a)
    sums = lambda a: lax.scan(lambda c, v: (c + v, c * v), 0.5, a)
    return (lax.cond(i > 3, halve, lambda x: x, x), lax.cond(i > 7, halve, lambda x: -x, x),
            lax.fori_loop(0, i, lambda _, a: step(a), x), lax.cond(i > 3, sums, lambda a: (0.0, a), x))


@program(lambda d: (d.normal(2, 5), d.normal(3)))
def scan_of_trees(xs, w):
    """A scan that carries and stacks several values, without inputs too"""

    def step(carry, x):
        total, i, parts = carry
        parts = {"sum": parts["sum"] + x, "last": x}
        return (total + x.sum(), i + 1, parts), (i, x[:2] * w[0], i % 2 == 0)

    start = (0.0, 0, {"sum": jnp.zeros(5), "last": jnp.zeros(5)})
    return (lax.scan(step, start, xs), lax.scan(lambda c, _: (c * 1.5, c), w, None, length=4),
            lax.scan(lambda c, x: (c + x, None), jnp.zeros(5), xs, unroll=2)[0])


# ---- Transformations.

@program(lambda d: (d.normal(4, 3), d.normal(3)))
def derivatives(x, v):
    """jvp, vjp, jacobians, Hessian, custom_jvp, custom_vjp, stop_gradient"""
    f = lambda v: jnp.sin(x @ v) * jnp.sum(v * v)
    own = jax.custom_jvp(lambda v: jnp.log1p(jnp.exp(v)))
    own.defjvp(lambda values, tangents: (own(*values), jax.nn.sigmoid(values[0]) * tangents[0]))
    clipped = jax.custom_vjp(lambda v: v)
    clipped.defvjp(lambda v: (v, None), lambda _, g: (jnp.clip(g, -0.5, 0.5),))
    return (jax.jvp(f, (v,), (jnp.ones(3),)), jax.vjp(f, v)[1](jnp.ones(4)), jax.jacfwd(f)(v),
            jax.jacrev(f)(v), jax.hessian(lambda v: f(v).sum())(v), jax.grad(lambda v: own(v).sum())(v),
            jax.grad(lambda v: jnp.sum(clipped(v) ** 3))(v),
            jax.grad(lambda v: jnp.sum(lax.stop_gradient(v) * v))(v))


@program(lambda d: (d.normal(3, 4, 5), d.normal(3, 5), d.integers(0, 5, 3)))
def vmapped(a, b, i):
    """vmap of products, sorts, indexing, loops, over several axes"""
    return (jax.vmap(jnp.dot)(a, b), jax.vmap(jnp.dot, (1, None))(a, b[0]),
            jax.vmap(jax.vmap(jnp.sort))(a), jax.vmap(lambda r, j: r[j])(b, i),
            jax.vmap(lambda r, j: r.at[j].add(1.0))(b, i),
            jax.vmap(lambda n: lax.fori_loop(0, n, lambda k, s: s + k * 0.5, 1.0))(i),
            jax.vmap(lambda m: m @ m.T, out_axes=1)(a))
