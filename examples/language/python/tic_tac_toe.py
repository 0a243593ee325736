"""The twin of tic_tac_toe.spl."""
from functools import cache

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def winner(board):
    for a, b, c in LINES:
        if board[a] != "." and board[a] == board[b] == board[c]:
            return board[a]
    return None


def place(board, at, player):
    return board[:at] + player + board[at + 1:]


def free(board):
    return [i for i, c in enumerate(board) if c == "."]


def next_player(board):
    return "X" if board.count("X") == board.count("O") else "O"


@cache
def score(board):
    won = winner(board)
    if won:
        return 1 if won == "X" else -1
    moves = free(board)
    if not moves:
        return 0
    player = next_player(board)
    scores = [score(place(board, at, player)) for at in moves]
    return max(scores) if player == "X" else min(scores)


def best_move(board):
    player = next_player(board)
    sign = -1 if player == "X" else 1
    return sorted(free(board), key=lambda at: sign * score(place(board, at, player)))[0]


board = "." * 9
while winner(board) is None and "." in board:
    board = place(board, best_move(board), next_player(board))
for i in range(0, 9, 3):
    print(" ".join(board[i:i + 3]))
print(winner(board) or "a draw")
print("X can win after X in the corner and O beside it:", str(score("XO.......") == 1).lower())
print("with O in the centre:", score("X...O...."))
