"""What the programs that learn a text share: the text, its characters as numbers, the loss, and how the next letter is drawn."""
import pathlib

import torch
from torch import nn

TEXT = pathlib.Path(__file__).resolve().parents[4] / "examples/torch/training/data/tales.txt"


class Characters:
    """The characters of a text, numbered in the order of their code points."""

    def __init__(self, words):
        self.symbols = sorted(set(words))
        self.numbers = {symbol: i for i, symbol in enumerate(self.symbols)}

    def __len__(self):
        return len(self.symbols)

    def encode(self, words):
        return torch.tensor([self.numbers[symbol] for symbol in words])

    def decode(self, codes):
        return "".join(self.symbols[code] for code in codes.tolist())


def loss_of(scores, targets):
    return nn.functional.cross_entropy(scores.flatten(0, 1), targets.flatten())


def sample(scores, temperature, top_k=0):
    """Draws from scores [..., letters], of the `top_k` likeliest letters only if that is above 0."""
    scores = scores / temperature
    if top_k > 0:
        scores = scores.masked_fill(scores < scores.topk(top_k)[0][..., -1:], -torch.inf)
    return scores.softmax(-1).multinomial(1).squeeze(-1)
