"""What the training steps of several families have in common."""

import jax
import jax.numpy as jnp
import optax


def training_step(loss, optimizer):
    """step(parameters, state, *batch): the new ones and the loss, for loss(parameters, *batch)."""

    def step(parameters, state, *batch):
        value, gradients = jax.value_and_grad(loss)(parameters, *batch)
        updates, state = optimizer.update(gradients, state, parameters)
        return optax.apply_updates(parameters, updates), state, value

    return step


def with_state(loss, optimizer, parameters, *batch):
    """What a program is made of: the step, and its arguments in the middle of a training, where
    the moments of the optimizer are not zeros."""

    def gradient(leaf):
        return 0.01 * jnp.sin(jnp.arange(leaf.size, dtype=jnp.float32)).reshape(leaf.shape)

    gradients = jax.tree.map(gradient, parameters)
    _, state = optimizer.update(gradients, optimizer.init(parameters), parameters)
    return training_step(loss, optimizer), (parameters, state, *batch)


def cross_entropy(logits, labels):
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()
