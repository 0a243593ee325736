#!/usr/bin/env python3
"""The other side of `curves.spl`: learning curves of Stable-Baselines3 with the same settings, as the same lines of CSV.

    python3 curves.py ppo CartPole-v1 --steps 100000 --seeds 1 2 3 4 5        (needs stable-baselines3)

REINFORCE is not in Stable-Baselines3, so it is a loop in PyTorch here. A line is a point of a curve: the mean return of 10 episodes without chance, from the
starts of the seeds 1000 to 1009, after the first training at or after that step. `seconds` is the processor's time of learning, without these episodes.
"""
import argparse
import sys
import time

import gymnasium
import numpy
import torch
from stable_baselines3 import A2C, DQN, PPO, SAC, TD3
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.noise import NormalActionNoise

EPISODES = 10


def falling(value):
    return lambda left: value * left


# The settings of rl-baselines3-zoo, but for two: the noise of PPO on Pendulum does not depend on the state, and TD3 begins to learn after 1,000 steps.
def settings(agent, env):
    if agent == "ppo" and env == "CartPole-v1":
        return PPO, 8, dict(
            n_steps=32, batch_size=256, n_epochs=20, gamma=0.98, gae_lambda=0.8, ent_coef=0.0, learning_rate=falling(0.001), clip_range=falling(0.2)
        )
    if agent == "ppo":
        return PPO, 4, dict(n_steps=1024, batch_size=64, n_epochs=10, gamma=0.9, gae_lambda=0.95, ent_coef=0.0, learning_rate=0.001, clip_range=0.2)
    if agent == "a2c":
        return A2C, 8, dict(ent_coef=0.0, learning_rate=0.0007)
    if agent == "dqn":
        return DQN, 1, dict(
            learning_rate=0.0023, batch_size=64, buffer_size=100000, learning_starts=1000, gamma=0.99, target_update_interval=10, train_freq=256,
            gradient_steps=128, exploration_fraction=0.16, exploration_final_eps=0.04, policy_kwargs=dict(net_arch=[256, 256]),
        )
    if agent == "sac":
        return SAC, 1, dict(learning_rate=0.001)
    if agent == "td3":
        return TD3, 1, dict(
            learning_rate=0.001, gamma=0.98, buffer_size=200000, learning_starts=1000, train_freq=1, gradient_steps=1,
            action_noise=NormalActionNoise(numpy.zeros(1), 0.1 * numpy.ones(1)), policy_kwargs=dict(net_arch=[400, 300]),
        )
    sys.exit(f"there are no settings for {agent} on {env}")


class Curve:
    """The points of one seed; `act` yields the actions of rows of observations."""

    def __init__(self, agent, env, seed, steps, points):
        self.name, self.every, self.next = f"{agent},{env},{seed}", steps // points, steps // points
        self.last = self.every * points
        self.envs = [gymnasium.make(env) for _ in range(EPISODES)]
        self.start, self.playing = time.process_time(), 0.0

    def reached(self, steps, act):
        while steps >= self.next and self.next <= self.last:
            began = time.process_time()
            value = self.played(act)
            self.playing += time.process_time() - began
            print(f"peer,{self.name},{self.next},{value:.2f},{time.process_time() - self.start - self.playing:.2f}", flush=True)
            self.next += self.every

    def played(self, act):
        seen = numpy.stack([env.reset(seed=1000 + i)[0] for i, env in enumerate(self.envs)])
        left, total = list(range(EPISODES)), 0.0
        while left:
            actions = act(seen[left])
            still = []
            for i, action in zip(left, actions):
                seen[i], reward, terminated, truncated, _ = self.envs[i].step(action)
                total += reward
                if not (terminated or truncated):
                    still.append(i)
            left = still
        return total / EPISODES


