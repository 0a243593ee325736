#!/usr/bin/env python3
"""The other side of `train_cartpole.spl`: PPO of Stable-Baselines3 with the same settings, the time to a mean of 475 over 100 episodes for each seed.

    python3 train_cartpole.py 1 2 3 4 5        (needs stable-baselines3)
"""
import sys
import time
from collections import deque

import numpy
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env


class Solved(BaseCallback):
    def __init__(self):
        super().__init__()
        self.returns = deque(maxlen=100)

    def _on_step(self):
        self.returns.extend(info["episode"]["r"] for info in self.locals["infos"] if "episode" in info)
        return len(self.returns) < 100 or numpy.mean(self.returns) < 475


for seed in map(int, sys.argv[1:] or ["1"]):
    start = time.time()
    model = PPO(
        "MlpPolicy", make_vec_env("CartPole-v1", n_envs=64, seed=seed), seed=seed, device="cpu", n_steps=32, batch_size=512, n_epochs=4,
        learning_rate=lambda left: 0.002 * left, gamma=0.98, gae_lambda=0.9, ent_coef=0.0, clip_range=0.2, clip_range_vf=0.2,
    )
    solved = Solved()
    model.learn(500000, callback=solved)
    print(f"seed {seed}: a mean of {numpy.mean(solved.returns):.1f} after {model.num_timesteps} steps, {time.time() - start:.1f} s", flush=True)
