#!/usr/bin/env python3
"""The other side of `bench_agents.spl`: Stable-Baselines3's DQN, SAC and TD3, a step of the environment and one of the optimizers.

    python3 bench_agents.py        (needs stable-baselines3)
"""
import time

import numpy
import torch
from stable_baselines3 import DQN, SAC, TD3
from stable_baselines3.common.noise import NormalActionNoise

torch.set_num_threads(1)


def measured(name, agent, steps):
    agent.learn(120)
    best = 1e9
    for _ in range(3):
        start = time.process_time()
        agent.learn(steps, reset_num_timesteps=False)
        best = min(best, (time.process_time() - start) * 1000 / steps)
    print(f"{name}: {best:.3f} ms a step", flush=True)


for size in (64, 256):
    policy = dict(net_arch=[size, size])
    part = 1 if size == 64 else 8
    noise = NormalActionNoise(numpy.zeros(1), 0.1 * numpy.ones(1))
    measured(f"DQN {size}", DQN("MlpPolicy", "CartPole-v1", batch_size=64, train_freq=1, policy_kwargs=dict(policy), device="cpu"), 1600 // part)
    measured(f"SAC {size}", SAC("MlpPolicy", "Pendulum-v1", policy_kwargs=dict(policy), device="cpu"), 400 // part)
    measured(f"TD3 {size}", TD3("MlpPolicy", "Pendulum-v1", policy_kwargs=dict(policy), action_noise=noise, device="cpu"), 400 // part)
