"""The twin of sudoku.spl."""
PUZZLE = """53..7....
6..195...
.98....6.
8...6...3
4..8.3..1
7...2...6
.6....28.
...419..5
....8..79
"""


class Sudoku:
    def __init__(self, grid):
        self.grid, self.tries = grid, 0

    def choices(self, row, column):
        used = {0}
        for i in range(9):
            used.add(self.grid[row][i])
            used.add(self.grid[i][column])
            used.add(self.grid[row // 3 * 3 + i // 3][column // 3 * 3 + i % 3])
        return [digit for digit in range(1, 10) if digit not in used]

    def hardest(self):
        best = None
        for row in range(9):
            for column in range(9):
                if self.grid[row][column] == 0:
                    digits = self.choices(row, column)
                    if best is None or len(digits) < len(best[2]):
                        best = (row, column, digits)
        return best

    def solve(self):
        best = self.hardest()
        if best is None:
            return True
        row, column, digits = best
        for digit in digits:
            self.tries += 1
            self.grid[row][column] = digit
            if self.solve():
                return True
        self.grid[row][column] = 0
        return False


sudoku = Sudoku([[0 if c == "." else int(c) for c in line] for line in PUZZLE.splitlines()])
if sudoku.solve():
    for row in sudoku.grid:
        print("".join(map(str, row)))
    print(f"{sudoku.tries} tries")
else:
    print("no solution")
