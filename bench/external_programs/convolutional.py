"""Networks of convolutions: classification, segmentation, waves of sound."""

import functools
import typing

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

from registry import program
from training import cross_entropy, with_state


class ResidualBlock(nn.Module):
    features: int
    strides: int
    train: bool

    @nn.compact
    def __call__(self, x):
        norm = functools.partial(nn.BatchNorm, use_running_average=not self.train, momentum=0.9)
        strides = (self.strides, self.strides)
        y = nn.Conv(self.features, (3, 3), strides, use_bias=False)(x)
        y = nn.relu(norm()(y))
        y = nn.Conv(self.features, (3, 3), use_bias=False)(y)
        y = norm(scale_init=nn.initializers.constant(0.5))(y)
        if x.shape != y.shape:
            x = norm()(nn.Conv(self.features, (1, 1), strides, use_bias=False)(x))
        return nn.relu(x + y)


class ResNet(nn.Module):
    stages: typing.Sequence[int]
    features: int
    train: bool = True

    @nn.compact
    def __call__(self, x):
        x = nn.Conv(self.features, (3, 3), use_bias=False)(x)
        x = nn.relu(nn.BatchNorm(use_running_average=not self.train, momentum=0.9)(x))
        x = nn.max_pool(x, (3, 3), (2, 2), padding="SAME")
        for stage, blocks in enumerate(self.stages):
            for block in range(blocks):
                strides = 2 if stage > 0 and block == 0 else 1
                x = ResidualBlock(self.features * 2**stage, strides, self.train)(x)
        return nn.Dense(10)(x.mean((1, 2)))


@program(
    "product",
    small={"batch": 2, "side": 16, "features": 8, "stages": (1, 1)},
    large={"batch": 16, "side": 32, "features": 32, "stages": (2, 2, 2)},
)
def resnet_training_step(draw, batch, side, features, stages):
    model = ResNet(stages, features)
    images, labels = draw.normal(batch, side, side, 3), draw.integers(0, 10, batch)
    variables = model.init(jax.random.key(0), images)
    optimizer = optax.sgd(optax.cosine_decay_schedule(0.1, 1000), momentum=0.9, nesterov=True)

    def step(parameters, statistics, state, images, labels):
        def loss(parameters):
            variables = {"params": parameters, "batch_stats": statistics}
            logits, updated = model.apply(variables, images, mutable=["batch_stats"])
            decay = 0.5 * optax.tree.norm(parameters, squared=True)
            return cross_entropy(logits, labels) + 1e-4 * decay, updated["batch_stats"]

        (value, updated), gradients = jax.value_and_grad(loss, has_aux=True)(parameters)
        updates, state = optimizer.update(gradients, state, parameters)
        return optax.apply_updates(parameters, updates), updated, state, value

    parameters, statistics = variables["params"], variables["batch_stats"]
    return step, (parameters, statistics, optimizer.init(parameters), images, labels)


@program(
    "product",
    small={"batch": 1, "side": 16, "features": 8, "stages": (1, 1)},
    large={"batch": 4, "side": 64, "features": 32, "stages": (2, 2, 2)},
)
def resnet_inference(draw, batch, side, features, stages):
    model = ResNet(stages, features, train=False)
    images = draw.normal(batch, side, side, 3)
    variables = model.init(jax.random.key(0), images)
    return (lambda variables, images: nn.softmax(model.apply(variables, images))), (
        variables,
        images,
    )


class UNet(nn.Module):
    features: int
    depth: int

    @nn.compact
    def __call__(self, x):
        def twice(x, features):
            for _ in range(2):
                x = nn.relu(nn.GroupNorm(4)(nn.Conv(features, (3, 3))(x)))
            return x

        skipped = []
        for level in range(self.depth):
            x = twice(x, self.features * 2**level)
            skipped.append(x)
            x = nn.max_pool(x, (2, 2), (2, 2))
        x = twice(x, self.features * 2**self.depth)
        for level in reversed(range(self.depth)):
            x = nn.ConvTranspose(self.features * 2**level, (2, 2), (2, 2))(x)
            x = twice(jnp.concatenate([x, skipped[level]], -1), self.features * 2**level)
        return nn.Conv(1, (1, 1))(x)


@program(
    "product",
    small={"batch": 1, "side": 16, "features": 8, "depth": 2},
    large={"batch": 2, "side": 64, "features": 16, "depth": 3},
)
def unet_training_step(draw, batch, side, features, depth):
    """Transposed convolutions, dice loss"""
    model = UNet(features, depth)
    images = draw.normal(batch, side, side, 3)
    masks = (draw.uniform(0, 1, batch, side, side, 1) > 0.5).astype("float32")

    def loss(parameters, images, masks):
        logits = model.apply(parameters, images)
        inside = jax.nn.sigmoid(logits)
        dice = 2 * (inside * masks).sum() / (inside.sum() + masks.sum() + 1)
        return optax.sigmoid_binary_cross_entropy(logits, masks).mean() + 1 - dice

    parameters = model.init(jax.random.key(0), images)
    return with_state(loss, optax.adam(1e-3), parameters, images, masks)


class InvertedBottleneck(nn.Module):
    features: int
    strides: int

    @nn.compact
    def __call__(self, x):
        wide = 4 * x.shape[-1]
        y = nn.relu6(nn.Conv(wide, (1, 1))(x))
        y = nn.Conv(wide, (3, 3), (self.strides, self.strides), feature_group_count=wide)(y)
        y = nn.Conv(self.features, (1, 1))(nn.relu6(y))
        return x + y if x.shape == y.shape else y


class MobileNet(nn.Module):
    features: int
    blocks: int

    @nn.compact
    def __call__(self, x):
        x = nn.relu6(nn.Conv(self.features, (3, 3), (2, 2))(x))
        for block in range(self.blocks):
            x = InvertedBottleneck(self.features * (1 + block // 2), 2 if block % 2 else 1)(x)
        return nn.Dense(100)(x.mean((1, 2)))


@program(
    "product",
    small={"batch": 1, "side": 32, "features": 8, "blocks": 3},
    large={"batch": 8, "side": 96, "features": 16, "blocks": 6},
)
def mobilenet_inference(draw, batch, side, features, blocks):
    """Convolutions by channel"""
    model = MobileNet(features, blocks)
    images = draw.normal(batch, side, side, 3)
    return model.apply, (model.init(jax.random.key(0), images), images)


class WaveNet(nn.Module):
    features: int
    layers: int

    @nn.compact
    def __call__(self, x):
        x = nn.Conv(self.features, (1,))(x)
        total = 0
        for layer in range(self.layers):
            dilation = 2**layer
            y = nn.Conv(
                2 * self.features, (2,), kernel_dilation=(dilation,), padding=((dilation, 0),)
            )(x)
            gate, value = jnp.split(y, 2, -1)
            y = nn.sigmoid(gate) * jnp.tanh(value)
            total = total + nn.Conv(self.features, (1,))(y)
            x = x + nn.Conv(self.features, (1,))(y)
        return nn.Conv(64, (1,))(nn.relu(total))


@program(
    "product",
    small={"batch": 1, "length": 128, "features": 8, "layers": 4},
    large={"batch": 4, "length": 4096, "features": 32, "layers": 8},
)
def wavenet_inference(draw, batch, length, features, layers):
    """Causal convolutions of one dimension with growing dilation"""
    model = WaveNet(features, layers)
    sound = draw.normal(batch, length, 1)
    return model.apply, (model.init(jax.random.key(0), sound), sound)
