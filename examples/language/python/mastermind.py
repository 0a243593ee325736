"""The twin of mastermind.spl."""
from collections import Counter
from itertools import product

COLOURS = "RGBYOP"


def judge(guess, secret):
    exact = sum(a == b for a, b in zip(guess, secret))
    common = (Counter(guess) & Counter(secret)).total()
    return exact, common - exact


def play(secret):
    possible = list(product(COLOURS, repeat=4))
    turns = []
    while True:
        guess = possible[len(possible) // 2] if turns else tuple("RRGG")
        black, white = judge(guess, secret)
        turns.append(("".join(guess), black, white))
        if black == 4:
            return turns
        possible = [candidate for candidate in possible if judge(guess, candidate) == (black, white)]


print(judge("RGBY", "YGBR"), judge("RRGG", "GGGR"))
for secret in ["PORY", "GGGG", "BYBY"]:
    print(f"{secret}:")
    for guess, black, white in play(secret):
        print(f"  {guess} {'●' * black}{'○' * white}")