class Points(BaseCallback):
    """A rollout starts where a training has ended."""

    def __init__(self, curve):
        super().__init__()
        self.curve = curve

    def look(self):
        self.curve.reached(self.num_timesteps, lambda rows: self.model.predict(rows, deterministic=True)[0])

    def _on_rollout_start(self):
        self.look()

    def _on_training_end(self):
        self.look()

    def _on_step(self):
        return True


def tower(inputs, outputs, gain):
    layers = [torch.nn.Linear(inputs, 64), torch.nn.Tanh(), torch.nn.Linear(64, 64), torch.nn.Tanh(), torch.nn.Linear(64, outputs)]
    for layer, scale in zip(layers[::2], [2**0.5, 2**0.5, gain]):
        torch.nn.init.orthogonal_(layer.weight, scale)
        torch.nn.init.zeros_(layer.bias)
    return torch.nn.Sequential(*layers)


def reinforce(env_name, seed, steps, curve, count=8, gamma=0.99, learning_rate=0.003):
    """REINFORCE with a learned baseline: `count` episodes for each training."""
    torch.manual_seed(seed)
    env = gymnasium.make(env_name)
    env.reset(seed=seed)
    actor, critic = tower(4, 2, 0.01), tower(4, 1, 1.0)
    weights = [*actor.parameters(), *critic.parameters()]
    optimizer = torch.optim.Adam(weights, lr=learning_rate)

    def act(rows):
        with torch.no_grad():
            return actor(torch.as_tensor(rows, dtype=torch.float32)).argmax(1).numpy()

    made = 0
    while made < steps:
        states, actions, returns = [], [], []
        for _ in range(count):
            seen, _ = env.reset()
            rewards, over = [], False
            while not over:
                with torch.no_grad():
                    action = torch.distributions.Categorical(logits=actor(torch.as_tensor(seen))).sample().item()
                states.append(seen)
                actions.append(action)
                seen, reward, terminated, truncated, _ = env.step(action)
                rewards.append(reward)
                over = terminated or truncated
            after = critic(torch.as_tensor(seen)).item() if not terminated else 0.0
            backwards = []
            for reward in reversed(rewards):
                after = reward + gamma * after
                backwards.append(after)
            returns.extend(reversed(backwards))
        made += len(states)
        x, goals = torch.as_tensor(numpy.stack(states)), torch.tensor(returns, dtype=torch.float32)
        values = critic(x).squeeze(1)
        chances = torch.distributions.Categorical(logits=actor(x)).log_prob(torch.tensor(actions))
        policy_loss = -(chances * (goals - values.detach())).sum() / count
        value_loss = torch.nn.functional.mse_loss(values, goals)
        optimizer.zero_grad()
        (policy_loss + value_loss).backward()
        optimizer.step()
        curve.reached(made, act)


def main():
    line = argparse.ArgumentParser(description="Learning curves of Stable-Baselines3 as CSV.")
    line.add_argument("agent", choices=["ppo", "a2c", "reinforce", "dqn", "sac", "td3"])
    line.add_argument("env", choices=["CartPole-v1", "Pendulum-v1"])
    line.add_argument("--steps", type=int, default=100000)
    line.add_argument("--points", type=int, default=20)
    line.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    line.add_argument("--threads", type=int, default=1)
    chosen = line.parse_args()
    torch.set_num_threads(chosen.threads)
    print("side,agent,env,seed,steps,return,seconds", flush=True)
    for seed in chosen.seeds:
        if chosen.agent == "reinforce":
            curve = Curve(chosen.agent, chosen.env, seed, chosen.steps, chosen.points)
            reinforce(chosen.env, seed, chosen.steps, curve)
            continue
        make, count, options = settings(chosen.agent, chosen.env)
        model = make("MlpPolicy", make_vec_env(chosen.env, n_envs=count, seed=seed), seed=seed, device="cpu", **options)
        curve = Curve(chosen.agent, chosen.env, seed, chosen.steps, chosen.points)
        model.learn(chosen.steps, callback=Points(curve))


main()
