#!/usr/bin/env python3
"""The other side of `bench_envs.spl`: steps of CartPole and LunarLander a second in Gymnasium and, where they are installed, Box2D and EnvPool."""
import sys
import time

import gymnasium
import numpy

count = int(sys.argv[1]) if len(sys.argv) > 1 else 64
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
chooser = numpy.random.default_rng(1)


def speed(name, step, choices=2, steps=steps):
    plans = chooser.integers(choices, size=(64, count))
    best = 0
    for _ in range(5):
        start = time.perf_counter()
        for i in range(steps):
            step(plans[i % 64])
        best = max(best, steps * count / (time.perf_counter() - start))
    print(f"{name} of {count}: {best:.0f} steps/s")


for mode in ["sync", "vector_entry_point", "async"]:
    env = gymnasium.make_vec("CartPole-v1", num_envs=count, vectorization_mode=mode)
    env.reset(seed=1)
    speed("Gymnasium " + mode, env.step)
    env.close()
try:
    env = gymnasium.make_vec("LunarLander-v3", num_envs=count, vectorization_mode="sync")
    env.reset(seed=1)
    speed("Gymnasium's LunarLander", env.step, 4, max(steps // 10, 1))
except Exception as problem:
    print("no LunarLander:", problem)
try:
    import envpool
except ImportError:
    envpool = None
if envpool is None:
    print("EnvPool is not installed")
else:
    for threads in [1, 2]:
        env = envpool.make("CartPole-v1", env_type="gymnasium", num_envs=count, num_threads=threads, seed=1)
        env.reset()
        speed(f"EnvPool with {threads} thread(s)", env.step)
        env = envpool.make("LunarLander-v2", env_type="gymnasium", num_envs=count, num_threads=threads, seed=1)
        env.reset()
        speed(f"EnvPool's LunarLander with {threads} thread(s)", env.step, 4, max(steps // 10, 1))
