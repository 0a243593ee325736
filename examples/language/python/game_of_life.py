"""The twin of game_of_life.spl."""


def step(cells):
    neighbours = {}
    for x, y in cells:
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                if (dx, dy) != (0, 0):
                    cell = (x + dx, y + dy)
                    neighbours[cell] = neighbours.get(cell, 0) + 1
    return {cell for cell, n in neighbours.items() if n == 3 or (n == 2 and cell in cells)}


def show(cells, width, height):
    for y in range(height):
        print("".join("#" if (x, y) in cells else "." for x in range(width)))


cells = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}
for generation in range(9):
    if generation % 4 == 0:
        print(f"generation {generation}: {len(cells)} cells")
        show(cells, 6, 6)
    cells = step(cells)
