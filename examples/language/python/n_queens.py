"""The twin of n_queens.spl."""
from itertools import permutations


def solve(n, columns=[]):
    row = len(columns)
    if row == n:
        return [columns]
    solutions = []
    for column in range(n):
        if all(c != column and abs(c - column) != row - r for r, c in enumerate(columns)):
            solutions += solve(n, columns + [column])
    return solutions


for n in range(4, 9):
    print(n, len(solve(n)))
for column in solve(8)[0]:
    print("." * column + "Q" + "." * (7 - column))
count = 0
for p in permutations(range(6)):
    if len({c + r for r, c in enumerate(p)}) == 6 and len({c - r for r, c in enumerate(p)}) == 6:
        count += 1
print("6 queens by permutations:", count)
