"""Recurrent language models, and what else goes through a sequence by steps."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

from registry import program
from training import cross_entropy, with_state

SIZES = {
    "small": {"batch": 2, "length": 16, "width": 32, "vocabulary": 64},
    "large": {"batch": 32, "length": 64, "width": 256, "vocabulary": 2000},
}


class RecurrentModel(nn.Module):
    cell: type
    width: int
    vocabulary: int

    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(self.vocabulary, self.width)(tokens)
        for _ in range(2):
            x = nn.RNN(self.cell(self.width))(x)
        return nn.Dense(self.vocabulary)(x)


def language_model_step(draw, cell, batch, length, width, vocabulary):
    model = RecurrentModel(cell, width, vocabulary)
    tokens = draw.integers(0, vocabulary, batch, length + 1)

    def loss(parameters, tokens):
        return cross_entropy(model.apply(parameters, tokens[:, :-1]), tokens[:, 1:])

    parameters = model.init(jax.random.key(0), tokens[:, :-1])
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-3))
    return with_state(loss, optimizer, parameters, tokens)


@program("product", **SIZES)
def lstm_language_model_step(draw, **sizes):
    return language_model_step(draw, nn.OptimizedLSTMCell, **sizes)


@program("product", **SIZES)
def gru_language_model_step(draw, **sizes):
    return language_model_step(draw, nn.GRUCell, **sizes)


@program(
    "loop",
    small={"batch": 1, "length": 64, "width": 16},
    large={"batch": 1, "length": 2000, "width": 64},
)
def lstm_inference(draw, batch, length, width):
    """A long sequence, one row"""
    model = nn.RNN(nn.OptimizedLSTMCell(width))
    x = draw.normal(batch, length, width)
    return model.apply, (model.init(jax.random.key(0), x), x)


@program(
    "memory",
    small={"batch": 1, "length": 64, "width": 8, "states": 4},
    large={"batch": 2, "length": 1024, "width": 64, "states": 16},
)
def state_space_layer(draw, batch, length, width, states):
    """A selective state space layer, as Mamba has, by an associative scan"""

    def layer(p, x):
        step = jax.nn.softplus(x @ p["step"])  # [batch, length, width]
        into, out = x @ p["into"], x @ p["out"]  # [batch, length, states]
        decay = jnp.exp(step[..., None] * -jnp.exp(p["decay"]))
        drive = (step * x)[..., None] * into[:, :, None, :]

        def combine(left, right):
            return left[0] * right[0], right[0] * left[1] + right[1]

        _, state = jax.lax.associative_scan(combine, (decay, drive), axis=1)
        y = jnp.einsum("blws,bls->blw", state, out)
        return y * jax.nn.silu(x @ p["gate"])

    parameters = {
        "step": draw.normal(width, width, scale=0.1),
        "into": draw.normal(width, states, scale=0.3),
        "out": draw.normal(width, states, scale=0.3),
        "decay": draw.normal(width, states),
        "gate": draw.normal(width, width, scale=0.3),
    }
    return layer, (parameters, draw.normal(batch, length, width))


@program(
    "loop",
    small={"batch": 2, "length": 20, "labels": 5, "classes": 8},
    large={"batch": 16, "length": 200, "labels": 40, "classes": 64},
)
def ctc_loss_gradient(draw, batch, length, labels, classes):
    """optax's loss of unaligned sequences"""

    def loss(logits, logit_paddings, labels, label_paddings):
        return optax.ctc_loss(logits, logit_paddings, labels, label_paddings).mean()

    logit_paddings = (jnp.arange(length) >= length - 3) * jnp.ones((batch, 1))
    label_paddings = (jnp.arange(labels) >= labels - 1) * jnp.ones((batch, 1))
    arguments = (
        draw.normal(batch, length, classes),
        logit_paddings,
        draw.integers(1, classes, batch, labels),
        label_paddings,
    )
    return jax.value_and_grad(loss), arguments
