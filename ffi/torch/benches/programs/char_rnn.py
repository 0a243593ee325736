#!/usr/bin/env python3
"""examples/torch/training/char_rnn.spl in Python, on the same text, from the same seed: `char_rnn.py [EPOCHS] [LENGTH] [TEMPERATURE]`."""
import sys
import time

import torch
from torch import nn

from letters import TEXT, Characters, loss_of, sample

STREAMS, STEPS = 32, 50


class CharRNN(nn.Module):
    def __init__(self, letters):
        super().__init__()
        self.embed = nn.Embedding(letters, 64)
        self.lstm = nn.LSTM(64, 256, batch_first=True)
        self.drop = nn.Dropout(0.3)
        self.head = nn.Linear(256, letters)

    def forward(self, x, state=None):
        output, last = self.lstm(self.embed(x), state)
        return self.head(self.drop(output)), last


def train_epoch(model, optimizer, codes):
    model.train()
    state, losses, at = None, [], 0
    while at + STEPS < codes.size(1):
        scores, state = model(codes[:, at : at + STEPS], state)
        loss = loss_of(scores, codes[:, at + 1 : at + STEPS + 1])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        state = tuple(part.detach() for part in state)
        at += STEPS
    return sum(losses) / len(losses)


@torch.no_grad()
def test_loss(model, codes):
    model.eval()
    return loss_of(model(codes[:-1].unsqueeze(0))[0], codes[1:]).item()


@torch.no_grad()
def write(model, letters, prompt, length, temperature):
    model.eval()
    scores, state = model(letters.encode(prompt).unsqueeze(0))
    written = []
    for _ in range(length):
        code = sample(scores[:, -1], temperature)
        written.append(code)
        scores, state = model(code.unsqueeze(0), state)
    return prompt + letters.decode(torch.cat(written))


def main():
    epochs, length, temperature = [kind(word) for kind, word in zip([int, int, float], sys.argv[1:] + ["40", "400", "0.5"][len(sys.argv) - 1 :])]
    torch.manual_seed(1)
    words = TEXT.read_text()
    letters = Characters(words)
    codes = letters.encode(words)
    end = len(codes) * 9 // 10
    train, test = codes[: end // STREAMS * STREAMS].reshape(STREAMS, -1), codes[end:]
    model = CharRNN(len(letters))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.005, fused=True)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    print(f"  before:           test loss {test_loss(model, test):.4f}")
    start = time.perf_counter()
    for epoch in range(1, epochs + 1):
        loss = train_epoch(model, optimizer, train)
        schedule.step()
        if epoch == 1 or epoch % 5 == 0 or epoch == epochs:
            print(f"  epoch {epoch:>3}: loss {loss:.4f}, test loss {test_loss(model, test):.4f}", flush=True)
    print(f"  {time.perf_counter() - start:.1f} s")
    print(write(model, letters, "The fox ", length, temperature))


if __name__ == "__main__":
    main()
