#!/usr/bin/env python3
"""The other side of `bench_puzzle.spl`: the same network in PyTorch, forward passes a second of one board."""
import sys
import time

import torch
from torch import nn

if len(sys.argv) > 1:
    torch.set_num_threads(int(sys.argv[1]))


class Net(nn.Module):
    def __init__(self, inputs, hidden=256, steps=3):
        super().__init__()
        self.steps = steps
        self.embed, self.think, self.answer = nn.Linear(inputs, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, hidden)
        self.norm, self.policy, self.value = nn.LayerNorm(hidden), nn.Linear(hidden, 4), nn.Linear(hidden, 1)

    def forward(self, x):
        board = self.embed(x).relu()
        answer = latent = board
        for _ in range(self.steps):
            latent = self.norm(latent + self.think(board + answer + latent).relu())
            answer = self.norm(answer + self.answer(answer + latent).relu())
        return self.policy(answer), self.value(answer).squeeze(1)


board = [0.0] * 48
board[0] = board[31] = 1.0
model = Net(48)
with torch.no_grad():
    for _ in range(50):
        model(torch.tensor([board]))
    best = 0
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(1000):
            model(torch.tensor([board]))
        best = max(best, 1000 / (time.perf_counter() - start))
print(f"{best:.0f} forward passes a second")
