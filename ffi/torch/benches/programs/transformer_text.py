#!/usr/bin/env python3
"""examples/torch/training/transformer_text.spl in Python, on the same text, from the same seed: `transformer_text.py [STEPS] [LENGTH]`."""
import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from letters import TEXT, Characters, loss_of, sample

CONTEXT, WIDTH, HEADS, DEPTH, BATCH = 64, 128, 4, 3, 16


class CausalSelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.asks = nn.Linear(WIDTH, 3 * WIDTH)
        self.mixes = nn.Linear(WIDTH, WIDTH)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        count, length, _ = x.shape
        parts = self.asks(x).reshape(count, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        mixed = nn.functional.scaled_dot_product_attention(parts[0], parts[1], parts[2], is_causal=True)
        return self.drop(self.mixes(mixed.transpose(1, 2).reshape(count, length, WIDTH)))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.attention = CausalSelfAttention()
        self.norm2 = nn.LayerNorm(WIDTH)
        self.think = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH), nn.Dropout(0.1))

    def forward(self, x):
        seen = x + self.attention(self.norm1(x))
        return seen + self.think(self.norm2(seen))


class GPT(nn.Module):
    def __init__(self, letters):
        super().__init__()
        self.tokens = nn.Embedding(letters, WIDTH)
        self.places = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.Sequential(*[Block() for _ in range(DEPTH)])
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, x):
        here = torch.arange(x.size(1))
        return nn.functional.linear(self.norm(self.blocks(self.tokens(x) + self.places(here))), self.tokens.weight)


def initialize(layer):
    if isinstance(layer, nn.Linear):
        nn.init.normal_(layer.weight, std=0.02)
        nn.init.zeros_(layer.bias)
    elif isinstance(layer, nn.Embedding):
        nn.init.normal_(layer.weight, std=0.02)


def next_windows(codes, stride=1):
    """Windows of a text, and the same one letter further."""
    return TensorDataset(codes[:-1].unfold(0, CONTEXT, stride), codes[1:].unfold(0, CONTEXT, stride))


@torch.no_grad()
def test_loss(model, data):
    model.eval()
    losses = [loss_of(model(x), y).item() for x, y in data]
    model.train()
    return sum(losses) / len(losses)


def train(model, steps, data, test):
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.001, weight_decay=0.1, fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.006, total_steps=steps, cycle_momentum=False)
    step, losses = 0, []
    while step < steps:
        for x, y in data:
            loss = loss_of(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
            step += 1
            if step % 100 == 0 or step == steps:
                print(f"  step {step:>4}: loss {sum(losses) / len(losses):.4f}, test loss {test_loss(model, test):.4f}", flush=True)
                losses = []
            if step == steps:
                break


@torch.no_grad()
def write(model, letters, prompt, length, temperature, top_k):
    model.eval()
    written = letters.encode(prompt)
    for _ in range(length):
        scores = model(written[-CONTEXT:].unsqueeze(0))[0, -1]
        written = torch.cat([written, sample(scores, temperature, top_k).reshape(1)])
    return letters.decode(written)


def main():
    steps, length = [int(word) for word in sys.argv[1:] + ["700", "400"][len(sys.argv) - 1 :]]
    torch.manual_seed(1)
    words = TEXT.read_text()
    letters = Characters(words)
    codes = letters.encode(words)
    end = len(codes) * 9 // 10
    data = DataLoader(next_windows(codes[:end]), batch_size=BATCH, shuffle=True, drop_last=True)
    test = DataLoader(next_windows(codes[end:], CONTEXT), batch_size=BATCH)
    model = GPT(len(letters))
    model.apply(initialize)
    print(f"  before:    test loss {test_loss(model, test):.4f}")
    start = time.perf_counter()
    train(model, steps, data, test)
    print(f"  {time.perf_counter() - start:.1f} s")
    print(write(model, letters, "The old ", length, temperature=0.5, top_k=10))


if __name__ == "__main__":
    main()
