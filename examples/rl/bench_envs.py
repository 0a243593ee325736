#!/usr/bin/env python3
"""The other side of `bench_envs.spl`: steps of CartPole a second in Gymnasium and, where it is installed, EnvPool."""
import sys
import time

import gymnasium
import numpy

count = int(sys.argv[1]) if len(sys.argv) > 1 else 64
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
plans = numpy.random.default_rng(1).integers(2, size=(64, count))


def speed(name, step):
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
