#!/usr/bin/env python3
"""The JAX side of the step benchmarks: `peer_jax.py WORKLOAD` prints the microseconds of one step.

The workloads are those of peer.py: same shapes, same optimizer, same number of steps. A whole training step, loss to optimizer, is one jitted
function whose parameters are donated, which is the fastest form that JAX has; compiling it is not timed. JAX chooses the number of
its threads itself, one for each core. Next: run.py, which runs all sides in turn.
"""
import argparse
import time

import jax
import jax.numpy as jnp


def timed(step, state, warm, count):
    """Microseconds of one `state = step(*state)`."""
    for _ in range(warm):
        state = step(*state)
    jax.block_until_ready(state)
    start = time.perf_counter()
    for _ in range(count):
        state = step(*state)
    jax.block_until_ready(state)
    return (time.perf_counter() - start) / count * 1e6


def tree(function, *trees):
    return jax.tree_util.tree_map(function, *trees)


def sgd(loss, inputs, targets, rate=0.5, momentum=0.9):
    """A step of `torch.optim.SGD` with momentum, and its first state."""

    def step(weights, velocity, _):
        value, gradients = jax.value_and_grad(loss)(weights, inputs, targets)
        velocity = tree(lambda v, g: momentum * v + g, velocity, gradients)
        return tree(lambda w, v: w - rate * v, weights, velocity), velocity, value

    return step, lambda weights: (weights, tree(jnp.zeros_like, weights), jnp.zeros(()))


def adam(loss, inputs, targets, rate=0.001, first=0.9, second=0.999, epsilon=1e-8):
    """A step of `torch.optim.Adam`, and its first state."""

    def step(weights, means, squares, turn, _):
        value, gradients = jax.value_and_grad(loss)(weights, inputs, targets)
        turn = turn + 1
        means = tree(lambda m, g: first * m + (1 - first) * g, means, gradients)
        squares = tree(lambda s, g: second * s + (1 - second) * g * g, squares, gradients)
        size, scale = rate / (1 - first**turn), jnp.sqrt(1 - second**turn)
        weights = tree(lambda w, m, s: w - size * m / (jnp.sqrt(s) / scale + epsilon), weights, means, squares)
        return weights, means, squares, turn, value

    def start(weights):
        return weights, tree(jnp.zeros_like, weights), tree(jnp.zeros_like, weights), jnp.zeros(()), jnp.zeros(())

    return step, start


def trained(optimizer, loss, weights, inputs, targets, warm, count):
    step, start = optimizer(loss, inputs, targets)
    state = start(weights)
    return timed(jax.jit(step, donate_argnums=range(len(state))), state, warm, count)


def keys():
    key = jax.random.key(0)
    while True:
        key, part = jax.random.split(key)
        yield part


KEYS = keys()


def uniform(shape, inputs):
    """Weights as PyTorch's layers begin with: uniform within one over the root of the number of inputs."""
    bound = inputs**-0.5
    return jax.random.uniform(next(KEYS), shape, minval=-bound, maxval=bound)


def linear(inputs, outputs):
    return uniform((inputs, outputs), inputs), uniform((outputs,), inputs)


def dense(x, layer):
    return x @ layer[0] + layer[1]


def cross_entropy(logits, targets):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), targets[:, None], axis=1))


def add():
    a, b = jax.random.normal(next(KEYS), (2, 2)), jax.random.normal(next(KEYS), (2, 2))
    total = jax.jit(lambda a, b: a + b)
    return timed(lambda _: (total(a, b),), (a,), 10_000, 200_000)


def xor():
    inputs = jnp.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    targets = jnp.array([[0.0], [1.0], [1.0], [0.0]])

    def loss(weights, x, y):
        x = jax.nn.relu(dense(x, weights[0]))
        x = jax.nn.relu(dense(x, weights[1]))
        return jnp.mean((jax.nn.sigmoid(dense(x, weights[2])) - y) ** 2)

    return trained(sgd, loss, [linear(2, 8), linear(8, 4), linear(4, 1)], inputs, targets, 200, 2_000)


def mlp():
    inputs = jax.random.normal(next(KEYS), (128, 784))
    targets = jax.random.randint(next(KEYS), (128,), 0, 10)

    def loss(weights, x, y):
        for layer in weights[:-1]:
            x = jax.nn.relu(dense(x, layer))
        return cross_entropy(dense(x, weights[-1]), y)

    weights = [linear(784, 512), linear(512, 256), linear(256, 128), linear(128, 10)]
    return trained(adam, loss, weights, inputs, targets, 20, 200)


def convolution(x, layer):
    # Channels last, which is the fastest order for XLA on a CPU.
    return jax.lax.conv_general_dilated(x, layer[0], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) + layer[1]


def pool(x):
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def cnn():
    inputs = jax.random.normal(next(KEYS), (64, 28, 28, 1))
    targets = jax.random.randint(next(KEYS), (64,), 0, 10)

    def loss(weights, x, y):
        x = pool(jax.nn.relu(convolution(x, weights[0])))
        x = pool(jax.nn.relu(convolution(x, weights[1])))
        return cross_entropy(dense(x.reshape(64, -1), weights[2]), y)

    weights = [
        (uniform((3, 3, 1, 16), 9), uniform((16,), 9)),
        (uniform((3, 3, 16, 32), 144), uniform((32,), 144)),
        linear(32 * 7 * 7, 10),
    ]
    return trained(adam, loss, weights, inputs, targets, 10, 100)


def lstm():
    inputs = jax.random.normal(next(KEYS), (32, 32, 64))
    targets = jax.random.randint(next(KEYS), (32 * 32,), 0, 64)

    def loss(weights, x, y):
        (into, recurrent, bias, more_bias), head = weights
        # The inputs' part of all places is one product, as in cuDNN and oneDNN.
        parts = x.transpose(1, 0, 2) @ into + bias + more_bias

        def place(state, part):
            hidden, cell = state
            i, f, g, o = jnp.split(part + hidden @ recurrent, 4, axis=1)
            cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
            hidden = jax.nn.sigmoid(o) * jnp.tanh(cell)
            return (hidden, cell), hidden

        zero = jnp.zeros((32, 128))
        _, hidden = jax.lax.scan(place, (zero, zero), parts)
        return cross_entropy(dense(hidden.transpose(1, 0, 2).reshape(-1, 128), head), y)

    cell = (uniform((64, 512), 128), uniform((128, 512), 128), uniform((512,), 128), uniform((512,), 128))
    return trained(adam, loss, [cell, linear(128, 64)], inputs, targets, 10, 100)


if __name__ == "__main__":
    workloads = {"add": add, "xor": xor, "mlp": mlp, "cnn": cnn, "lstm": lstm}
    parser = argparse.ArgumentParser()
    parser.add_argument("workload", choices=workloads)
    arguments = parser.parse_args()
    print(f"{workloads[arguments.workload]():.3f}")
