"""What looks up in tables and adds into them: recommenders, words, graphs."""

import jax
import jax.numpy as jnp
import optax

from registry import program
from training import with_state


def draw_mlp(draw, *widths):
    return [
        (draw.normal(a, b, scale=(2 / a) ** 0.5), draw.normal(b, scale=0.01))
        for a, b in zip(widths, widths[1:])
    ]


def mlp(layers, x):
    for w, b in layers[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = layers[-1]
    return x @ w + b


@program(
    "memory",
    small={"batch": 16, "tables": 4, "rows": 100, "width": 8},
    large={"batch": 1024, "tables": 16, "rows": 20_000, "width": 32},
)
def dlrm_training_step(draw, batch, tables, rows, width):
    """Embeddings of categories, products of all pairs, gradients of tables"""

    def loss(p, numbers, categories, clicked):
        dense = mlp(p["below"], numbers)
        found = jax.vmap(lambda table, ids: table[ids], (0, 1), 1)(p["tables"], categories)
        all_of = jnp.concatenate([dense[:, None], found], 1)
        products = jnp.einsum("bid,bjd->bij", all_of, all_of)
        i, j = jnp.triu_indices(tables + 1, 1)
        logits = mlp(p["above"], jnp.concatenate([dense, products[:, i, j]], -1))[:, 0]
        return optax.sigmoid_binary_cross_entropy(logits, clicked).mean()

    pairs = tables * (tables + 1) // 2
    parameters = {
        "tables": draw.normal(tables, rows, width, scale=0.1),
        "below": draw_mlp(draw, 13, 4 * width, width),
        "above": draw_mlp(draw, width + pairs, 8 * width, 1),
    }
    numbers = draw.normal(batch, 13)
    categories = draw.integers(0, rows, batch, tables)
    clicked = draw.integers(0, 2, batch).astype("float32")
    return with_state(loss, optax.adagrad(0.01), parameters, numbers, categories, clicked)


@program(
    "memory",
    small={"batch": 16, "negatives": 4, "vocabulary": 100, "width": 16},
    large={"batch": 4096, "negatives": 8, "vocabulary": 50_000, "width": 64},
)
def word_vectors_step(draw, batch, negatives, vocabulary, width):
    """word2vec: negative examples are drawn, sums go into the rows that were read"""

    def step(words, contexts, word, context, key):
        wrong = jax.random.randint(key, (batch, negatives), 0, vocabulary)

        def loss(w, right, wrong):
            near = jax.nn.log_sigmoid((w * right).sum(-1))
            far = jax.nn.log_sigmoid(-jnp.einsum("bd,bnd->bn", w, wrong)).sum(-1)
            return -(near + far).sum()

        value, gradients = jax.value_and_grad(loss, (0, 1, 2))(
            words[word], contexts[context], contexts[wrong]
        )
        words = words.at[word].add(-0.05 * gradients[0])
        contexts = contexts.at[context].add(-0.05 * gradients[1])
        return words, contexts.at[wrong].add(-0.05 * gradients[2]), value

    words, contexts = (draw.normal(vocabulary, width, scale=0.1) for _ in range(2))
    word, context = (draw.integers(0, vocabulary, batch) for _ in range(2))
    return step, (words, contexts, word, context, draw.key())


@program(
    "memory",
    small={"nodes": 32, "edges": 100, "width": 8},
    large={"nodes": 5000, "edges": 40_000, "width": 32},
)
def graph_network_step(draw, nodes, edges, width):
    """Messages along edges, attention over each node's edges, a gradient"""

    def layer(p, x, sender, receiver):
        pair = jnp.concatenate([x[sender], x[receiver]], -1)
        score = jax.nn.leaky_relu(pair @ p["score"])[:, 0]
        score = score - jax.ops.segment_max(score, receiver, nodes)[receiver]
        weight = jnp.exp(score)
        weight = weight / jax.ops.segment_sum(weight, receiver, nodes)[receiver]
        message = jax.nn.relu(pair @ p["message"]) * weight[:, None]
        return x + jax.ops.segment_sum(message, receiver, nodes) @ p["out"]

    def loss(layers, x, sender, receiver, target):
        for p in layers:
            x = layer(p, x, sender, receiver)
        return jnp.square(x - target).mean()

    parameters = [
        {"score": draw.normal(2 * width, 1, scale=0.2),
         "message": draw.normal(2 * width, width, scale=0.2),
         "out": draw.normal(width, width, scale=0.2)}
        for _ in range(2)
    ]
    ends = [draw.integers(0, nodes, edges) for _ in range(2)]
    x, target = draw.normal(nodes, width), draw.normal(nodes, width)
    return with_state(loss, optax.adam(1e-3), parameters, x, *ends, target)


@program(
    "memory",
    small={"nodes": 50, "edges": 200, "steps": 10},
    large={"nodes": 20_000, "edges": 200_000, "steps": 20},
)
def page_rank(draw, nodes, edges, steps):
    """A gather and a scatter in each step of a loop"""

    def rank(sender, receiver):
        degree = jnp.zeros(nodes).at[sender].add(1.0)

        def body(_, rank):
            share = jnp.where(degree > 0, rank / jnp.maximum(degree, 1), 0.0)
            new = jnp.zeros(nodes).at[receiver].add(share[sender])
            return 0.15 / nodes + 0.85 * (new + (1 - new.sum()) / nodes)

        return jax.lax.fori_loop(0, steps, body, jnp.full(nodes, 1 / nodes))

    return rank, tuple(draw.integers(0, nodes, edges) for _ in range(2))
